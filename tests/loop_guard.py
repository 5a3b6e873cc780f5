"""Fails a test that blocks the event loop, whoever's code does it.

A step of the loop is charged the processor time of its own thread: other processes on a busy machine don't count, so
the limit means the same everywhere. Waiting costs no processor time, so ``time.sleep`` on the loop is refused as such.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator

import pytest

LIMIT_SECONDS = 0.5
"""Ten times what the product allows itself (docs/benchmarks.md measures that): tests build files and import modules."""

_slow: list[str] = []


def _timed_run(self: asyncio.Handle) -> None:
    began = time.thread_time()
    _run(self)
    spent = time.thread_time() - began
    if spent > LIMIT_SECONDS:
        _slow.append(f"{spent:.2f} s of processor time in one step: {self!r}")


_run = asyncio.Handle._run
_sleep = time.sleep


def _sleep_off_the_loop(seconds: float) -> None:
    if asyncio._get_running_loop() is not None:
        raise AssertionError("time.sleep blocks the event loop; await asyncio.sleep, or sleep in a thread")
    _sleep(seconds)


@pytest.fixture(scope="session", autouse=True)
def _watched_loop() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(asyncio.Handle, "_run", _timed_run)
        patch.setattr(time, "sleep", _sleep_off_the_loop)
        yield


@pytest.fixture(autouse=True)
def _unblocked_loop(_watched_loop: None) -> Iterator[None]:
    _slow.clear()
    yield
    assert not _slow, "the event loop was blocked:\n" + "\n".join(_slow)
