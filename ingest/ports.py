"""What ingestion needs from outside."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from ingest.model import Document, FetchedFile, IngestReport, Parsed
from ingest.progress import Counting
from retrieval.model import Chunk, ChunkVectors

if TYPE_CHECKING:
    # Parsing processes import this module too and need no database.
    from psycopg import AsyncConnection


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch of speech; times are milliseconds from the start of the medium."""

    start_ms: int
    end_ms: int
    text: str


class Transcriber(Protocol):
    """Speech to text. Runs in a parsing process, so it is synchronous; silence gives no segment."""

    def transcribe(
        self, media: Path, *, language: str | None = None, progress: Callable[[int], None] | None = None
    ) -> Sequence[Segment]:
        """``language`` is ``zh`` or ``en``, or None to find out; ``progress`` is told the seconds heard so far.

        Raises av.FFmpegError for what cannot be decoded.
        """
        ...


class FullTextWriter(Protocol):
    """The full-text index's writing side. Each call is durable and visible to searches when it returns."""

    async def add(self, chunks: Sequence[Chunk], *, team: str, title: str, principals: Sequence[str]) -> None: ...

    async def set_principals(self, document: str, principals: Sequence[str]) -> None: ...

    async def delete_version(self, version: str) -> None: ...

    async def delete_document(self, document: str) -> None: ...

    async def count(self, version: str) -> int:
        """How many chunks of the version searches can find; publishing asks."""
        ...


class ChunkWriter(Protocol):
    """Rows and vectors of a version's chunks; adding the same version again replaces it."""

    async def replace(
        self, *, version: str, chunks: Sequence[Chunk], vectors: Sequence[ChunkVectors], encoder: str
    ) -> None: ...

    async def vectors(self, *, version: str, encoder: str) -> Mapping[int, tuple[str, ChunkVectors]]:
        """The texts of a version's chunks and their vectors, by ordinal, to be used again for the same text."""
        ...


class Answers(Protocol):
    """Answers that were given from documents; they are looked at again when these change."""

    async def documents_changed(self, documents: Collection[str], *, connection: AsyncConnection[Any]) -> None:
        """These were deleted, superseded, or lost readers, in the caller's transaction."""
        ...


class Jobs(Protocol):
    """Work that is done after the transaction that asked for it. Arguments are ids."""

    async def enqueue(
        self,
        connection: AsyncConnection[Any],
        name: str,
        *,
        lock: str | None = None,
        queueing_lock: str | None = None,
        **arguments: Any,
    ) -> None:
        """Add a job in the caller's transaction; jobs of one ``lock`` run one after the other."""
        ...


class Source(Protocol):
    """Where files come from."""

    async def fetch(self, document: Document, *, into: Path) -> FetchedFile:
        """Bring the file onto this machine; ``into`` is an empty folder that is removed afterwards.

        Raises Unreadable for what cannot be had (not found, access denied, too large, HTML instead); any other error
        is taken as passing, and the fetch is tried again.
        """
        ...


class Parser(Protocol):
    """Reads files in processes of their own, within limits."""

    async def parse(self, path: Path, *, name: str, mimetype: str, progress: Counting | None = None) -> Parsed:
        """Raises Unreadable. ``progress`` is called on the event loop."""
        ...


class Progress(Protocol):
    """Shows people how far a file is. Never raises: what cannot be shown is the implementation's to log."""

    async def show(self, report: IngestReport) -> None: ...


class Objects(Protocol):
    """Original files by key."""

    async def put(self, key: str, path: Path) -> None:
        """Store the file's bytes; the same key again replaces them. Durable when it returns."""
        ...

    async def fetch(self, key: str, to: Path) -> None:
        """Write the bytes to a new file; raises FileNotFoundError for an unknown key."""
        ...

    async def delete(self, key: str) -> None:
        """Remove the bytes; an unknown key is fine."""
        ...
