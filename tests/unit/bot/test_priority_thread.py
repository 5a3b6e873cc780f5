"""The encoder's thread: urgent work first."""

import asyncio
import os
import sys
import threading

import pytest

from bot.models.priority_thread import Priority, PriorityThread


@pytest.fixture
async def thread():
    opened = PriorityThread(name="test")
    opened.open()
    yield opened
    await opened.aclose()


async def test_gives_the_result_and_the_exception(thread):
    assert await thread.run(Priority.QUESTION, lambda: 7) == 7
    with pytest.raises(ZeroDivisionError):
        await thread.run(Priority.QUESTION, lambda: 1 / 0)
    assert await thread.run(Priority.QUESTION, lambda: 8) == 8


async def test_urgent_first_then_in_order_of_arrival(thread):
    gate, done = threading.Event(), []
    blocker = asyncio.create_task(thread.run(Priority.INDEXING, gate.wait))
    await asyncio.sleep(0)
    works = [
        asyncio.create_task(thread.run(priority, lambda name=name: done.append(name)))
        for name, priority in (
            ("upload 1", Priority.INDEXING),
            ("upload 2", Priority.INDEXING),
            ("question 1", Priority.QUESTION),
            ("question 2", Priority.QUESTION),
        )
    ]
    await asyncio.sleep(0)
    gate.set()
    await asyncio.gather(blocker, *works)
    assert done == ["question 1", "question 2", "upload 1", "upload 2"]


async def test_cancelled_work_is_never_run(thread):
    gate, done = threading.Event(), []
    blocker = asyncio.create_task(thread.run(Priority.INDEXING, gate.wait))
    await asyncio.sleep(0)
    work = asyncio.create_task(thread.run(Priority.INDEXING, lambda: done.append("ran")))
    await asyncio.sleep(0)
    work.cancel()
    await asyncio.sleep(0)
    gate.set()
    await blocker
    await thread.run(Priority.INDEXING, lambda: None)
    assert done == []


async def test_closing_finishes_what_was_asked_for():
    thread, done = PriorityThread(name="test"), []
    thread.open()
    work = asyncio.create_task(thread.run(Priority.INDEXING, lambda: done.append("ran")))
    await asyncio.sleep(0)
    await thread.aclose()
    await work
    assert done == ["ran"]


async def test_closed_takes_no_work(thread):
    await thread.aclose()
    with pytest.raises(RuntimeError, match="not open"):
        await thread.run(Priority.QUESTION, lambda: None)


@pytest.mark.skipif(sys.platform != "linux", reason="threads have a niceness of their own on Linux alone")
async def test_the_thread_gives_way_to_the_event_loop(thread: PriorityThread) -> None:
    def niceness() -> int:
        return os.getpriority(os.PRIO_PROCESS, threading.get_native_id())

    assert await thread.run(Priority.INDEXING, niceness) > niceness()
