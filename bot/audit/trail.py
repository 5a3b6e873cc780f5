"""The audit trail in PostgreSQL: appended to, read in order, and shortened by its retention alone."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import datetime
from typing import Any, Final

from psycopg import AsyncConnection
from psycopg.rows import dict_row
from psycopg.types.json import Jsonb
from psycopg_pool import AsyncConnectionPool

from permissions.audit import Action, AuditEntry

APPEND: Final = """
INSERT INTO audit (team, action, actor, run_id, conversation, document_id, details)
VALUES (%(team)s, %(action)s, %(actor)s, %(run)s, %(conversation)s, %(document)s, %(details)s)
"""

# In the order in which they were written; an open end means all up to now.
READ: Final = """
SELECT entry_id AS entry, noted_at AS at, action, actor, run_id AS run, conversation, document_id AS document, details
  FROM audit
 WHERE team = %(team)s
   AND (%(since)s::timestamptz IS NULL OR noted_at >= %(since)s)
   AND (%(until)s::timestamptz IS NULL OR noted_at < %(until)s)
 ORDER BY entry_id
"""

FORGET: Final = "SELECT forget_audit(%(before)s)"

TEAMS: Final = "SELECT DISTINCT team FROM audit WHERE noted_at < %(before)s"

PAGE: Final = 1000
"""Entries that are fetched at a time: the whole trail is never in memory."""


class AuditTrail:
    """Satisfies :class:`permissions.audit.Audit`. Raises the database's errors: what raises was not noted."""

    def __init__(self, *, pool: AsyncConnectionPool) -> None:
        self._pool = pool

    async def note(self, entry: AuditEntry, *, connection: AsyncConnection[Any] | None = None) -> None:
        """Append the entry; with ``connection`` it stands or falls with the caller's transaction."""
        row = {
            "team": entry.team,
            "action": entry.action,
            "actor": entry.actor,
            "run": entry.run,
            "conversation": entry.conversation,
            "document": entry.document,
            "details": Jsonb(dict(entry.details)),
        }
        if connection is not None:
            await connection.execute(APPEND, row)
            return
        async with self._pool.connection() as own:
            await own.execute(APPEND, row)

    async def entries(
        self, team: str, *, since: datetime | None = None, until: datetime | None = None
    ) -> AsyncIterator[dict[str, Any]]:
        """The workspace's entries in order, as they are exported; fetched as they are taken."""
        values = {"team": team, "since": since, "until": until}
        async with self._pool.connection() as connection:
            cursor = connection.cursor("audit_entries", row_factory=dict_row)
            async with cursor:
                cursor.itersize = PAGE
                await cursor.execute(READ, values)
                async for row in cursor:
                    yield row

    async def forget(self, before: datetime) -> int:
        """Drop the entries from before then, the last day's excepted; that it was done is noted. Returns how many."""
        async with self._pool.connection() as connection, connection.transaction():
            teams = await (await connection.execute(TEAMS, {"before": before})).fetchall()
            row = await (await connection.execute(FORGET, {"before": before})).fetchone()
            forgotten = int(row[0]) if row else 0
            for (team,) in teams if forgotten else ():
                details = {"before": before.isoformat(), "entries": forgotten}
                entry = AuditEntry(action=Action.RETENTION, team=team, actor="retention", details=details)
                await self.note(entry, connection=connection)
        return forgotten
