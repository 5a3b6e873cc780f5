"""tantivy's only writer: operations of concurrent callers share a commit, one after the other in a thread."""

from __future__ import annotations

import asyncio
import contextlib
import functools
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeVar

from tantivy import Index, IndexWriter, Searcher

from retrieval.errors import ChannelFailed

Result = TypeVar("Result")
Operation = Callable[[IndexWriter, Searcher], Result]
"""Adds and deletes entries; the searcher shows what was committed before."""

CHANNEL = "full_text"

_WRITER_BYTES = 32_000_000


@dataclass(frozen=True, slots=True)
class _Write:
    operation: Operation[Any]
    reads: bool
    done: asyncio.Future[Any]


class TantivyWriter:
    """Writes to an open index until it is closed. tantivy's lock keeps any second writer out."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(1, thread_name_prefix="full-text-writer")
        self._waiting: list[_Write] = []
        self._committing: asyncio.Task[None] | None = None
        self._index: Index | None = None
        self._writer: IndexWriter | None = None

    async def open(self, index: Index) -> None:
        """Take the index's lock. Raises ChannelFailed when another writer has it."""
        self._writer = await self.run(lambda: new_writer(index))
        self._index = index
        # Files that a merge had left behind when the last writer went.
        await self.run(self._writer.garbage_collect_files)

    async def replace(self, index: Index) -> None:
        """Go on with another index, because the files of the one that was opened are gone. Raises ChannelFailed."""
        self._writer = self._index = None
        await self.open(index)

    async def aclose(self) -> None:
        """Commit what was asked for and give the lock back."""
        if self._committing is not None:
            await asyncio.wait([self._committing])
        if self._writer is not None:
            with contextlib.suppress(ChannelFailed):  # its files may be gone
                await self.run(self._writer.wait_merging_threads)
        self._writer = self._index = None
        await asyncio.to_thread(self._threads.shutdown)

    async def run(self, function: Callable[[], Result]) -> Result:
        """Something else in the writer's thread. Raises ChannelFailed."""
        return await run_in(self._threads, function)

    async def write(self, operation: Operation[Result], *, reads: bool = False) -> Result:
        """The operation's result, once it is committed and visible; all of it happens or nothing.

        One that ``reads`` the searcher gets a commit of its own, because the searcher does not show what others of
        its batch have written. A cancelled caller's operation is carried out all the same. Raises ChannelFailed.
        """
        if self._index is None:
            raise ChannelFailed(CHANNEL, "this process has not opened the index for writing")
        write = _Write(operation, reads, asyncio.get_running_loop().create_future())
        self._waiting.append(write)
        if self._committing is None or self._committing.done():
            self._committing = asyncio.create_task(self._commit_waiting(), name="full_text.commit")
        result: Result = await asyncio.shield(write.done)
        return result

    async def _commit_waiting(self) -> None:
        while self._waiting:
            batch = self._next_batch()
            operations = [write.operation for write in batch]
            outcomes: Sequence[Any]
            try:
                outcomes = await self.run(functools.partial(self._apply, operations))
            except ChannelFailed as error:
                # Not even rolling back worked: whoever waits hears of it, and those who come next are tried.
                outcomes = [error] * len(batch)
            for write, outcome in zip(batch, outcomes, strict=True):
                if isinstance(outcome, BaseException):
                    write.done.set_exception(outcome)
                else:
                    write.done.set_result(outcome)

    def _next_batch(self) -> list[_Write]:
        size = 1
        if not self._waiting[0].reads:
            size = next((at for at, write in enumerate(self._waiting) if write.reads), len(self._waiting))
        batch, self._waiting = self._waiting[:size], self._waiting[size:]
        return batch

    def _apply(self, operations: Sequence[Operation[Any]]) -> list[Any]:
        """The operations' results, or the exceptions of those that failed; one failure does not touch the others."""
        index, writer = self._index, self._writer
        if index is None or writer is None:
            return [ChannelFailed(CHANNEL, "the index is closed")] * len(operations)
        try:
            with translated():
                results = [operation(writer, index.searcher()) for operation in operations]
                writer.commit()
        except BaseException as error:  # whatever it is, it belongs to the caller whose operation raised it
            writer.rollback()
            if len(operations) == 1:
                return [error]
            return [outcome for operation in operations for outcome in self._apply([operation])]
        index.reload()
        writer.garbage_collect_files()
        return results


def new_writer(index: Index) -> IndexWriter:
    """A writer on the index; raises ValueError when there is another."""
    return index.writer(heap_size=_WRITER_BYTES, num_threads=1)


async def run_in(threads: ThreadPoolExecutor, function: Callable[[], Result]) -> Result:
    """The function's result, computed in a thread. Raises ChannelFailed for what goes wrong in tantivy."""

    def run() -> Result:
        with translated():
            return function()

    return await asyncio.get_running_loop().run_in_executor(threads, run)


@contextlib.contextmanager
def translated() -> Iterator[None]:
    """tantivy raises ValueError for all that goes wrong in it, OSError for files, and panics on damaged ones."""
    try:
        yield
    except (ValueError, OSError) as error:
        raise ChannelFailed(CHANNEL, str(error)) from error
    except BaseException as error:
        # PyO3's PanicException derives from BaseException and cannot be imported.
        if type(error).__name__ != "PanicException":
            raise
        raise ChannelFailed(CHANNEL, "the index is damaged") from error
