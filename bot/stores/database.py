"""The database of the data folder: ours to run when nobody owns the folder, else the owner's."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import sqlalchemy.exc

from bot.stores.errors import FolderInUse, PostgresFailed
from bot.stores.folder import DataFolder
from bot.stores.migrations import NotCurrent, migrate, require_current
from bot.stores.postgres import EmbeddedPostgres, dsn

OWNERS_ALONE = frozenset({"demo", "serve", "migrate"})
"""Commands that make no sense beside an owner: a second one is refused."""

OWNER_SECONDS = 30.0
"""How long a command beside an owner waits for its database."""


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

    Raises FolderInUse for a command of OWNERS_ALONE beside an owner, PostgresFailed or NotCurrent when the owner's
    database cannot be used, and what starting PostgreSQL raises.
    """
    folder = DataFolder(path)
    try:
        folder.own(purpose=purpose)
    except FolderInUse:
        if purpose in OWNERS_ALONE:
            raise
        yield Database(folder, await _owners(folder), None)
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


async def _owners(folder: DataFolder) -> str:
    """The connection string of the owner's database, once it answers: the owner may only just have started."""
    deadline = time.monotonic() + OWNER_SECONDS
    while True:
        try:
            found = dsn(folder.path)
            await require_current(found)
        except (PostgresFailed, NotCurrent, sqlalchemy.exc.OperationalError):
            if time.monotonic() > deadline:
                raise
        else:
            return found
        await asyncio.sleep(0.2)
