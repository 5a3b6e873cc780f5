"""Secrets that stand for something for a while: trigger ids, response addresses, links for one download."""

import secrets
from dataclasses import dataclass
from typing import Generic, TypeVar

from bot.sandbox.clock import Clock
from bot.sandbox.errors import SlackError

T = TypeVar("T")

# An expired secret is remembered for so many seconds, to be refused as expired rather than as unknown.
REMEMBERED = 60.0


@dataclass(slots=True)
class Ticket(Generic[T]):
    """What a secret stands for, until when (seconds since 1970), and how often it may still be used."""

    value: T
    until: float
    uses: int


class Tickets(Generic[T]):
    """Issues secrets that last `lasts` seconds and may be used `uses` times."""

    def __init__(self, *, clock: Clock, lasts: float, uses: int) -> None:
        self._clock = clock
        self._lasts = lasts
        self._uses = uses
        self._tickets: dict[str, Ticket[T]] = {}

    def issue(self, value: T) -> str:
        now = self._clock.timestamp()
        self._tickets = {key: one for key, one in self._tickets.items() if one.until + REMEMBERED > now}
        secret = secrets.token_hex(16)
        self._tickets[secret] = Ticket(value=value, until=now + self._lasts, uses=self._uses)
        return secret

    def redeem(self, secret: str, *, name: str) -> T:
        """What it stands for. Raises invalid_<name>, expired_<name>, exchanged_<name>."""
        ticket = self._tickets.get(secret)
        if ticket is None:
            raise SlackError(f"invalid_{name}")
        if ticket.uses == 0:
            raise SlackError(f"exchanged_{name}")
        if self._clock.timestamp() > ticket.until:
            raise SlackError(f"expired_{name}")
        ticket.uses -= 1
        return ticket.value
