"""How long the first load of a company of 10,000 people and 5,000 channels takes inside Slack's tiers, and whether it
ever trips one, against the local Slack's own counting. Time passes only when somebody waits for a turn."""

from __future__ import annotations

import asyncio
import random
import shutil
import time
from collections import Counter
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

from psycopg_pool import AsyncConnectionPool
from slack_sdk.web.async_client import AsyncWebClient

from bot.sandbox.clock import Clock
from bot.sandbox.server import Sandbox
from bot.stores.migrations import migrate
from bot.stores.postgres import EmbeddedPostgres
from handlers.adapters.workspace import SlackWorkspace
from handlers.reading_pace import ReadPace
from permissions.adapters.postgres import PgDirectory
from permissions.sync import WorkspaceSync
from tests.benchmarks.company import folder
from tests.benchmarks.figures import Figure, percentile

BEGAN = datetime(2026, 11, 30, 6, tzinfo=UTC)
MAX_AGE = timedelta(hours=24)
PEOPLE, CHANNELS, MEMBERSHIPS = 10_000, 5_000, 200
QUESTION_EVERY = 5.0
"""Seconds between two questions that are asked meanwhile, each in a channel by chance."""


class Time:
    """Seconds that pass when somebody waits."""

    def __init__(self) -> None:
        self.now = 0.0
        self.waits = 0

    def __call__(self) -> float:
        return self.now

    def date(self) -> datetime:
        return BEGAN + timedelta(seconds=self.now)

    async def sleep(self, seconds: float) -> None:
        self.now += seconds
        self.waits += 1


@dataclass
class Sweeping:
    """What became of a first load. ``calls`` counts them by method, ``limited`` those that Slack refused as too many;
    ``waits`` are the seconds that questions waited for their turns."""

    hours: float = 0.0
    calls: Counter[str] = field(default_factory=Counter)
    limited: int = 0
    waits: list[float] = field(default_factory=list)


def furnish(sandbox: Sandbox, *, people: int, channels: int, memberships: int) -> list[str]:
    """Everybody in #all, and each person in ``memberships`` channels by chance, the bot in all; the channels' ids."""
    workspace, chance = sandbox.context.workspace, random.Random(7)  # noqa: S311 - the same each time
    users = [workspace.add_person(f"p{number}", real_name=f"P {number}").id for number in range(people)]
    inside: list[list[str]] = [[] for _ in range(channels)]
    for user in users:
        for channel in chance.sample(range(channels), memberships):
            inside[channel].append(user)
    bot = workspace.app.user
    workspace.add_conversation("public", name="all", members=(*users, bot))
    return [
        workspace.add_conversation("private", name=f"c{number}", members=(*members, bot)).id
        for number, members in enumerate(inside)
    ]


async def sweep(
    pool: AsyncConnectionPool, *, people: int, channels: int, memberships: int, page_cap: int = 1_000
) -> Sweeping:
    """A first load with questions meanwhile. ``page_cap`` is the most that Slack gives on one page."""
    clock, found = Time(), Sweeping()
    async with Sandbox(clock=Clock(now=clock.date, sleep=asyncio.sleep), page_cap=page_cap) as sandbox:
        rooms = furnish(sandbox, people=people, channels=channels, memberships=memberships)
        async with Questions(sandbox, pool, clock, rooms) as questions:
            await questions.sync.load(sandbox.context.workspace.app.team)
        found.hours, found.calls, found.limited = clock.now / 3600, questions.calls, questions.limited
        found.waits = questions.waits
    return found


class Questions:
    """Asks while the sweep waits for its turns, and counts all calls."""

    def __init__(self, sandbox: Sandbox, pool: AsyncConnectionPool, clock: Time, rooms: list[str]) -> None:
        self._sandbox = sandbox
        self._clock = clock
        self._rooms = rooms
        self._chance = random.Random(8)  # noqa: S311 - the same each time
        self._next = QUESTION_EVERY
        self.calls: Counter[str] = Counter()
        self.limited = 0
        self.waits: list[float] = []
        self._client = AsyncWebClient(token=sandbox.bot_token, base_url=sandbox.api_url, timeout=120)
        slack = SlackWorkspace(client=self._client, pace=ReadPace(clock=clock, sleep=self._wait), sleep=clock.sleep)
        self.sync = WorkspaceSync(
            source=slack,
            background=slack.behind(),
            directory=PgDirectory(pool=pool, clock=clock.date),
            clock=clock.date,
            max_age=MAX_AGE,
            patience=600,
            sleep=clock.sleep,
        )

    async def __aenter__(self) -> Questions:
        return self

    async def __aexit__(self, *_: object) -> None:
        self._count()

    async def _wait(self, seconds: float) -> None:
        await self._clock.sleep(seconds)
        if self._clock.waits % 500 == 0:
            self._count()
        if self._clock.now >= self._next:
            self._next = float("inf")
            await self._ask()
            self._next = self._clock.now + QUESTION_EVERY

    async def _ask(self) -> None:
        team, workspace = self._sandbox.context.workspace.app.team, self._sandbox.context.workspace
        room = self._chance.choice(self._rooms)
        before = self._clock.now
        await self.sync.ensure_known(team, room, workspace.conversations[room].members[0])
        self.waits.append(self._clock.now - before)

    def _count(self) -> None:
        # The sandbox keeps the last 2,000 calls alone.
        calls = self._sandbox.context.calls
        self.calls.update(call["method"] for call in calls)
        self.limited += sum(call["status"] == 429 for call in calls)
        calls.clear()


async def measure() -> list[Figure]:
    """Hours at Slack's tiers, refused calls, and what questions wait, for pages of 1,000 members and of 100."""
    place = await asyncio.to_thread(folder)
    server = EmbeddedPostgres(place / "data", durable=False)
    await server.open()
    figures: list[Figure] = []
    try:
        await migrate(server.dsn())
        for page_cap in (1_000, 100):
            async with AsyncConnectionPool(server.dsn(), min_size=1, open=False) as pool:
                began = time.monotonic()
                size = {"people": PEOPLE, "channels": CHANNELS, "memberships": MEMBERSHIPS}
                figures += _figures(await sweep(pool, **size, page_cap=page_cap), f"pages of {page_cap}")
                figures.append(_figure(f"pages of {page_cap}: our own time", (time.monotonic() - began) / 60, "min"))
                await _empty(pool)
    finally:
        await server.aclose()
        await asyncio.to_thread(shutil.rmtree, place)
    return figures


def _figures(found: Sweeping, name: str) -> list[Figure]:
    return [
        _figure(f"{name}: first load at Slack's tiers", found.hours, "h", goal=6),
        _figure(f"{name}: calls", sum(found.calls.values()), ""),
        _figure(f"{name}: calls refused as too many", found.limited, "", goal=0),
        replace(_figure(f"{name}: a question waits, P95", percentile(found.waits, 0.95), "s"),
                repetitions=len(found.waits)),
    ]  # fmt: skip


def _figure(name: str, value: float, unit: str, *, goal: float | None = None) -> Figure:
    return Figure(name=name, value=value, unit=unit, goal=goal, better="lower", repetitions=1)


async def _empty(pool: AsyncConnectionPool) -> None:
    async with pool.connection() as connection:
        await connection.execute("TRUNCATE people, workspaces, conversations, memberships, departures, sweeps")
