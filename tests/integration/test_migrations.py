"""The schema arrives whole, once, whoever starts first."""

from __future__ import annotations

import asyncio

import psycopg
import pytest
from psycopg.conninfo import make_conninfo
from psycopg_pool import AsyncConnectionPool

from bot.migrations.versions import v0002_jobs
from bot.stores.errors import SchemaMismatch
from bot.stores.migrations import migrate
from bot.stores.postgres import EmbeddedPostgres


@pytest.fixture
async def empty_url(postgres: EmbeddedPostgres):
    async with await psycopg.AsyncConnection.connect(postgres.dsn(), autocommit=True) as connection:
        await connection.execute("CREATE DATABASE empty")
        yield make_conninfo(postgres.dsn(), dbname="empty")
        await connection.execute("DROP DATABASE empty WITH (FORCE)")


async def tables(url: str) -> set[str]:
    async with await psycopg.AsyncConnection.connect(url) as connection:
        found = await connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
        return {name for (name,) in await found.fetchall()}


async def test_two_starters_at_once_leave_one_schema(empty_url: str) -> None:
    await asyncio.gather(migrate(empty_url), migrate(empty_url), migrate(empty_url))
    assert {"documents", "procrastinate_jobs", "alembic_version"} <= await tables(empty_url)


async def test_migrating_twice_changes_nothing(pool: AsyncConnectionPool, database_url: str) -> None:
    before = await tables(database_url)
    await migrate(database_url)
    assert await tables(database_url) == before


async def test_another_version_of_the_job_library_is_refused_and_leaves_nothing(
    empty_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.metadata.version", lambda name: "3.11.0")
    with pytest.raises(SchemaMismatch, match=f"procrastinate {v0002_jobs.VERSION} as released, 3.11.0 is installed"):
        await migrate(empty_url)
    assert await tables(empty_url) == set()


async def test_a_database_of_a_newer_version_is_refused(database_url: str) -> None:
    async with await psycopg.AsyncConnection.connect(database_url) as connection:
        await connection.execute("UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(SchemaMismatch, match="newer Haitang"):
        await migrate(database_url)
