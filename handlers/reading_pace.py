"""How often Slack is read from: within the tier of each method, and questions before sweeps.

Slack counts each method by itself, per app and workspace: Tier 2 is about 20 calls a minute, Tier 3 50, Tier 4 100
(slack.md, Limits). A token bucket per method stays within nine tenths of that. Sweeps leave half of a bucket to
questions and events, and these may take what will only be there soon: a sweep waits until they have had it.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final

PER_MINUTE: Final = {
    "users.list": 20,
    "usergroups.list": 20,
    "usergroups.users.list": 20,
    "users.conversations": 50,
    "conversations.info": 50,
    "conversations.members": 100,
    "users.info": 100,
}
_OTHERS_PER_MINUTE: Final = 50
_SHARE: Final = 0.9
_BURST: Final = 1 / 4
"""Of a minute's calls. Slack allows short bursts and does not say how short."""


@dataclass(slots=True)
class _Bucket:
    """``tokens`` below zero are promised to those who wait."""

    rate: float
    burst: float
    tokens: float
    as_of: float

    def refill(self, now: float) -> None:
        if now > self.as_of:
            self.tokens = min(self.burst, self.tokens + (now - self.as_of) * self.rate)
            self.as_of = now

    def seconds_until(self, tokens: float, now: float) -> float:
        # A millionth for the rounding of floats.
        missing = tokens - self.tokens
        return max(0.0, self.as_of - now) + (missing / self.rate if missing > 1e-6 else 0.0)


class ReadPace:
    """Turns to call a method. ``clock`` is monotonic seconds."""

    def __init__(
        self,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._clock = clock
        self._sleep = sleep
        self._buckets: dict[str, _Bucket] = {}

    async def turn(self, method: str, *, in_background: bool) -> None:
        """Return when the method may be called."""
        bucket = self._bucket(method)
        if in_background:
            await self._wait_behind(bucket)
            return
        bucket.refill(self._clock())
        bucket.tokens -= 1
        try:
            if (wait := bucket.seconds_until(0, self._clock())) > 0:
                await self._sleep(wait)
        except BaseException:
            # Whoever gives up waiting hands the turn back.
            bucket.tokens += 1
            raise

    def hold(self, method: str, seconds: float) -> None:
        """Slack refused a turn and said to wait: its own bucket holds that one by then, and no more."""
        bucket, now = self._bucket(method), self._clock()
        bucket.refill(now)
        bucket.tokens, bucket.as_of = min(bucket.tokens + 1, 1.0), max(bucket.as_of, now + seconds)

    async def _wait_behind(self, bucket: _Bucket) -> None:
        wanted = 1 + bucket.burst / 2
        while True:
            now = self._clock()
            bucket.refill(now)
            wait = bucket.seconds_until(wanted, now)
            if wait <= 0:
                bucket.tokens -= 1
                return
            await self._sleep(wait)

    def _bucket(self, method: str) -> _Bucket:
        if method not in self._buckets:
            per_minute = PER_MINUTE.get(method, _OTHERS_PER_MINUTE)
            burst = per_minute * _BURST
            # Full: a small workspace is known at once. What Slack refuses after a quick restart is waited out.
            self._buckets[method] = _Bucket(per_minute * _SHARE / 60, burst, burst, self._clock())
        return self._buckets[method]
