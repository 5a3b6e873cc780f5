"""The embedded full-text index: tantivy in a folder, one writing process, any number of reading ones."""

from __future__ import annotations

import asyncio
import functools
import json
import shutil
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import structlog
from tantivy import DocAddress, Document, Index, IndexWriter, Query, Searcher

from permissions.model import AccessScope
from retrieval.adapters import tantivy_question as question
from retrieval.adapters import tantivy_schema as schema
from retrieval.adapters.tantivy_writer import CHANNEL, Operation, Result, TantivyWriter, new_writer, run_in
from retrieval.analysis import normalise
from retrieval.errors import ChannelFailed
from retrieval.model import Chunk, Hit, IndexedVersion

log = structlog.get_logger()

_REWRITE_SLICE = 2_000

Rows = Callable[[], AsyncIterator[IndexedVersion]]
"""All versions that the index must hold, read from the authoritative rows."""


class TantivyIndex:
    """``retrieval.ports.FullTextSearch`` and ``ingest.ports.FullTextWriter``.

    A write is committed and visible when it returns. A missing, damaged or older index is rebuilt from ``rows`` when
    the writing process opens it; one whose files vanish meanwhile, when it is written next.
    """

    def __init__(self, *, folder: Path, rows: Rows) -> None:
        self._folder = folder
        self._rows = rows
        self._home = folder / f"v{schema.VERSION}"
        self._index: Index | None = None
        self._is_reader = False
        self._writer = TantivyWriter()
        self._rebuilding = asyncio.Lock()
        self._reading = ThreadPoolExecutor(2, thread_name_prefix="full-text-reader")

    async def open(self, *, read_only: bool = False) -> None:
        """Open, rebuilding first if need be.

        Raises ChannelFailed when another process writes, or when ``read_only`` finds no index of this version.
        """
        # The folding table is read here, in a thread, and not on the event loop at the first question.
        await run_in(self._reading, lambda: normalise(""))
        try:
            self._index = await self._writer.run(self._open_existing)
        except ChannelFailed:
            if read_only:
                raise
            log.info("full_text.rebuilding", folder=self._home.name)
            self._index = await self._rebuild()
        self._is_reader = read_only
        if not read_only:
            await self._writer.open(self._index)

    async def aclose(self) -> None:
        """Commit what was asked for, then let the folder go."""
        await self._writer.aclose()
        self._index = None
        await asyncio.to_thread(self._reading.shutdown)

    async def match(self, scope: AccessScope, query: str, *, limit: int) -> list[Hit]:
        """Chunks in the scope that hold terms of the question, best BM25 first, ties by id. Raises ChannelFailed."""
        names = scope.principal_names()
        if not names:
            return []
        return await run_in(self._reading, lambda: self._match(names, query, limit))

    async def add(self, chunks: Sequence[Chunk], *, team: str, title: str, principals: Sequence[str]) -> None:
        """Add chunks; an entry of the same chunk id is replaced. Raises ChannelFailed."""
        del team  # every principal names its team
        # Analysed here, not in the writer's thread: others may be waiting for that.
        entries = await run_in(
            self._reading,
            lambda: [(chunk.chunk_id, schema.document(chunk, title=title, principals=principals)) for chunk in chunks],
        )

        def write(writer: IndexWriter, _searcher: Searcher) -> None:
            for chunk_id, entry in entries:
                writer.delete_documents_by_term(schema.CHUNK, chunk_id)
                writer.add_document(entry)

        await self._write(write)

    async def set_principals(self, document: str, principals: Sequence[str]) -> None:
        """Give all entries of the document other principals. Raises ChannelFailed."""

        def write(writer: IndexWriter, searcher: Searcher) -> None:
            entries = _entries(searcher, Query.term_query(self._opened().schema, schema.DOCUMENT, document, "basic"))
            writer.delete_documents_by_term(schema.DOCUMENT, document)
            for entry in entries:
                writer.add_document(schema.rewritten(entry, principals=principals))

        await self._write(write, reads=True)

    async def delete_version(self, version: str) -> None:
        """Forget a version's entries; their text goes with the next merge or deletion. Raises ChannelFailed."""
        await self._write(lambda writer, _: writer.delete_documents_by_term(schema.VERSION_ID, version))

    async def delete_document(self, document: str) -> None:
        """Forget a document's entries and remove their text from the files. Raises ChannelFailed.

        tantivy only marks entries as deleted, so the segments that hold marked ones are rewritten, slice by slice.
        """
        await self._write(lambda writer, _: writer.delete_documents_by_term(schema.DOCUMENT, document))
        while await self._write(self._rewrite_slice, reads=True):
            pass

    async def _write(self, operation: Operation[Result], *, reads: bool = False) -> Result:
        try:
            return await self._writer.write(operation, reads=reads)
        except ChannelFailed:
            if self._is_reader or self._is_there():
                raise
        async with self._rebuilding:
            # The rows are the authority: those who published meanwhile find their chunks in the new index too.
            if not self._is_there():
                log.error("full_text.lost", folder=self._home.name)
                self._index = await self._rebuild()
                await self._writer.replace(self._index)
        return await self._writer.write(operation, reads=reads)

    def _is_there(self) -> bool:
        return (self._home / "meta.json").exists()

    async def count(self, version: str) -> int:
        """How many chunks of the version searches can find. Raises ChannelFailed."""
        return await run_in(self._reading, lambda: self._count(version))

    def _count(self, version: str) -> int:
        index = self._opened()
        searcher = index.searcher()
        query = Query.term_query(index.schema, schema.VERSION_ID, version, "basic")
        return len(searcher.search(query, max(1, searcher.num_docs), count=False).hits)

    def _match(self, principals: Sequence[str], text: str, limit: int) -> list[Hit]:
        index = self._opened()
        if self._is_reader:
            index.reload()
        return question.match(index.searcher(), index.schema, text, principals=principals, limit=limit)

    def _rewrite_slice(self, writer: IndexWriter, searcher: Searcher) -> bool:
        """Write some live entries anew whose segment holds deleted ones; false when there is none left."""
        live = _addresses_by_segment(searcher)
        dirty = _live_counts_of_dirty_segments(self._home)
        addresses = [address for segment in live.values() if len(segment) in dirty for address in segment]
        for address in addresses[:_REWRITE_SLICE]:
            entry = searcher.doc(address)
            writer.delete_documents_by_term(schema.CHUNK, schema.chunk_id(entry))
            writer.add_document(schema.rewritten(entry))
        return bool(addresses)

    def _open_existing(self) -> Index:
        if not self._home.is_dir() or not Index.exists(str(self._home)):
            raise ChannelFailed(CHANNEL, "there is no index of this version")
        index = Index.open(str(self._home))
        schema.register_analysers(index)
        return index

    async def _rebuild(self) -> Index:
        """Build beside the old one, then move it into place: a crash on the way leaves nothing that looks finished."""
        building = self._folder / "building"

        def create() -> tuple[Index, IndexWriter]:
            shutil.rmtree(self._folder, ignore_errors=True)
            building.mkdir(parents=True)
            index = Index(schema.schema(), path=str(building))
            schema.register_analysers(index)
            return index, new_writer(index)

        _index, writer = await self._writer.run(create)
        async for version in self._rows():
            await self._writer.run(functools.partial(_add_all, writer, version))

        def finish() -> Index:
            writer.commit()
            writer.wait_merging_threads()
            building.rename(self._home)
            return self._open_existing()

        return await self._writer.run(finish)

    def _opened(self) -> Index:
        if self._index is None:
            raise ChannelFailed(CHANNEL, "the index is not open")
        return self._index


def _add_all(writer: IndexWriter, version: IndexedVersion) -> None:
    for chunk in version.chunks:
        writer.add_document(schema.document(chunk, title=version.title, principals=version.principals))


def _entries(searcher: Searcher, query: Query) -> list[Document]:
    hits = searcher.search(query, max(1, searcher.num_docs), count=False).hits
    return [searcher.doc(address) for _score, address in hits]


def _addresses_by_segment(searcher: Searcher) -> dict[int, list[DocAddress]]:
    segments: dict[int, list[DocAddress]] = {}
    for _score, address in searcher.search(Query.all_query(), max(1, searcher.num_docs), count=False).hits:
        segments.setdefault(address.segment_ord, []).append(address)
    return segments


def _live_counts_of_dirty_segments(folder: Path) -> set[int]:
    """How many live entries each segment with deleted ones has.

    The files name the segments and the searcher numbers them, so the count is how they are recognised; a segment that
    happens to have the same count is rewritten for nothing.
    """
    segments = json.loads((folder / "meta.json").read_text("utf-8"))["segments"]
    return {segment["max_doc"] - segment["deletes"]["num_deleted_docs"] for segment in segments if segment["deletes"]}
