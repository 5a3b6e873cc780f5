"""A database that restarts during a sweep ends the sweep, not the bot."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import psycopg
import pytest

from bot.service import keep_fresh


class Sweeping:
    """Loses its connection twice; the third time it is stopped from outside."""

    def __init__(self) -> None:
        self.sweeps = 0

    async def keep_fresh(self, team: str, *, every: timedelta) -> None:
        self.sweeps += 1
        if self.sweeps == 3:
            raise asyncio.CancelledError
        raise psycopg.OperationalError("server closed the connection unexpectedly")


async def test_a_sweep_without_its_database_is_begun_again() -> None:
    sync, pauses = Sweeping(), list[float]()

    async def sleep(seconds: float) -> None:
        pauses.append(seconds)

    with pytest.raises(asyncio.CancelledError):
        await keep_fresh(sync, "T1", every=timedelta(hours=6), sleep=sleep)
    assert (sync.sweeps, len(pauses)) == (3, 2)
