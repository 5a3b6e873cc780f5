"""How often a method may be called: Slack's tiers, one allowance per method, chat.postMessage one per channel."""

from dataclasses import dataclass, field

from bot.sandbox.clock import Clock

# Calls per minute.
TIER_2, TIER_3, TIER_4 = 20, 50, 100
# chat.postMessage: about one a second and channel.
POST_PER_MINUTE = 60
# An allowance never holds more than this share of a minute's calls. Slack allows short bursts and does not say
# how short; a third of a minute is our guess.
BURST = 1 / 3


@dataclass(slots=True)
class Allowance:
    """Calls left, and when that was so (seconds)."""

    left: float
    at: float


@dataclass(slots=True)
class Tiers:
    """Allowances that refill steadily: a call takes one, and learns how long to wait when there is none."""

    clock: Clock
    allowances: dict[str, Allowance] = field(default_factory=dict)

    def take(self, key: str, *, per_minute: int) -> int:
        """0 when the call is allowed, else the whole seconds to wait (Retry-After)."""
        now = self.clock.timestamp()
        rate, burst = per_minute / 60, max(1.0, per_minute * BURST)
        allowance = self.allowances.setdefault(key, Allowance(left=burst, at=now))
        allowance.left = min(burst, allowance.left + (now - allowance.at) * rate)
        allowance.at = now
        if allowance.left >= 1:
            allowance.left -= 1
            return 0
        return int((1 - allowance.left) / rate) + 1
