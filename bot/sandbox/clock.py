"""Time as the sandbox sees it: handed in, so that tests move it."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TypeVar

T = TypeVar("T")


def _now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Clock:
    """The wall clock (aware UTC) and the way to wait, in seconds."""

    now: Callable[[], datetime] = _now
    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep

    async def within(self, seconds: float, work: Awaitable[T]) -> T:
        """The result of `work` if it comes within so many seconds, by this clock. Raises TimeoutError."""
        task, alarm = asyncio.ensure_future(work), asyncio.ensure_future(self.sleep(seconds))
        try:
            await asyncio.wait({task, alarm}, return_when=asyncio.FIRST_COMPLETED)
            if not task.done():
                raise TimeoutError
            return await task
        finally:
            # Both are waited for, so that neither is left half cancelled.
            alarm.cancel()
            task.cancel()
            await asyncio.gather(task, alarm, return_exceptions=True)

    def timestamp(self) -> float:
        """Seconds since 1970, with fractions."""
        return self.now().timestamp()
