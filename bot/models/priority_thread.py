"""One worker thread with a priority queue: what is urgent waits for at most the piece of work that is running."""

from __future__ import annotations

import asyncio
import concurrent.futures
import itertools
import os
import queue
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any, TypeVar

Result = TypeVar("Result")

NICENESS = 5
"""Between the event loop (0) and the parsing processes (10)."""


class Priority(IntEnum):
    """Smaller runs first."""

    QUESTION = 0
    INDEXING = 1
    STOP = 2


@dataclass(order=True)
class _Work:
    priority: Priority
    number: int
    function: Callable[[], Any] = field(compare=False)
    future: concurrent.futures.Future[Any] = field(compare=False)


class PriorityThread:
    """Runs functions one at a time, the most urgent first, in order of arrival within a priority."""

    def __init__(self, *, name: str) -> None:
        self._name = name
        self._queue: queue.PriorityQueue[_Work] = queue.PriorityQueue()
        self._numbers = itertools.count()
        self._thread: threading.Thread | None = None

    def open(self) -> None:
        """Start the thread; once."""
        self._thread = threading.Thread(target=self._work, name=self._name, daemon=True)
        self._thread.start()

    async def run(self, priority: Priority, function: Callable[[], Result]) -> Result:
        """The function's result or exception. Cancelled while it waits, it is never run.

        Raises RuntimeError when the thread is not running.
        """
        if self._thread is None:
            raise RuntimeError(f"the thread {self._name} is not open")
        return await asyncio.wrap_future(self._put(priority, function))

    async def aclose(self) -> None:
        """Finish what was asked for, then end the thread."""
        thread, self._thread = self._thread, None
        if thread is not None:
            self._put(Priority.STOP, lambda: None)
            await asyncio.to_thread(thread.join)

    def _put(self, priority: Priority, function: Callable[[], Result]) -> concurrent.futures.Future[Result]:
        future: concurrent.futures.Future[Result] = concurrent.futures.Future()
        self._queue.put(_Work(priority, next(self._numbers), function, future))
        return future

    def _work(self) -> None:
        _give_way()
        while True:
            work = self._queue.get()
            if work.priority is Priority.STOP:
                return
            if not work.future.set_running_or_notify_cancel():
                continue
            try:
                result = work.function()
            except BaseException as error:  # handed to whoever awaits it, whatever it is
                work.future.set_exception(error)
            else:
                work.future.set_result(result)
            del work  # the results must not live on while the thread waits


def _give_way() -> None:
    """Let the event loop's thread go first when both want a core. Threads that this one starts inherit it (Linux)."""
    if sys.platform == "linux":
        thread = threading.get_native_id()
        # Below where the process was started: only root may go up.
        os.setpriority(os.PRIO_PROCESS, thread, min(19, os.getpriority(os.PRIO_PROCESS, thread) + NICENESS))
