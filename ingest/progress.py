"""From a reader's counting to what people are shown."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

Counting = Callable[[int, int, str], None]
"""Called with how much is read, of how much, and the unit (pages, slides, sheets, seconds)."""


@asynccontextmanager
async def shown(show: Callable[[int], Awaitable[None]]) -> AsyncIterator[Counting]:
    """Yields what a reader counts with. ``show`` gets the latest percentage, one call at a time: those that change
    while it runs are passed over."""
    latest = 0
    changed = asyncio.Event()

    def count(done: int, total: int, _unit: str) -> None:
        nonlocal latest
        percent = min(100, 100 * done // max(1, total))
        if percent > latest:
            latest = percent
            changed.set()

    async def run() -> None:
        while True:
            await changed.wait()
            changed.clear()
            await show(latest)

    task = asyncio.create_task(run(), name="ingest-progress")
    try:
        yield count
    finally:
        task.cancel()
        await asyncio.wait([task])
    if not task.cancelled():
        task.result()
