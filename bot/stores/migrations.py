"""Brings a database to the schema of this code, by alembic, as one transaction."""

from __future__ import annotations

import asyncio
from importlib import resources

import psycopg
import sqlalchemy
from alembic import command
from alembic.config import Config
from alembic.util import CommandError
from sqlalchemy.pool import NullPool

from bot.stores.errors import SchemaMismatch

# Two starters must not migrate at once; the number is ours alone and means nothing else.
LOCK = sqlalchemy.text("SELECT pg_advisory_xact_lock(7241130118)")


async def migrate(dsn: str) -> None:
    """Apply every step that the database lacks; nothing happens when it is current.

    Raises SchemaMismatch when the database is newer than this code or a pinned library differs.
    """
    await asyncio.to_thread(_migrate, dsn)


def _migrate(dsn: str) -> None:
    engine = sqlalchemy.create_engine("postgresql+psycopg://", creator=lambda: psycopg.connect(dsn), poolclass=NullPool)
    with resources.as_file(resources.files("bot.migrations")) as scripts, engine.begin() as connection:
        config = Config()
        config.set_main_option("script_location", str(scripts).replace("%", "%%"))
        config.set_main_option("path_separator", "os")
        config.attributes["connection"] = connection
        connection.execute(LOCK)
        try:
            command.upgrade(config, "head")
        except CommandError as error:
            raise SchemaMismatch(
                f"the database was written by a newer Haitang ({error}). Install that version or restore a backup."
            ) from error
