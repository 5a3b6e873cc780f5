"""Cuts what was read into chunks, gives them vectors, and writes them to rows and full text."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Final

from ingest.chunking import chunk
from ingest.model import Parsed, Version
from ingest.ports import ChunkWriter, FullTextWriter
from permissions.grants import Grants
from retrieval.model import Chunk, ChunkVectors
from retrieval.ports import Encoder

BATCH: Final = 16
"""Chunks encoded between two reports of progress; the encoder makes its own, smaller batches of them."""


class Indexer:
    """Writes a version's chunks to the stores. Doing it again replaces what an interrupted run left."""

    def __init__(self, *, encoder: Encoder, rows: ChunkWriter, full_text: FullTextWriter, grants: Grants) -> None:
        self._encoder = encoder
        self._rows = rows
        self._full_text = full_text
        self._grants = grants

    async def index(
        self, version: Version, parsed: Parsed, *, known_from: Version | None, show: Callable[[int], Awaitable[None]]
    ) -> int:
        """Index the version and return the number of its chunks.

        ``known_from`` is a version with the same bytes, whose vectors are taken over for chunks with the same text.
        ``show`` is called with the percentage of chunks that have their vectors.
        """
        document = version.document
        chunks = await asyncio.to_thread(chunk, parsed, document=document.document_id, version=version.version_id)
        vectors = await self._known(chunks, known_from)
        for start in range(0, len(chunks), BATCH):
            await self._encode([item for item in chunks[start : start + BATCH] if item.ordinal not in vectors], vectors)
            await show(100 * min(start + BATCH, len(chunks)) // len(chunks))
        in_order = [vectors[item.ordinal] for item in chunks]
        await self._rows.replace(
            version=version.version_id, chunks=chunks, vectors=in_order, encoder=self._encoder.name
        )
        await self._full_text.delete_version(version.version_id)
        principals = sorted(str(item) for item in await self._grants.of(document.document_id))
        await self._full_text.add(chunks, team=document.team, title=document.title, principals=principals)
        return len(chunks)

    async def _encode(self, chunks: Sequence[Chunk], vectors: dict[int, ChunkVectors]) -> None:
        if chunks:
            encoded = await self._encoder.encode_chunks(chunks)
            vectors.update(zip((item.ordinal for item in chunks), encoded, strict=True))

    async def _known(self, chunks: Sequence[Chunk], twin: Version | None) -> dict[int, ChunkVectors]:
        """Vectors of the same text at the same ordinal of the twin."""
        if twin is None:
            return {}
        stored = await self._rows.vectors(version=twin.version_id, encoder=self._encoder.name)
        nothing: tuple[str, None] = ("", None)
        known = ((item, *stored.get(item.ordinal, nothing)) for item in chunks)
        return {item.ordinal: vectors for item, text, vectors in known if vectors is not None and text == item.text}
