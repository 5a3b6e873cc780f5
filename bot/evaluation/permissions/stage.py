"""Where the proof runs: one set of stores and models, and many workspaces on it, each with a Slack and a bot."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import aiohttp
from psycopg_pool import AsyncConnectionPool
from pydantic import SecretStr

from bot.bootstrap import Core, beside, open_core
from bot.config import RoleSettings, Settings
from bot.sandbox.clock import Clock
from bot.sandbox.server import Sandbox
from bot.sandbox.state import Workspace
from bot.service import Pace, Service, open_service
from permissions.roles import Place, Role

Furnish = Callable[[Workspace], None]
"""Brings people and conversations into an empty workspace."""

FASTER = 60.0
"""How many times faster the time of Slack's tiers and of the bot's pacing runs: both keep their proportions."""

REST_SECONDS = 120.0
"""A bot that has not come to rest by then has something that never ends."""

LOOK_SECONDS = 0.02
"""How long between two looks at whether bots are at rest; one look is for all of them."""

EVERYBODY = RoleSettings(
    guests=Role.CONTRIBUTOR, outsiders=Role.CONTRIBUTOR, guests_ask=Place.ANYWHERE, outsiders_ask=Place.ANYWHERE
)
"""Roles say who may do something, rights what they may read: here all may do all that they can be given."""

# The bots that have jobs which wait or run; those that failed for good are over.
BUSY = """
SELECT DISTINCT split_part(task_name, '@', 2) FROM procrastinate_jobs WHERE status IN ('todo', 'doing')
"""


class NeverAtRest(Exception):
    """The bot goes on working though nothing happens any more."""


class FastTime:
    """Time that runs ``FASTER`` than ours."""

    def __init__(self) -> None:
        self._began, self._began_at = time.monotonic(), datetime.now(UTC)

    def seconds(self) -> float:
        """Monotonic seconds."""
        return (time.monotonic() - self._began) * FASTER

    def now(self) -> datetime:
        """The wall clock, begun at our own."""
        return self._began_at + timedelta(seconds=self.seconds())

    async def sleep(self, seconds: float) -> None:
        """Wait for so many of its seconds."""
        await asyncio.sleep(seconds / FASTER)


class JobWatch:
    """Knows which bots have jobs, from one look at a time, however many wait for it."""

    def __init__(self, pool: AsyncConnectionPool) -> None:
        self._pool = pool
        self._next: asyncio.Task[frozenset[str]] | None = None

    async def has_jobs(self, mark: str) -> bool:
        """Whether this bot has jobs, by a look that begins after the call."""
        if self._next is None:
            self._next = asyncio.create_task(self._look(), name="look at the jobs")
        return mark in await asyncio.shield(self._next)

    async def _look(self) -> frozenset[str]:
        await asyncio.sleep(LOOK_SECONDS)
        self._next = None  # whoever comes while PostgreSQL looks waits for the look after this one
        async with self._pool.connection() as connection:
            rows = await (await connection.execute(BUSY)).fetchall()
        return frozenset(name for (name,) in rows)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bot:
    """A bot in a workspace of its own."""

    sandbox: Sandbox
    service: Service
    mark: str
    jobs: JobWatch

    @property
    def core(self) -> Core:
        return self.service.core

    @property
    def workspace(self) -> Workspace:
        return self.sandbox.context.workspace

    @property
    def team(self) -> str:
        return self.mark

    async def rest(self) -> None:
        """Return when it has done all that events, clicks and jobs asked of it. Raises NeverAtRest."""
        try:
            async with asyncio.timeout(REST_SECONDS):
                while not await self._is_at_rest():
                    pass
        except TimeoutError:
            raise NeverAtRest(f"{self.mark} is still working after {REST_SECONDS:g} s") from None

    async def sweep(self) -> None:
        """Read the whole workspace again, as the service does from time to time."""
        await self.service.sync.load(self.team)

    async def _is_at_rest(self) -> bool:
        # Events and clicks make jobs: whoever had none of either before the look, and has none after it, is at rest.
        was_idle = self._is_idle()
        return not await self.jobs.has_jobs(self.mark) and was_idle and self._is_idle()

    def _is_idle(self) -> bool:
        return self.sandbox.context.delivery.is_idle and not self.service.app.is_acting


class Stage:
    """Opens bots on ``core``; its jobs are worked by whoever has opened the stage."""

    def __init__(self, *, core: Core, session: aiohttp.ClientSession) -> None:
        self.core = core
        self.session = session
        self._time = FastTime()
        self._jobs = JobWatch(core.pool)

    @asynccontextmanager
    async def bot(self, team: str, furnish: Furnish) -> AsyncIterator[Bot]:
        """A workspace as ``furnish`` makes it, and a bot that has just been installed there and has read it once."""
        rates = Clock(now=self._time.now, sleep=self._time.sleep)
        async with AsyncExitStack() as stack:
            sandbox = await stack.enter_async_context(Sandbox(team=team, rates=rates))
            furnish(sandbox.context.workspace)
            core = beside(self.core, settings=_settings(self.core.settings, sandbox), mark=team)
            pace = Pace(clock=self._time.seconds, sleep=self._time.sleep)
            service = await stack.enter_async_context(open_service(core, pace=pace))
            await service.app.connect()
            bot = Bot(sandbox=sandbox, service=service, mark=team, jobs=self._jobs)
            await bot.sweep()
            yield bot


def _settings(settings: Settings, sandbox: Sandbox) -> Settings:
    slack = {
        "slack_api_url": sandbox.api_url,
        "slack_bot_token": SecretStr(sandbox.bot_token),
        "slack_app_token": SecretStr(sandbox.app_token),
    }
    return settings.model_copy(update=slack)


@asynccontextmanager
async def open_stage(folder: Path) -> AsyncIterator[Stage]:
    """Stores in ``folder``, models, and the workers of the jobs of all bots."""
    async with (
        open_core(Settings(data=folder, roles=EVERYBODY), purpose="eval permissions") as core,
        aiohttp.ClientSession() as session,
    ):
        working = asyncio.create_task(core.jobs.work(), name="jobs")
        try:
            yield Stage(core=core, session=session)
        finally:
            working.cancel()
            await asyncio.wait([working])
