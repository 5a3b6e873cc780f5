"""The measured set of answerable and unanswerable questions, over a workspace that is built for it.

Answerable is a question whose passages are indexed; of the data sets a part of the passages is left out, so that their
questions become unanswerable. The questions about the sample company are written down in ``refusal_demo.jsonl``.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from psycopg_pool import AsyncConnectionPool

from bot.agent.offline.researcher import SearchingResearcher
from bot.agent.offline.understander import RuleUnderstander
from bot.evaluation.refusal import MeasuredQuestion, Sample, collect
from bot.models.e5 import E5Encoder
from bot.sandbox import samples
from bot.stores.migrations import migrate
from bot.stores.postgres import EmbeddedPostgres
from ingest.chunking import chunk
from ingest.model import Block, BlockKind, Parsed, Unit
from ingest.parsing import ParserPool, TranscriberFactory
from permissions.model import AccessScope, Principal
from retrieval.adapters.index_rows import PgIndexRows
from retrieval.adapters.passages import PgPassages
from retrieval.adapters.pgvector import PgVectorStore
from retrieval.adapters.tantivy_index import TantivyIndex
from retrieval.model import Modality, Place
from retrieval.search import Search
from tests import rows

DATA = Path(__file__).parents[3] / "shared" / "data" / "retrieval"
DEMO_QUESTIONS = Path(__file__).with_name("refusal_demo.jsonl")
CMRC, HOTPOT, DEMO = "cmrc2018_dev_zh", "hotpotqa_100", "demo"
QUESTIONS = 400
"""Questions of a data set, chosen by the digest of their ids."""
BESIDE = 400
"""Passages of a data set that are indexed though no question is about them."""
READER = "U1"
BATCH = 32
"""Documents that are indexed side by side, so that they share commits of the index."""


@dataclass(frozen=True, slots=True)
class Text:
    """A document to be indexed."""

    id: str
    parsed: Parsed


@dataclass(frozen=True, slots=True)
class MeasuredSet:
    """What is indexed and what is asked."""

    name: str
    texts: Sequence[Text]
    questions: Sequence[MeasuredQuestion]


def from_data(name: str, language: str) -> MeasuredSet:
    """A data set of which about half of the questions lost their passages."""
    folder = DATA / name
    passages, queries = _lines(folder / "corpus.jsonl"), _lines(folder / "queries.jsonl")
    gold: dict[str, set[str]] = {}
    for line in (folder / "qrels.tsv").read_text("utf-8").splitlines()[1:]:
        query, passage, _ = line.split("\t")
        gold.setdefault(query, set()).add(passage)
    queries = sorted(queries, key=lambda query: _digest(query["_id"]))[:QUESTIONS]
    left_out = {passage for query in queries if _digest(min(gold[query["_id"]])) % 2 for passage in gold[query["_id"]]}
    questions = [
        MeasuredQuestion(f"{name}/{query['_id']}", name, language, query["text"], not gold[query["_id"]] & left_out)
        for query in queries
        if gold[query["_id"]] <= left_out or not gold[query["_id"]] & left_out
    ]
    needed = {passage for query in queries for passage in gold[query["_id"]]} - left_out
    others = [passage for passage in passages if passage["_id"] not in needed | left_out]
    indexed = [passage for passage in passages if passage["_id"] in needed] + others[:BESIDE]
    return MeasuredSet(name, [Text(passage["_id"], _plain(passage)) for passage in indexed], questions)


async def from_demo(parser: ParserPool) -> MeasuredSet:
    """The sample company's files, all of which the reader may see."""
    texts = []
    for file in samples.load().files:
        parsed = await parser.parse(file.path, name=file.name, mimetype="")
        texts.append(Text(file.name, parsed))
    questions = [_demo_question(item) for item in _lines(DEMO_QUESTIONS)]
    return MeasuredSet(DEMO, texts, questions)


def _demo_question(item: dict[str, Any]) -> MeasuredQuestion:
    """Questions in the other language than their source are reported apart."""
    is_foreign = item["id"].startswith("x-")
    return MeasuredQuestion(
        id=f"demo/{item['id']}",
        source=f"{DEMO}, other language" if is_foreign else DEMO,
        language=item["language"],
        text=item["question"],
        is_answerable=bool(item["document"]),
        is_foreign=is_foreign,
    )


async def collect_all() -> list[Sample]:
    """Build the workspace and search every question of the set in it; takes minutes. Without the data, demo only."""
    async with _open_workspace() as workspace:
        sets = [from_data(CMRC, "zh"), from_data(HOTPOT, "en")] if DATA.is_dir() else []
        async with ParserPool(
            transcriber=TranscriberFactory(factory="bot.models.speech:build", arguments={})
        ) as parser:
            sets.append(await from_demo(parser))
        collected: list[Sample] = []
        for number, measured in enumerate(sets):
            scope = await workspace.learn(measured, team=f"T{number}")
            collected += await collect(
                measured.questions,
                scopes={question.source: scope for question in measured.questions},
                understander=RuleUnderstander(),
                researcher=SearchingResearcher(search=workspace.search, encoder=workspace.encoder),
            )
        return collected


@dataclass(frozen=True, slots=True)
class _Workspace:
    pool: AsyncConnectionPool
    encoder: E5Encoder
    vectors: PgVectorStore
    full_text: TantivyIndex
    search: Search

    async def learn(self, measured: MeasuredSet, *, team: str) -> AccessScope:
        """Index the set in a team of its own; the scope of its one reader."""
        await rows.add_person(self.pool, READER, team=team)
        for start in range(0, len(measured.texts), BATCH):
            batch = measured.texts[start : start + BATCH]
            await asyncio.gather(*(self._learn(text, team) for text in batch))
        return await rows.scope(self.pool, READER, team=team)

    async def _learn(self, text: Text, team: str) -> None:
        document, title = f"{team}-{_digest(text.id):08x}", text.parsed.title
        me = Principal.user(team, READER)
        units = [unit.text for unit in text.parsed.units]
        await rows.add_document(self.pool, document, units, principals=[me], team=team, title=title)
        await self._set_kind(document, text.parsed)
        version = f"{document}-v1"
        chunks = chunk(text.parsed, document=document, version=version)
        vectors = await self.encoder.encode_chunks(chunks)
        await self.vectors.replace(version=version, chunks=chunks, vectors=vectors, encoder=self.encoder.name)
        await self.full_text.add(chunks, team=team, title=title, principals=[str(me)])

    async def _set_kind(self, document: str, parsed: Parsed) -> None:
        async with self.pool.connection() as connection:
            await connection.execute(
                "UPDATE versions SET modality = %s WHERE document_id = %s", (str(parsed.modality), document)
            )
            await connection.execute(
                "UPDATE units SET read_by = %s WHERE version_id = %s", (str(parsed.units[0].read_by), f"{document}-v1")
            )


@asynccontextmanager
async def _open_workspace() -> AsyncIterator[_Workspace]:
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="refusal-")))
        folder.chmod(0o755)  # noqa: ASYNC240 - before anything runs
        server = EmbeddedPostgres(folder / "data", durable=False)
        await server.open()
        stack.push_async_callback(server.aclose)
        await migrate(server.dsn())
        pool = await stack.enter_async_context(AsyncConnectionPool(server.dsn(), min_size=1, max_size=6, open=False))
        encoder = await stack.enter_async_context(E5Encoder())
        full_text = TantivyIndex(folder=folder / "index", rows=PgIndexRows(pool=pool))
        await full_text.open()
        stack.push_async_callback(full_text.aclose)
        vectors = PgVectorStore(pool=pool, encoder=encoder.name)
        search = Search(encoder=encoder, vectors=vectors, full_text=full_text, passages=PgPassages(pool=pool))
        yield _Workspace(pool, encoder, vectors, full_text, search)


def _plain(passage: dict[str, Any]) -> Parsed:
    block = Block(BlockKind.TEXT, passage["text"], Place())
    return Parsed(title=passage["title"], modality=Modality.DOCUMENT, units=(Unit(1, Place(), (block,)),))


def _lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()]


def _digest(text: str) -> int:
    return int(hashlib.sha256(text.encode()).hexdigest()[:8], 16)
