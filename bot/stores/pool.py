"""Connections to PostgreSQL that survive its restarts and never lose a cancellation."""

from __future__ import annotations

import asyncio
from typing import Any

from psycopg import AsyncConnection
from psycopg_pool import AsyncConnectionPool


class ConnectionPool(AsyncConnectionPool[AsyncConnection[Any]]):
    """psycopg's pool; a connection that a restart of the server has broken is replaced before anybody gets it.

    It waits for a free connection by ``asyncio.wait_for``, which until Python 3.12 loses a cancellation that comes
    together with what it waits for: a stopped worker or a run past its deadline would simply go on.
    """

    def __init__(self, dsn: str, *, min_size: int, max_size: int, name: str = "haitang") -> None:
        super().__init__(
            dsn, min_size=min_size, max_size=max_size, name=name, open=False, check=AsyncConnectionPool.check_connection
        )

    async def getconn(self, timeout: float | None = None) -> AsyncConnection[Any]:  # noqa: ASYNC109 - as inherited
        """A connection; raises the cancellation that came while it was waited for."""
        task = asyncio.current_task()
        before = task.cancelling() if task else 0
        connection = await super().getconn(timeout)
        if task and task.cancelling() > before:
            await self.putconn(connection)
            raise asyncio.CancelledError
        return connection
