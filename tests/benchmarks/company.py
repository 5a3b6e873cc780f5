"""A large company for measuring scopes: who is in which channel, made in the database and the same every time."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import psutil
from psycopg_pool import AsyncConnectionPool

from bot.stores.migrations import migrate
from bot.stores.postgres import EmbeddedPostgres
from permissions.adapters.coverage import PgCoverage
from permissions.scopes import ScopeBuilder

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
WARM_UP = 10
"""Questions before the measured ones: statements get prepared, and what askers hold gets built."""

# Everybody is in ALL and in `memberships` channels drawn by a square, so that a few are huge and most are small.
#   MANY: a private channel of 1,500; MOST: a public one of nine in ten.
#   W: ten channels that cover MANY; N: ten that lack MANY's last reader alone; H: ten that hold half of it.
#   E: three that cover even MOST; L: three that all but one full member are in.
COMPANY = """
    SELECT setseed(0.42);
    INSERT INTO workspaces VALUES ('T', %(now)s);
    INSERT INTO people (team, user_id, home_team, confirmed_at)
        SELECT 'T', 'U' || lpad(p::text, 8, '0'), 'T', %(now)s FROM generate_series(1, %(people)s) p;
    INSERT INTO conversations (team, conversation_id, kind, confirmed_at, members_confirmed_at)
        SELECT 'T', 'C' || lpad(c::text, 8, '0'), 'private', %(now)s, %(now)s
        FROM generate_series(0, %(channels)s - 1) c
        UNION ALL SELECT 'T', k, CASE k WHEN 'MANY' THEN 'private' ELSE 'public' END, %(now)s, %(now)s
        FROM unnest(ARRAY['MANY', 'MOST', 'ALL']) k
        UNION ALL SELECT 'T', k || n, 'private', %(now)s, %(now)s
        FROM unnest(ARRAY['W', 'N', 'H', 'E', 'L']) k, generate_series(1, 10) n;
    CREATE TEMPORARY TABLE chosen AS
        SELECT DISTINCT 'C' || lpad(floor(%(channels)s * random() ^ 2)::int::text, 8, '0') AS c, p
        FROM generate_series(1, %(people)s) p, generate_series(1, %(memberships)s) n
        UNION ALL SELECT 'MANY', p FROM generate_series(1, 1500) p
        UNION ALL SELECT 'W' || n, p FROM generate_series(1, 10) n, generate_series(1, 3000) p
        UNION ALL SELECT 'N' || n, p FROM generate_series(1, 10) n, generate_series(1, 3000) p WHERE p <> 1500
        UNION ALL SELECT 'H' || n, p FROM generate_series(1, 10) n, generate_series(1, 3000) p
        WHERE p NOT BETWEEN 751 AND 1500
        UNION ALL SELECT 'ALL', p FROM generate_series(1, %(people)s) p
        UNION ALL SELECT 'MOST', p FROM generate_series(1, %(people)s * 9 / 10) p
        UNION ALL SELECT 'E' || n, p FROM generate_series(1, 3) n, generate_series(1, %(people)s) p
        UNION ALL SELECT 'L' || n, p FROM generate_series(1, 3) n, generate_series(1, %(people)s - 1) p;
    INSERT INTO memberships (team, conversation_id, user_id, confirmed_at)
        SELECT 'T', c, 'U' || lpad(p::text, 8, '0'), %(now)s FROM chosen WHERE p <= %(people)s ORDER BY c, p;
    DROP TABLE chosen
"""


@dataclass(frozen=True, slots=True)
class Company:
    """The rows of one company."""

    pool: AsyncConnectionPool

    @property
    def builder(self) -> ScopeBuilder:
        return ScopeBuilder(coverage=PgCoverage(pool=self.pool), clock=lambda: NOW, max_age=timedelta(days=1))

    async def time(self, place: str | None, *, askers: int) -> list[float]:
        """Milliseconds of a scope for so many of the people there, after a warm-up."""
        members = await self._members(place or "ALL", askers)
        async with self.pool.connection() as connection:
            # As the server does by itself within a minute.
            await connection.execute("ANALYZE rosters, roster_changes, crowds")
        builder, took = self.builder, []
        for asker in [*members[:WARM_UP], *members, *members]:
            began = time.perf_counter()
            scope = await builder.scope(team="T", asker=asker, conversation=place)
            took.append((time.perf_counter() - began) * 1000)
            if not scope.principals or scope.limits:
                raise RuntimeError(f"{place}: the company is not what it should be: {scope}")
        # The first round builds what each of them holds; the second is what it costs from then on.
        return took[-len(members) :]

    async def work(self, place: str | None, *, askers: int) -> float:
        """Milliseconds of processor time that PostgreSQL spends on a scope, which other work on the machine moves less
        than it moves the clock."""
        await self.time(place, askers=askers)
        async with self.pool.connection() as connection:
            server = psutil.Process(connection.info.backend_pid)
        before = server.cpu_times()
        # The second of two rounds, and the rounds of the warm-up: all of it is built by now.
        await self.time(place, askers=askers)
        after = server.cpu_times()
        spent = after.user + after.system - before.user - before.system
        return spent * 1000 / (2 * askers + min(WARM_UP, askers))

    async def first(self, place: str, *, askers: int) -> list[float]:
        """Milliseconds of the first question of so many people, when nothing of what they hold is built."""
        async with self.pool.connection() as connection:
            await connection.execute("DELETE FROM rosters")
        took = []
        for asker in await self._members(place, askers):
            began = time.perf_counter()
            await self.builder.scope(team="T", asker=asker, conversation=place)
            took.append((time.perf_counter() - began) * 1000)
        return took

    async def place_of(self, readers: int) -> str:
        """The channel whose size is nearest to so many readers."""
        return str(
            await self._one(
                "SELECT conversation_id FROM memberships WHERE conversation_id LIKE 'C%%' GROUP BY 1"
                " ORDER BY abs(count(*) - %s) LIMIT 1",
                readers,
            )
        )

    async def size(self, place: str) -> int:
        return int(str(await self._one("SELECT count(*) FROM memberships WHERE conversation_id = %s", place)))

    async def keep(self, asker_memberships: int, place: str) -> None:
        """Let everybody in the place be in at most so many channels."""
        async with self.pool.connection() as connection:
            await connection.execute(
                "DELETE FROM memberships m USING (SELECT user_id, conversation_id, row_number() OVER"
                " (PARTITION BY user_id ORDER BY conversation_id = %s DESC, md5(conversation_id)) AS n FROM memberships"
                " WHERE user_id IN (SELECT user_id FROM memberships WHERE conversation_id = %s)) AS x"
                " WHERE m.user_id = x.user_id AND m.conversation_id = x.conversation_id AND x.n > %s",
                [place, place, asker_memberships],
            )

    async def _members(self, place: str, count: int) -> list[str]:
        async with self.pool.connection() as connection:
            cursor = await connection.execute(
                "SELECT user_id FROM memberships WHERE conversation_id = %s ORDER BY md5(user_id) LIMIT %s",
                [place, count],
            )
            return [user for (user,) in await cursor.fetchall()]

    async def _one(self, statement: str, *values: object) -> object:
        async with self.pool.connection() as connection:
            row = await (await connection.execute(statement, values)).fetchone()
        if row is None:
            raise RuntimeError("the company is empty")
        return row[0]


@asynccontextmanager
async def company(*, people: int, channels: int, memberships: int) -> AsyncIterator[Company]:
    """Found a company on a database of its own, which goes with it."""
    place = await asyncio.to_thread(folder)
    server = EmbeddedPostgres(place / "data", durable=False)
    await server.open()
    try:
        await migrate(server.dsn())
        async with AsyncConnectionPool(
            server.dsn(), min_size=1, max_size=1, open=False, kwargs={"autocommit": True}
        ) as pool:
            given = {"now": NOW, "people": people, "channels": channels, "memberships": memberships}
            async with pool.connection() as connection:
                for statement in COMPANY.split(";\n"):
                    await connection.execute(statement, given)
                await connection.execute("VACUUM ANALYZE")
            yield Company(pool)
    finally:
        await server.aclose()
        await asyncio.to_thread(shutil.rmtree, place)


def folder() -> Path:
    """A new one, open to the account that PostgreSQL runs as."""
    made = Path(tempfile.mkdtemp(prefix="ht-"))
    made.chmod(0o755)
    return made
