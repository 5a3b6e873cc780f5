"""Databases for tests: cloned from a migrated template, emptied and used again, because cloning is what takes time."""

from __future__ import annotations

import itertools

import psycopg
from psycopg.conninfo import make_conninfo

# Nobody may still write when the next test begins.
END_OTHERS = """
SELECT count(pg_terminate_backend(pid, 5000)) FROM pg_stat_activity
 WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'
"""

# What a test may have changed beside rows: then the database is not used again.
SHAPE = """
SELECT (SELECT string_agg(relname, ',' ORDER BY relname) FROM pg_class WHERE relnamespace = 'public'::regnamespace),
       (SELECT string_agg(version_num, ',') FROM alembic_version)
"""

# Rows alone, and no triggers: most tables are empty, and TRUNCATE costs more than a few rows do.
EMPTY = """
DO $$
DECLARE
    name text;
    found boolean;
BEGIN
    SET LOCAL session_replication_role = replica;
    FOR name IN SELECT quote_ident(tablename) FROM pg_tables
                 WHERE schemaname = 'public' AND tablename <> 'alembic_version'
    LOOP
        EXECUTE 'SELECT EXISTS (SELECT FROM ' || name || ')' INTO found;
        IF found THEN EXECUTE 'DELETE FROM ' || name; END IF;
    END LOOP;
END $$
"""


class Databases:
    """Gives out databases of one server; ``template`` is migrated and has no connection."""

    def __init__(self, *, server: str, template: str) -> None:
        self._server = server
        self._template = template
        self._numbers = itertools.count(1)
        self._free: list[str] = []
        self._shape: tuple[object, ...] = ()

    async def take(self) -> str:
        """The connection string of an empty database."""
        if self._free:
            return self._free.pop()
        name = f"test_{next(self._numbers)}"
        await self._on_server(f"CREATE DATABASE {name} TEMPLATE {self._template}")
        url = make_conninfo(self._server, dbname=name)
        if not self._shape:
            async with await psycopg.AsyncConnection.connect(url) as connection:
                self._shape = await _one(connection, SHAPE)
        return url

    async def give_back(self, url: str) -> None:
        """Empty the database for the next test, or drop it when more than rows has changed."""
        async with await psycopg.AsyncConnection.connect(url, autocommit=True) as connection:
            await connection.execute(END_OTHERS)
            is_same = await _one(connection, SHAPE) == self._shape
            if is_same:
                await connection.execute(EMPTY)
                self._free.append(url)
            name = connection.info.dbname
        if not is_same:
            await self._on_server(f"DROP DATABASE {name} WITH (FORCE)")

    async def _on_server(self, statement: str) -> None:
        async with await psycopg.AsyncConnection.connect(self._server, autocommit=True) as connection:
            await connection.execute(statement.encode())


async def _one(connection: psycopg.AsyncConnection[tuple[object, ...]], statement: str) -> tuple[object, ...]:
    row = await (await connection.execute(statement.encode())).fetchone()
    assert row is not None
    return row
