"""Looks again where files are shared, for events that never arrived: at a start, then once in a while."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from typing import Final

from psycopg_pool import AsyncConnectionPool

from bot.uploads import SOURCE, LookAgain

BATCH: Final = 30
PAUSE_SECONDS: Final = 30.0
"""60 files a minute: files.info is Tier 4, 100 a minute, and events and uploads need it too (slack.md, Limits)."""

# Those that waited the longest. A file that can't be looked at now is retried by its job and stops no other.
TAKE_DUE: Final = """
UPDATE documents SET places_swept_at = %(now)s
 WHERE document_id IN (SELECT document_id FROM documents
                        WHERE team = %(team)s AND source = %(source)s AND deleted_at IS NULL
                          AND coalesce(places_swept_at, created_at) < %(before)s
                        ORDER BY coalesce(places_swept_at, created_at) LIMIT %(most)s
                          FOR UPDATE SKIP LOCKED)
RETURNING source_id
"""


class FileSweep:
    """While we were away, or Slack was, a file may have been unshared: every file is due once after a start."""

    def __init__(
        self,
        *,
        pool: AsyncConnectionPool,
        look_again: LookAgain,
        clock: Callable[[], datetime],
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._pool = pool
        self._look_again = look_again
        self._clock = clock
        self._sleep = sleep

    async def keep_fresh(self, team: str, *, every: timedelta) -> None:
        """Sweep until cancelled. Raises the database's errors."""
        began = self._clock()
        while True:
            await self.sweep(team, before=max(began, self._clock() - every))
            await self._sleep(PAUSE_SECONDS)

    async def sweep(self, team: str, *, before: datetime) -> list[str]:
        """Have a batch of files looked at that were last looked at, or learned, before then; returns their ids."""
        given = {"team": team, "source": SOURCE, "now": self._clock(), "before": before, "most": BATCH}
        async with self._pool.connection() as connection:
            rows = await (await connection.execute(TAKE_DUE, given)).fetchall()
        files = [file for (file,) in rows]
        for file_id in files:
            await self._look_again(team=team, file_id=file_id)
        return files
