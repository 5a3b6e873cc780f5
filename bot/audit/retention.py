"""Keeps the trail as long as the setting says, by a job, once a day."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from typing import Final

import psycopg
import structlog
from psycopg_pool import AsyncConnectionPool

from bot.audit.trail import AuditTrail
from ingest.ports import Jobs

log = structlog.get_logger()

RETENTION_JOB: Final = "audit_retention"
EVERY_SECONDS: Final = 86_400.0
AGAIN_SECONDS: Final = 60.0


class Retention:
    """Forgets entries older than ``days`` by ``clock`` (aware UTC)."""

    def __init__(
        self, *, trail: AuditTrail, pool: AsyncConnectionPool, jobs: Jobs, clock: Callable[[], datetime], days: int
    ) -> None:
        self._trail = trail
        self._pool = pool
        self._jobs = jobs
        self._clock = clock
        self._days = days

    async def run(self) -> None:
        """The job."""
        forgotten = await self._trail.forget(self._clock() - timedelta(days=self._days))
        if forgotten:
            log.info("audit_shortened", entries=forgotten, days=self._days)

    async def keep(self, *, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep) -> None:
        """Have the job done now and every day, until cancelled; a database that is away is waited for."""
        while True:
            try:
                async with self._pool.connection() as connection, connection.transaction():
                    await self._jobs.enqueue(connection, RETENTION_JOB, queueing_lock=RETENTION_JOB)
            except psycopg.OperationalError as error:
                log.warning("audit_not_shortened", error=type(error).__name__)
                await sleep(AGAIN_SECONDS)
            else:
                await sleep(EVERY_SECONDS)
