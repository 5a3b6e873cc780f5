"""Ingestion put together on real stores, with a reader and an encoder small enough to see through."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from psycopg_pool import AsyncConnectionPool

from bot.jobs import Jobs
from ingest.adapters.objects import StoredObjects
from ingest.adapters.paths import PathSource
from ingest.catalog import Catalog
from ingest.deletion import PURGE_JOB, Deletion
from ingest.indexing import Indexer
from ingest.limits import Limits
from ingest.model import Block, BlockKind, Cause, IngestReport, Parsed, Unit, Unreadable
from ingest.pipeline import LONG_JOB, Pipeline
from ingest.progress import Counting
from ingest.publish import Publisher
from ingest.register import ANNOUNCE_JOB, INGEST_JOB, Registrar, Registration, Upload
from ingest.rights import RIGHTS_JOB, Rights
from permissions.grants import Grants
from permissions.model import Principal
from retrieval.adapters.pgvector import PgVectorStore
from retrieval.adapters.tantivy_index import TantivyIndex
from retrieval.model import Chunk, ChunkVectors, IndexedVersion, Modality, Place, Vector

TEAM = "T1"
WORKSPACE = Principal.workspace(TEAM)


class LineParser:
    """A page for each paragraph. What a text says decides what reading it does, so that a test can see it happen."""

    def __init__(self) -> None:
        self.calls = 0
        self.stuck = asyncio.Event()
        self.release = asyncio.Event()

    async def parse(self, path: Path, *, name: str, mimetype: str, progress: Counting | None = None) -> Parsed:
        self.calls += 1
        text = await asyncio.to_thread(path.read_text)
        if "ENCRYPTED" in text:
            raise Unreadable(Cause.ENCRYPTED)
        if "STUCK" in text:
            if progress:
                progress(1, 2, "pages")
            self.stuck.set()
            await self.release.wait()
        pages = [part for part in text.split("\n\n") if part.strip()]
        units = tuple(
            Unit(number, Place(page=number), (Block(BlockKind.TEXT, page, Place(page=number)),))
            for number, page in enumerate(pages, start=1)
        )
        return Parsed(Path(name).stem, Modality.DOCUMENT, units, counts={"pages": len(units)})


class HashEncoder:
    """A vector made of the text alone, so that a test can tell which text it came from."""

    name = "hash-1"
    dimensions = 8
    floor = 0.0

    def __init__(self) -> None:
        self.texts: list[str] = []

    async def encode_queries(self, texts: Sequence[str]) -> list[Vector]:
        return [_vector(text) for text in texts]

    async def encode_chunks(self, chunks: Sequence[Chunk]) -> list[ChunkVectors]:
        self.texts += [chunk.text for chunk in chunks]
        return [
            ChunkVectors(_vector(item.text), np.stack([_vector(item.text)] * len(item.sentences))) for item in chunks
        ]


def _vector(text: str) -> Vector:
    values = np.frombuffer(hashlib.sha256(text.encode()).digest()[:8], np.int8).astype(np.float32)
    return values / np.float32(np.linalg.norm(values))


class Recorder:
    """Keeps what people would have seen."""

    def __init__(self) -> None:
        self.reports: list[IngestReport] = []

    async def show(self, report: IngestReport) -> None:
        self.reports.append(report)

    def states(self, version: str) -> list[str]:
        """The states shown, each once."""
        seen = [report.state.value for report in self.reports if report.version_id == version]
        return [state for position, state in enumerate(seen) if position == 0 or seen[position - 1] != state]

    @property
    def last(self) -> IngestReport:
        return self.reports[-1]


async def no_rows() -> AsyncIterator[IndexedVersion]:
    for nothing in ():
        yield nothing


@dataclass
class Bench:
    """Everything that ingestion is made of."""

    pool: AsyncConnectionPool
    folder: Path
    index: TantivyIndex
    jobs: Jobs
    catalog: Catalog
    grants: Grants
    rights: Rights
    registrar: Registrar
    pipeline: Pipeline
    publisher: Publisher
    deletion: Deletion
    vectors: PgVectorStore
    answers: ToldAnswers
    parser: LineParser = field(default_factory=LineParser)
    encoder: HashEncoder = field(default_factory=HashEncoder)
    progress: Recorder = field(default_factory=Recorder)

    def write(self, name: str, text: str) -> Path:
        """A file that the command line could name."""
        path = self.folder / "files" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    async def register(self, path: Path, *principals: Principal, **changes: Any) -> Registration:
        """Register a file of the command line; it must be new."""
        upload = Upload(
            team=TEAM,
            source="command",
            source_id=str(path),
            title=path.name,
            mimetype="text/plain",
            user="U1",
            principals=principals or (WORKSPACE,),
            **changes,
        )
        registration = await self.registrar.register(upload)
        assert registration is not None
        return registration

    async def ingest(self, path: Path, *principals: Principal) -> Registration:
        """Register a file and read it to its end, without the workers."""
        registration = await self.register(path, *principals)
        await self.pipeline.run(version=registration.version)
        return registration

    async def rows(self, statement: str, *arguments: object) -> list[tuple[Any, ...]]:
        async with self.pool.connection() as connection:
            return await (await connection.execute(statement, arguments)).fetchall()

    async def states(self, document: str) -> list[str]:
        found = await self.rows("SELECT state FROM versions WHERE document_id = %s ORDER BY number", document)
        return [state for (state,) in found]

    async def active(self, document: str) -> str | None:
        ((version,),) = await self.rows("SELECT active_version FROM documents WHERE document_id = %s", document)
        return version

    async def chunk_texts(self) -> list[tuple[str, str]]:
        return await self.rows("SELECT version_id, text FROM chunks ORDER BY chunk_id")

    @asynccontextmanager
    async def working(self) -> AsyncIterator[None]:
        task = asyncio.create_task(self.jobs.work())
        try:
            yield
        finally:
            task.cancel()
            await asyncio.wait([task])

    async def until(self, condition: Callable[[], Any]) -> None:
        async with asyncio.timeout(20):
            while not await condition():  # noqa: ASYNC110 - rows have no event
                await asyncio.sleep(0.02)


class ToldAnswers:
    """``ingest.ports.Answers`` that keeps what it was told."""

    def __init__(self) -> None:
        self.told: list[str] = []

    async def documents_changed(self, documents: Collection[str], *, connection: object) -> None:
        assert connection is not None, "in the transaction of the change"
        self.told += documents


@asynccontextmanager
async def bench(pool: AsyncConnectionPool, folder: Path) -> AsyncIterator[Bench]:
    """Put together and opened."""
    for name in ("objects", "index", "scratch"):
        (folder / name).mkdir(exist_ok=True)
    parser, encoder, progress = LineParser(), HashEncoder(), Recorder()
    index = TantivyIndex(folder=folder / "index", rows=no_rows)
    await index.open()
    jobs = Jobs(pool=pool)
    catalog, grants = Catalog(pool=pool), Grants(pool=pool)
    vectors = PgVectorStore(pool=pool, encoder=encoder.name)
    objects = StoredObjects.in_folder(folder / "objects")
    answers = ToldAnswers()
    rights = Rights(pool=pool, jobs=jobs, grants=grants, full_text=index, answers=answers)
    publisher = Publisher(pool=pool, full_text=index, encoder=encoder.name, answers=answers)
    pipeline = Pipeline(
        pool=pool,
        jobs=jobs,
        catalog=catalog,
        sources={"command": PathSource()},
        objects=objects,
        parser=parser,
        indexer=Indexer(encoder=encoder, rows=vectors, full_text=index, grants=grants),
        publisher=publisher,
        progress=progress,
        scratch=folder / "scratch",
        limits=Limits(file_bytes=100_000),
    )
    deletion = Deletion(pool=pool, jobs=jobs, full_text=index, objects=objects, answers=answers)
    jobs.add(INGEST_JOB, pipeline.run_short, queue="ingest", retries=1, gave_up=pipeline.gave_up)
    jobs.add(LONG_JOB, pipeline.run, queue="long", retries=1, gave_up=pipeline.gave_up)
    jobs.add(ANNOUNCE_JOB, pipeline.announce, queue="notices")
    jobs.add(RIGHTS_JOB, rights.run, queue="upkeep", retries=1)
    jobs.add(PURGE_JOB, deletion.purge, queue="upkeep", retries=1)
    await jobs.open()
    yield Bench(
        pool=pool,
        folder=folder,
        index=index,
        jobs=jobs,
        catalog=catalog,
        grants=grants,
        rights=rights,
        registrar=Registrar(pool=pool, jobs=jobs, rights=rights),
        pipeline=pipeline,
        publisher=publisher,
        deletion=deletion,
        vectors=vectors,
        answers=answers,
        parser=parser,
        encoder=encoder,
        progress=progress,
    )
    await index.aclose()
    await jobs.aclose()
