"""Brings events and interactions to the app: when, how often, and over which transport."""

import asyncio
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, Protocol

import structlog

from bot.sandbox.clock import Clock
from bot.sandbox.manifest import Manifest
from bot.sandbox.model import App, Json

log = structlog.get_logger()

# The Events API retries three times: at once, after a minute, after five minutes.
RETRY_DELAYS = (0.0, 60.0, 300.0)
# How long an app may take to acknowledge, in seconds.
ACK_WITHIN = 3.0
# An event with nobody connected is kept as long as its last retry would take.
KEEP_UNCONNECTED = sum(RETRY_DELAYS)

PayloadKind = Literal["events_api", "interactive"]


class NotAcknowledged(Exception):
    """The app did not take a payload; `reason` is Slack's word for why (http_timeout, http_error, timeout …)."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """The how-manieth retry this is (0: the first delivery) and why the one before failed."""

    number: int = 0
    reason: str = ""


class Transport(Protocol):
    """A way to the app."""

    async def wait_ready(self) -> None:
        """Return when somebody is there to take a payload."""
        ...

    async def deliver(self, kind: PayloadKind, payload: Json, attempt: Attempt) -> Json | None:
        """Hand over one payload; return what the acknowledgement says. Raises NotAcknowledged."""
        ...


@dataclass(slots=True)
class Redelivery:
    """A fault to play: events of one type arrive again, `times` in all, perhaps under new event ids."""

    type: str
    times: int
    fresh_event_id: bool


class Delivery:
    """Delivers each event in a task of its own, retried as Slack retries; interactions once."""

    def __init__(self, *, app: App, manifest: Manifest, transport: Transport, clock: Clock) -> None:
        self.transport = transport
        self.redeliveries: list[Redelivery] = []
        # Faults to play: all events but what people say are lost, or kept back until they are let go.
        self.is_losing = False
        self.is_holding = False
        self._held: list[Json] = []
        # An app that is not installed hears nothing.
        self.is_muted = app.refusal is not None
        self._app = app
        self._manifest = manifest
        self._clock = clock
        self._tasks: set[asyncio.Task[None]] = set()

    def event(self, event: Json, *, is_shared: bool = False) -> None:
        """Deliver an event soon, if the app subscribes to it; returns at once.

        `is_shared`: it comes from a channel shared with another team.
        """
        if self.is_muted or not self._manifest.tells(event):
            return
        payload = self._envelope(event) | {"is_ext_shared_channel": is_shared}
        if self.is_losing and not _is_said(event):
            return
        if self.is_holding and not _is_said(event):
            self._held.append(payload)
            return
        self._start(payload)
        for fault in [one for one in self.redeliveries if one.type == event["type"]]:
            self.redeliveries.remove(fault)
            for _ in range(fault.times):
                self._start({**payload, "event_id": _event_id()} if fault.fresh_event_id else payload)

    def foreign(self, event: Json, *, team: str) -> None:
        """Deliver an event as if it came from another workspace, where the app is not installed."""
        theirs = {"team_id": team, "context_team_id": team, "is_ext_shared_channel": False}
        authorization = {"enterprise_id": None, "team_id": team, "user_id": "U0ELSEWHERE", "is_bot": True}
        self._start({**self._envelope(event), **theirs, "authorizations": [authorization]})

    @property
    def is_idle(self) -> bool:
        """Whether nothing is on its way to the app; what is held back does not count."""
        return not self._tasks

    def let_go(self, reorder: Callable[[list[Json]], None] = lambda _: None) -> None:
        """Deliver what was held back, in the order that ``reorder`` brings the list into, and hold nothing more."""
        self.is_holding, held, self._held = False, self._held, []
        reorder(held)
        for payload in held:
            self._start(payload)

    async def interact(self, payload: Json) -> Json | None:
        """Deliver an interaction once, for Slack never retries one. Raises NotAcknowledged."""
        return await self.transport.deliver("interactive", payload, Attempt())

    async def aclose(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _start(self, payload: Json) -> None:
        task = asyncio.create_task(self._deliver(payload), name=f"sandbox-event-{payload['event_id']}")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _deliver(self, payload: Json) -> None:
        attempt = Attempt()
        for delay in (*RETRY_DELAYS, None):
            if not await self._somebody_there():
                break
            try:
                await self.transport.deliver("events_api", payload, attempt)
            except NotAcknowledged as error:
                attempt = Attempt(number=attempt.number + 1, reason=error.reason)
            else:
                return
            if delay is not None:
                await self._clock.sleep(delay)
        log.warning("sandbox_event_lost", event_type=payload["event"]["type"], attempts=attempt.number)

    async def _somebody_there(self) -> bool:
        """Wait for a connection; False when the event has waited longer than Slack would keep it."""
        try:
            await self._clock.within(KEEP_UNCONNECTED, self.transport.wait_ready())
        except TimeoutError:
            return False
        return True

    def _envelope(self, event: Json) -> Json:
        whole = self._app.enterprise is not None
        bot = {"enterprise_id": self._app.enterprise, "user_id": self._app.user, "is_bot": True}
        return {
            "type": "event_callback",
            "team_id": self._app.team,
            "context_team_id": self._app.team,
            "context_enterprise_id": self._app.enterprise,
            "api_app_id": self._app.id,
            "event": event,
            "event_id": _event_id(),
            "event_time": int(self._clock.timestamp()),
            "authorizations": [
                {**bot, "team_id": None if whole else self._app.team, "is_enterprise_install": whole},
            ],
        }


def _is_said(event: Json) -> bool:
    """A message of a person, and its twin."""
    return event["type"] in ("message", "app_mention") and event.get("subtype") in (None, "file_share")


def _event_id() -> str:
    return f"Ev{secrets.token_hex(5).upper()}"
