"""The database of the data folder: ours to run when nobody owns the folder, else the owner's."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from bot.stores.errors import FolderInUse
from bot.stores.folder import DataFolder
from bot.stores.migrations import migrate
from bot.stores.postgres import EmbeddedPostgres, dsn

OWNERS_ALONE = frozenset({"demo", "serve", "migrate"})
"""Commands that make no sense beside an owner: a second one is refused."""


@dataclass(frozen=True, slots=True)
class Database:
    """Where the database is. ``server`` is None beside an owner."""

    folder: DataFolder
    dsn: str
    server: EmbeddedPostgres | None

    @property
    def is_owner(self) -> bool:
        return self.server is not None


@asynccontextmanager
async def open_database(path: Path, *, purpose: str) -> AsyncIterator[Database]:
    """Own the folder, start PostgreSQL and migrate it; or find the owner's.

    Raises FolderInUse for a command of OWNERS_ALONE beside an owner, and what starting PostgreSQL raises.
    """
    folder = DataFolder(path)
    try:
        folder.own(purpose=purpose)
    except FolderInUse:
        if purpose in OWNERS_ALONE:
            raise
        yield Database(folder, dsn(folder.path), None)
        return
    try:
        server = EmbeddedPostgres(folder.path)
        try:
            await server.open()
            await migrate(server.dsn())
            yield Database(folder, server.dsn(), server)
        finally:
            await server.aclose()
    finally:
        folder.release()
