"""What ingestion needs from outside."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from retrieval.model import Chunk, ChunkVectors


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch of speech; times are milliseconds from the start of the medium."""

    start_ms: int
    end_ms: int
    text: str


class Transcriber(Protocol):
    """Speech to text. Runs in a parsing process, so it is synchronous; silence gives no segment."""

    def transcribe(self, media: Path, *, language: str | None = None) -> Sequence[Segment]: ...


class FullTextWriter(Protocol):
    """The full-text index's writing side. Each call is durable and visible to searches when it returns."""

    async def add(self, chunks: Sequence[Chunk], *, team: str, title: str, principals: Sequence[str]) -> None: ...

    async def set_principals(self, document: str, principals: Sequence[str]) -> None: ...

    async def delete_version(self, version: str) -> None: ...

    async def delete_document(self, document: str) -> None: ...


class ChunkWriter(Protocol):
    """Rows and vectors of a version's chunks; adding the same version again replaces it."""

    async def replace(
        self, *, version: str, chunks: Sequence[Chunk], vectors: Sequence[ChunkVectors], encoder: str
    ) -> None: ...
