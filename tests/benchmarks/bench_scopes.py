"""How long a scope takes in a company of 10,000 people, 2,000 channels and 50 memberships a person."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

from psycopg_pool import AsyncConnectionPool

from bot.stores.migrations import migrate
from bot.stores.postgres import EmbeddedPostgres
from permissions.adapters.coverage import PgCoverage
from permissions.scopes import ScopeBuilder
from tests.benchmarks.figures import Figure, percentile

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
REPETITIONS = 40

# P1 … P10000 are full members; person p is in 50 of 2,000 channels, neighbours in quite different ones. There are
# also a private channel of 1,500 and a public one of 9,000, and everybody is in ALL.
COMPANY = """
    INSERT INTO workspaces VALUES ('T', %(now)s);
    INSERT INTO people (team, user_id, home_team, confirmed_at)
        SELECT 'T', 'P' || p, 'T', %(now)s FROM generate_series(1, 10000) p;
    INSERT INTO conversations (team, conversation_id, kind, confirmed_at, members_confirmed_at)
        SELECT 'T', 'C' || c, 'private', %(now)s, %(now)s FROM generate_series(0, 1999) c
        UNION ALL SELECT 'T', 'MANY', 'private', %(now)s, %(now)s
        UNION ALL SELECT 'T', 'MOST', 'public', %(now)s, %(now)s
        UNION ALL SELECT 'T', 'ALL', 'public', %(now)s, %(now)s;
    INSERT INTO memberships (team, conversation_id, user_id, confirmed_at)
        SELECT 'T', 'C' || (p * 7919 + n * 19) %% 2000, 'P' || p, %(now)s
        FROM generate_series(1, 10000) p, generate_series(1, 50) n
        UNION ALL SELECT 'T', 'MANY', 'P' || p, %(now)s FROM generate_series(1, 1500) p
        UNION ALL SELECT 'T', 'MOST', 'P' || p, %(now)s FROM generate_series(1, 9000) p
        UNION ALL SELECT 'T', 'ALL', 'P' || p, %(now)s FROM generate_series(1, 10000) p;
"""
PLACES = {"alone": None, "a private channel of 250": "C1000", "a private channel of 1,500": "MANY",
          "a public channel of 9,000": "MOST"}  # fmt: skip


async def measure() -> list[Figure]:
    """The 95th percentile for each kind of place, in milliseconds."""
    folder = await asyncio.to_thread(_folder)
    server = EmbeddedPostgres(folder / "data", durable=False)
    await server.open()
    try:
        await migrate(server.dsn())
        async with AsyncConnectionPool(server.dsn(), min_size=1, open=False, kwargs={"autocommit": True}) as pool:
            await _fill(pool)
            return [await _figure(pool, name, place) for name, place in PLACES.items()]
    finally:
        await server.aclose()
        await asyncio.to_thread(shutil.rmtree, folder)


def _folder() -> Path:
    """Open to the account that PostgreSQL runs as."""
    folder = Path(tempfile.mkdtemp(prefix="ht-"))
    folder.chmod(0o755)
    return folder


async def _fill(pool: AsyncConnectionPool) -> None:
    async with pool.connection() as connection:
        for statement in COMPANY.split(";\n"):
            if statement.strip():
                await connection.execute(statement, {"now": NOW} if "%" in statement else None)
        await connection.execute("ANALYZE")


async def _figure(pool: AsyncConnectionPool, name: str, place: str | None) -> Figure:
    builder = ScopeBuilder(coverage=PgCoverage(pool=pool), clock=lambda: NOW, max_age=timedelta(days=1))
    async with pool.connection() as connection:
        rows = await (
            await connection.execute(
                "SELECT user_id FROM memberships WHERE conversation_id = %s ORDER BY user_id LIMIT %s",
                [place or "ALL", REPETITIONS],
            )
        ).fetchall()
    took = []
    for (asker,) in rows:
        began = time.perf_counter()
        scope = await builder.scope(team="T", asker=asker, conversation=place)
        took.append((time.perf_counter() - began) * 1000)
        if not scope.principals or scope.limits:
            raise RuntimeError(f"{name}: the company is not what it should be: {scope}")
    return Figure(
        name=f"scope, {name}, P95",
        value=percentile(took, 0.95),
        unit="ms",
        goal=250 if place == "MOST" else 50,
        better="lower",
        repetitions=len(took),
    )
