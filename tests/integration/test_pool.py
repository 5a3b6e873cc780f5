"""The pool of connections under cancellation."""

from __future__ import annotations

import asyncio

import pytest
from psycopg_pool import AsyncConnectionPool

from bot.stores.pool import ConnectionPool


async def test_a_cancellation_that_comes_with_the_connection_counts(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    getconn = AsyncConnectionPool.getconn

    async def cancelled_meanwhile(self: AsyncConnectionPool, timeout: float | None = None) -> object:  # noqa: ASYNC109
        task = asyncio.current_task()
        assert task is not None
        connection = await getconn(self, timeout)
        # What asyncio.wait_for of Python 3.11 does: the request is counted, and its exception lost.
        task.cancel()
        try:
            await asyncio.sleep(0)
        except asyncio.CancelledError:
            return connection
        raise AssertionError

    async def use(pool: ConnectionPool) -> str:
        async with pool.connection():
            return "used"

    async with ConnectionPool(database_url, min_size=1, max_size=1) as pool:
        with monkeypatch.context() as patch:
            patch.setattr(AsyncConnectionPool, "getconn", cancelled_meanwhile)
            task = asyncio.create_task(use(pool))
            await asyncio.wait([task])
        assert task.cancelled()
        assert await use(pool) == "used", "the only connection went back"
