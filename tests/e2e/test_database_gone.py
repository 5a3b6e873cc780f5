"""A database that does not come back ends the bot soon and says why."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path

import pytest

from bot.bootstrap import Core, open_core
from bot.sandbox.server import Sandbox
from bot.service import open_service
from bot.stores import postgres
from bot.stores.errors import PostgresFailed
from tests.e2e.company import settings_for

SECONDS = 40
"""Less than the minute for which workers wait for a database that restarts."""


async def workers(core: Core) -> int:
    async with core.pool.connection() as connection:
        ((count,),) = await (await connection.execute("SELECT count(*) FROM procrastinate_workers")).fetchall()
    return int(count)


async def test_a_database_that_keeps_dying_ends_the_service(
    office: Sandbox, short_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres, "RESTARTS_ALLOWED", 0)
    settings = settings_for(office, short_folder / "dying")
    async with open_core(settings, purpose="serve") as core, open_service(core) as service:
        core.pool.timeout = 2.0  # who waits for a connection while the pool is closed waits on: half a minute otherwise
        running = asyncio.create_task(service.run())
        async with asyncio.timeout(SECONDS):
            while await workers(core) < 3:  # noqa: ASYNC110 - rows have no event
                await asyncio.sleep(0.05)
            assert core.database.server is not None
            assert core.database.server.pid is not None
            os.kill(core.database.server.pid, signal.SIGKILL)
            with pytest.raises(ExceptionGroup) as ended:
                await running
        assert ended.value.subgroup(PostgresFailed)
