"""Where the workspace outlives a restart: one table of JSON records in an SQLite file."""

import asyncio
import json
import sqlite3
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from bot.sandbox.model import Json

CREATE = """
CREATE TABLE IF NOT EXISTS record (kind TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (kind, key))
"""
# The newest state of a thing replaces the older one.
PUT = """
INSERT INTO record (kind, key, value) VALUES (?, ?, ?) ON CONFLICT (kind, key) DO UPDATE SET value = excluded.value
"""
DROP = "DELETE FROM record WHERE kind = ? AND key = ?"
# In the order in which things first came to be.
ALL = "SELECT kind, key, value FROM record ORDER BY rowid"


class Journal:
    """Writes records one after another on a thread of its own, so that the event loop never waits for the disk.

    Without a path the records live in memory and end with the process.
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path
        # One thread: it owns the connection and keeps the order of the writes.
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="sandbox-journal")
        self._connection: sqlite3.Connection | None = None

    async def open(self) -> list[tuple[str, str, Json]]:
        """Open the file and return every record as (kind, key, value)."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, lambda: list(self._load()))

    def put(self, kind: str, key: str, value: Json) -> None:
        """Write one record soon; the value is read now, later changes of it do not count."""
        self._thread.submit(self._execute, PUT, (kind, key, json.dumps(value, ensure_ascii=False)))

    def drop(self, kind: str, key: str) -> None:
        """Remove one record soon."""
        self._thread.submit(self._execute, DROP, (kind, key))

    async def written(self) -> None:
        """Return when everything put and dropped so far is in the file."""
        await asyncio.get_running_loop().run_in_executor(self._thread, lambda: None)

    async def aclose(self) -> None:
        """Finish the writes that were asked for and close the file."""
        loop = asyncio.get_running_loop()
        await loop.run_in_executor(self._thread, self._close)
        self._thread.shutdown()

    def _load(self) -> Iterator[tuple[str, str, Json]]:
        # isolation_level None: each statement is its own transaction, so a killed process loses no acknowledged write.
        self._connection = sqlite3.connect(self._path or ":memory:", isolation_level=None)
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("PRAGMA synchronous = NORMAL")
        self._connection.execute(CREATE)
        for kind, key, value in self._connection.execute(ALL):
            yield kind, key, json.loads(value)

    def _execute(self, statement: str, values: tuple[str, ...]) -> None:
        if self._connection is None:
            raise RuntimeError("open() comes first")
        self._connection.execute(statement, values)

    def _close(self) -> None:
        if self._connection is not None:
            self._connection.close()
