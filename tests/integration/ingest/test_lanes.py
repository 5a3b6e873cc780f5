"""Nobody waits unseen, and nobody waits behind somebody else's book."""

from __future__ import annotations

import asyncio

import pytest

from ingest import pipeline
from ingest.model import State
from ingest.register import ANNOUNCE_JOB
from retrieval.model import Chunk, ChunkVectors
from tests.integration.ingest.bench import Bench


class Holding:
    """Holds the encoding of texts with BOOK in them until it is released, as if it took hours."""

    def __init__(self, bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
        self.release = asyncio.Event()
        self._encode = bench.encoder.encode_chunks
        monkeypatch.setattr(bench.encoder, "encode_chunks", self._held)

    async def _held(self, chunks: list[Chunk]) -> list[ChunkVectors]:
        if any("BOOK" in chunk.text for chunk in chunks):
            await self.release.wait()
        return await self._encode(chunks)


async def test_short_files_do_not_wait_for_long_ones(ingestion: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipeline, "LONG", 1_000)
    holding = Holding(ingestion, monkeypatch)
    books = [
        await ingestion.register(ingestion.write(f"book-{n}.txt", f"BOOK {n}. " + "Word by word. " * 100))
        for n in range(3)
    ]
    page = await ingestion.register(ingestion.write("page.txt", "Epoxy seals the bath."))
    async with ingestion.working():

        async def is_published() -> bool:
            return await ingestion.states(page.document) == ["PUBLISHED"]

        await ingestion.until(is_published)
        assert {state for book in books for state in await ingestion.states(book.document)} <= {"REGISTERED", "PARSED"}
        holding.release.set()

        async def are_published() -> bool:
            return all([await ingestion.states(book.document) == ["PUBLISHED"] for book in books])

        await ingestion.until(are_published)


async def test_a_file_that_waits_is_shown_at_once(ingestion: Bench) -> None:
    made = await ingestion.register(ingestion.write("page.txt", "Epoxy."), reply={"thread": "1.1"})
    waiting = await ingestion.rows("SELECT args FROM procrastinate_jobs WHERE task_name = %s", ANNOUNCE_JOB)
    assert waiting == [({"version": made.version},)]
    await ingestion.pipeline.announce(version=made.version)
    assert (ingestion.progress.last.state, ingestion.progress.last.reply) == (State.REGISTERED, {"thread": "1.1"})


async def test_a_file_that_was_read_meanwhile_is_not_said_to_wait(ingestion: Bench) -> None:
    made = await ingestion.ingest(ingestion.write("page.txt", "Epoxy."))
    shown = len(ingestion.progress.reports)
    await ingestion.pipeline.announce(version=made.version)
    await ingestion.pipeline.announce(version="unknown")
    assert len(ingestion.progress.reports) == shown
