"""Time as the sandbox sees it: handed in, so that tests move it."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime


def _now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Clock:
    """The wall clock (aware UTC) and the way to wait, in seconds."""

    now: Callable[[], datetime] = _now
    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep

    def timestamp(self) -> float:
        """Seconds since 1970, with fractions."""
        return self.now().timestamp()
