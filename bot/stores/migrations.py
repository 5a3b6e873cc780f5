"""Brings a database to the schema of this code, by alembic, as one transaction."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import resources

import psycopg
import sqlalchemy
from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from alembic.util import CommandError
from sqlalchemy.pool import NullPool

from bot.stores.errors import SchemaMismatch

# Two starters must not migrate at once; the number is ours alone and means nothing else.
LOCK = sqlalchemy.text("SELECT pg_advisory_xact_lock(7241130118)")


class NotCurrent(SchemaMismatch):
    """The database lacks steps of this code."""


async def require_current(dsn: str) -> None:
    """Raise NotCurrent unless the database has exactly the steps of this code.

    Raises SQLAlchemy's OperationalError when the database cannot be reached.
    """
    await asyncio.to_thread(_require_current, dsn)


async def migrate(dsn: str) -> None:
    """Apply every step that the database lacks; nothing happens when it is current.

    Raises SchemaMismatch when the database is newer than this code or a pinned library differs.
    """
    await asyncio.to_thread(_migrate, dsn)


def _require_current(dsn: str) -> None:
    with _opened(dsn) as (config, connection):
        found = MigrationContext.configure(connection).get_current_revision()
        wanted = ScriptDirectory.from_config(config).get_current_head()
    if found != wanted:
        raise NotCurrent(
            f"the database is at step {found}, this Haitang needs {wanted}; run the same version as its owner"
        )


@contextmanager
def _opened(dsn: str) -> Iterator[tuple[Config, sqlalchemy.Connection]]:
    engine = sqlalchemy.create_engine("postgresql+psycopg://", creator=lambda: psycopg.connect(dsn), poolclass=NullPool)
    with resources.as_file(resources.files("bot.migrations")) as scripts, engine.begin() as connection:
        config = Config()
        config.set_main_option("script_location", str(scripts).replace("%", "%%"))
        config.set_main_option("path_separator", "os")
        config.attributes["connection"] = connection
        yield config, connection


def _migrate(dsn: str) -> None:
    with _opened(dsn) as (config, connection):
        connection.execute(LOCK)
        try:
            command.upgrade(config, "head")
        except CommandError as error:
            raise SchemaMismatch(
                f"the database was written by a newer Haitang ({error}). Install that version or restore a backup."
            ) from error
