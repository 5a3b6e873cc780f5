"""How often Slack is written to: one budget of edits that all running answers share, one of posts per conversation.

Slack counts chat.update per app and workspace: Tier 3, about 50 a minute, and shorter bursts than that (slack.md). The
budget is a token bucket whose burst and refill together stay within 50 in any minute. Progress edits leave a token for
the end of each running answer, and are spaced the wider the emptier the bucket is and the more answers run. Urgent
ones, which take away what may not be read any more, come before all others.

chat.postMessage is counted per channel: about one a second, with bursts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

CLOSEST_S = 0.6
"""Seconds between two progress edits of one answer when nothing else goes on: faster is not read anyway."""


@dataclass(slots=True, eq=False)
class Lane:
    """One answer's place in the budget; ``last`` is when it was edited last."""

    last: float | None = None
    is_urgent: bool = False


@dataclass(slots=True, kw_only=True)
class EditBudget:
    """Hands out edits. ``clock`` is monotonic seconds; nothing here waits: callers sleep for what they are told."""

    clock: Callable[[], float]
    burst: int = 16
    per_minute: float = 34.0
    _tokens: float = field(init=False)
    _as_of: float = field(init=False)
    _lanes: set[Lane] = field(default_factory=set, init=False)
    _held_until: float = field(default=float("-inf"), init=False)

    def __post_init__(self) -> None:
        if self.burst < 2 or self.per_minute <= 0:
            raise ValueError(f"a burst of {self.burst} and {self.per_minute} edits a minute leave nothing in reserve")
        self._tokens, self._as_of = float(self.burst), self.clock()

    def join(self, *, urgent: bool = False) -> Lane:
        """A lane for an answer that starts; while an ``urgent`` one is there, a token is left for it."""
        lane = Lane(is_urgent=urgent)
        self._lanes.add(lane)
        return lane

    def leave(self, lane: Lane) -> None:
        """The answer has ended; leaving twice is fine."""
        self._lanes.discard(lane)

    def take_progress(self, lane: Lane) -> float:
        """Take one progress edit: 0.0 when taken, else the seconds to wait before asking again."""
        now = self._refill()
        reserve = min(len(self._lanes), self.burst - 1)
        return self._take(lane, now, max(self._wait_for(1 + reserve, now), self._gap_left(lane, now)))

    def take_final(self, lane: Lane) -> float:
        """Take one final edit, from the reserve too: 0.0 when taken, else the seconds to wait before asking again."""
        now = self._refill()
        first = 0 if lane.is_urgent else sum(other.is_urgent for other in self._lanes)
        return self._take(lane, now, self._wait_for(1 + first, now))

    def hold(self, seconds: float) -> None:
        """Slack said to wait: nobody edits for that long, and nothing is left in the bucket by then."""
        now = self._refill()
        self._held_until = max(self._held_until, now + seconds)
        self._tokens, self._as_of = min(self._tokens, 1.0), max(self._as_of, self._held_until)

    def _refill(self) -> float:
        now = self.clock()
        if now > self._as_of:
            self._tokens = min(float(self.burst), self._tokens + (now - self._as_of) * self.per_minute / 60)
            self._as_of = now
        return now

    def _take(self, lane: Lane, now: float, wait: float) -> float:
        if wait > 0:
            return wait
        self._tokens -= 1
        lane.last = now
        return 0.0

    def _wait_for(self, tokens: int, now: float) -> float:
        """Seconds until the bucket holds ``tokens`` and no hold is on; a millionth for the rounding of floats."""
        missing = tokens - self._tokens
        held = max(0.0, self._held_until - now)
        return held if missing <= 1e-6 else held + missing * 60 / self.per_minute

    def _gap_left(self, lane: Lane, now: float) -> float:
        """Seconds until this answer's next progress edit: CLOSEST_S with a full bucket, with an empty one its fair
        share of the refill, which the running answers divide."""
        if lane.last is None:
            return 0.0
        emptiness = 1 - self._tokens / self.burst
        fair = max(CLOSEST_S, len(self._lanes) * 60 / self.per_minute)
        return lane.last + CLOSEST_S + (fair - CLOSEST_S) * emptiness - now


@dataclass(slots=True, kw_only=True)
class PostBudget:
    """Turns to post, handed out in order (the generic cell rate algorithm: a conversation's entry is the time at which
    its bucket will be full again). ``clock`` is monotonic seconds; callers sleep for what they are told.

    Urgent posts (placeholders) may use the whole burst, others leave ``reserve`` of it to them.
    """

    clock: Callable[[], float]
    burst: int = 18
    reserve: int = 10
    every_s: float = 1.0
    _full_at: dict[str, float] = field(default_factory=dict, init=False)

    def take(self, conversation: str, *, urgent: bool = False) -> float:
        """Take a turn to post there; the seconds until it comes."""
        now = self.clock()
        full_at = max(now, self._full_at.get(conversation, now))
        self._full_at = {name: at for name, at in self._full_at.items() if at > now}
        self._full_at[conversation] = full_at + self.every_s
        ahead = (self.burst if urgent else self.burst - self.reserve) - 1
        return max(0.0, full_at - ahead * self.every_s - now)

    def hold(self, conversation: str, seconds: float) -> None:
        """Slack said to wait: its own bucket is empty, and a turn comes in ``seconds``."""
        empty_until = self.clock() + seconds + (self.burst - 1) * self.every_s
        self._full_at[conversation] = max(self._full_at.get(conversation, 0.0), empty_until)
