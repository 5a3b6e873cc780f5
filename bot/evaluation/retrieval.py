"""How well search finds the right passages of a labelled set, through the real pipeline on stores of its own."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Collection, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

import structlog
from psycopg import AsyncConnection
from psycopg_pool import AsyncConnectionPool

from bot.evaluation.dataset import CorpusPassage, Dataset, DatasetError, load
from bot.evaluation.metrics import Ranking, figures
from bot.models.e5 import E5Encoder
from ingest.adapters.objects import StoredObjects
from ingest.catalog import Catalog
from ingest.indexing import Indexer
from ingest.limits import Limits
from ingest.model import Block, BlockKind, Document, FetchedFile, IngestReport, Parsed, State, Unit
from ingest.pipeline import Pipeline
from ingest.progress import Counting
from ingest.publish import Publisher
from ingest.register import Registrar, Upload
from ingest.rights import Rights
from permissions.adapters.coverage import PgCoverage
from permissions.adapters.postgres import PgDirectory
from permissions.grants import Grants
from permissions.model import AccessScope, Person, Principal
from permissions.scopes import ScopeBuilder
from retrieval.adapters.index_rows import PgIndexRows
from retrieval.adapters.passages import PgPassages
from retrieval.adapters.pgvector import PgVectorStore
from retrieval.adapters.tantivy_index import TantivyIndex
from retrieval.model import Modality, Place
from retrieval.search import Search, SearchSettings

__all__ = ["DatasetError", "evaluate"]

_TEAM: Final = "TEVALUATION"
_PERSON: Final = "UEVALUATION"
_SOURCE: Final = "dataset"
_AT_ONCE: Final = 8
"""Documents in work: while one is encoded the others are written."""
_LIMIT: Final = 40
"""Chunks asked for, so that ten different passages are among them."""
_PATIENT: Final = SearchSettings(channel_seconds=60, total_seconds=120)
"""A slow machine must not turn into a worse ranking; what it costs shows in search_ms."""

log = structlog.get_logger()


async def evaluate(
    directory: Path, *, dsn: str, folder: Path, say: Callable[[str], None], settings: SearchSettings = _PATIENT
) -> dict[str, float]:
    """Index the set's passages, ask its questions, and give the figures.

    ``recall@1|2|5|10``, ``ndcg@10`` and ``all_gold@5`` (the share of questions whose right passages are all among the
    first five) are means over ``queries`` questions; ``search_ms_p50|p95`` are of one question at a time;
    ``passages_per_s`` is from registering to published. ``dsn`` names a migrated scratch database, ``folder`` a place
    for files. Raises DatasetError.
    """
    dataset = await asyncio.to_thread(load, directory)
    pool = AsyncConnectionPool(dsn, min_size=2, max_size=_AT_ONCE + 4, open=False)
    async with pool, E5Encoder() as encoder:
        index = TantivyIndex(folder=folder / "index", rows=PgIndexRows(pool=pool))
        await index.open()
        try:
            return await _Evaluation(pool, encoder, index, folder, settings).run(dataset, say)
        finally:
            await index.aclose()


class _Evaluation:
    """One set in one throwaway workspace."""

    def __init__(
        self, pool: AsyncConnectionPool, encoder: E5Encoder, index: TantivyIndex, folder: Path, settings: SearchSettings
    ) -> None:
        self._pool = pool
        self._vectors = PgVectorStore(pool=pool, encoder=encoder.name)
        self._search = Search(
            encoder=encoder,
            vectors=self._vectors,
            full_text=index,
            passages=PgPassages(pool=pool),
            settings=settings,
        )
        grants = Grants(pool=pool)
        rights = Rights(pool=pool, jobs=_RunHere(), grants=grants, full_text=index, answers=_NoAnswers())
        self._registrar = Registrar(pool=pool, jobs=_RunHere(), rights=rights)
        self._catalog = Catalog(pool=pool)
        self._objects = folder / "objects"
        self._scratch = folder / "scratch"
        self._indexer = Indexer(encoder=encoder, rows=self._vectors, full_text=index, grants=grants)
        self._publisher = Publisher(pool=pool, full_text=index, encoder=encoder.name, answers=_NoAnswers())

    async def run(self, dataset: Dataset, say: Callable[[str], None]) -> dict[str, float]:
        say(f"indexing {len(dataset.passages)} passages")
        started = time.perf_counter()
        documents = await self._index(dataset.passages)
        seconds = time.perf_counter() - started
        say(f"asking {len(dataset.queries)} questions")
        scope = await self._scope()
        rankings = []
        for query in dataset.queries:
            asked = time.perf_counter()
            result = await self._search.search(scope, query.text, limit=_LIMIT)
            elapsed = time.perf_counter() - asked
            found = dict.fromkeys(documents[item.passage.document] for item in result.ranked)
            rankings.append(Ranking(tuple(found), query.gold, elapsed))
        return {**figures(rankings), "passages_per_s": round(len(dataset.passages) / seconds, 2)}

    async def _index(self, passages: Sequence[CorpusPassage]) -> dict[str, str]:
        """Take every passage through the pipeline, as a document of its own; the passages' ids by document."""
        for place in (self._objects, self._scratch):
            place.mkdir()
        pipeline = Pipeline(
            pool=self._pool,
            jobs=_RunHere(),
            catalog=self._catalog,
            sources={_SOURCE: _Corpus({passage.id: passage for passage in passages})},
            objects=StoredObjects.in_folder(self._objects),
            parser=_PassageParser(),
            indexer=self._indexer,
            publisher=self._publisher,
            progress=_Quiet(),
            scratch=self._scratch,
            limits=Limits(),
        )
        waiting, documents = iter(passages), {}

        async def work() -> None:
            for passage in waiting:
                registered = await self._registrar.register(_upload(passage))
                if registered is None:
                    raise DatasetError(f"the passage {passage.id} is there twice")
                documents[registered.document] = passage.id
                await pipeline.run(version=registered.version)
                await self._require_published(registered.version, passage)

        try:
            async with asyncio.TaskGroup() as group:
                for number in range(_AT_ONCE):
                    group.create_task(work(), name=f"evaluation.index.{number}")
        except* DatasetError as errors:
            raise errors.exceptions[0] from None
        return documents

    async def _require_published(self, version: str, passage: CorpusPassage) -> None:
        found = await self._catalog.version(version)
        if found is None or found.state is not State.PUBLISHED:
            raise DatasetError(f"the passage {passage.id} cannot be indexed: {found and (found.cause or found.state)}")

    async def _scope(self) -> AccessScope:
        now = datetime.now(UTC)
        person = Person(team=_TEAM, id=_PERSON, name="Evaluation", home_team=_TEAM)
        await PgDirectory(pool=self._pool, clock=lambda: now).put_people([person], as_of=now)
        builder = ScopeBuilder(coverage=PgCoverage(pool=self._pool), clock=lambda: now, max_age=timedelta(days=1))
        return await builder.scope(team=_TEAM, asker=_PERSON, conversation=None)


def _upload(passage: CorpusPassage) -> Upload:
    return Upload(
        team=_TEAM,
        source=_SOURCE,
        source_id=passage.id,
        title=passage.title,
        mimetype="application/json",
        user=_PERSON,
        principals=[Principal.workspace(_TEAM)],
    )


class _RunHere:
    """``ingest.ports.Jobs``: the pipeline is run by hand, and the grants are there before it reads them."""

    async def enqueue(self, connection: AsyncConnection[Any], name: str, **_: Any) -> None:
        log.debug("evaluation.job_left_out", job=name)


class _NoAnswers:
    """``ingest.ports.Answers`` where none are given."""

    async def documents_changed(self, documents: Collection[str], *, connection: AsyncConnection[Any]) -> None:
        return


class _Corpus:
    """``ingest.ports.Source``: each passage is a file of its own."""

    def __init__(self, passages: dict[str, CorpusPassage]) -> None:
        self._passages = passages

    async def fetch(self, document: Document, *, into: Path) -> FetchedFile:
        passage = self._passages[document.source_id]
        path = into / "passage.json"
        await asyncio.to_thread(path.write_text, json.dumps([passage.id, passage.title, passage.text]), "utf-8")
        return FetchedFile(path, passage.title, "application/json")


class _PassageParser:
    """``ingest.ports.Parser`` of such a file: one unit with one block of text."""

    async def parse(self, path: Path, *, name: str, mimetype: str, progress: Counting | None = None) -> Parsed:
        _id, title, text = json.loads(await asyncio.to_thread(path.read_text, "utf-8"))
        return Parsed(title, Modality.DOCUMENT, (Unit(1, Place(), (Block(BlockKind.TEXT, text, Place()),)),))


class _Quiet:
    """``ingest.ports.Progress`` that nobody watches."""

    async def show(self, report: IngestReport) -> None:
        return
