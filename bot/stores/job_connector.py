"""procrastinate's connection to PostgreSQL, patient while the server restarts."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable
from typing import Any, LiteralString, TypeVar

import psycopg
import structlog
from procrastinate import PsycopgConnector
from procrastinate.connector import Notify
from procrastinate.exceptions import ConnectorException
from psycopg_pool import PoolClosed

log = structlog.get_logger()
T = TypeVar("T")

PATIENCE_SECONDS = 60.0
"""How long a worker waits for a restarting server before it gives up and stops the process."""

PAUSE_SECONDS = 0.2


class PatientConnector(PsycopgConnector):
    """Asks again while the server is away, so that a restart neither ends a worker nor loses a job's end.

    A statement whose answer was lost may have run. That is harmless for each of procrastinate's: a job that was taken
    without our knowing is found by the sweep of :class:`bot.jobs.Jobs`, and ending a job twice is refused.
    """

    async def execute_query_async(self, query: LiteralString, **arguments: Any) -> None:
        await _patiently(lambda: super(PatientConnector, self).execute_query_async(query, **arguments))

    async def execute_query_one_async(self, query: LiteralString, **arguments: Any) -> dict[str, Any]:
        return await _patiently(lambda: super(PatientConnector, self).execute_query_one_async(query, **arguments))

    async def execute_query_all_async(self, query: LiteralString, **arguments: Any) -> list[dict[str, Any]]:
        return await _patiently(lambda: super(PatientConnector, self).execute_query_all_async(query, **arguments))

    async def listen_notify(self, on_notification: Notify, channels: Iterable[str]) -> None:
        """Listen until cancelled; procrastinate's own listener ends unnoticed when it cannot connect again."""
        while True:
            await _patiently(lambda: super(PatientConnector, self).listen_notify(on_notification, channels))


async def _patiently(statement: Callable[[], Awaitable[T]]) -> T:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            return await statement()
        except ConnectorException as error:
            if not _is_passing(error.__cause__) or time.monotonic() > deadline:
                raise
            log.info("jobs_wait_for_database", error=type(error.__cause__).__name__)
        await asyncio.sleep(PAUSE_SECONDS)


def _is_passing(cause: BaseException | None) -> bool:
    """Whether waiting can help: the connection was lost or refused, but not because we closed the pool."""
    return isinstance(cause, psycopg.OperationalError | psycopg.InterfaceError) and not isinstance(cause, PoolClosed)
