"""How many files are still being read that an answer might have drawn on."""

from __future__ import annotations

from typing import Any, Final

from psycopg import AsyncConnection
from psycopg_pool import AsyncConnectionPool

from ingest.model import FINAL_STATES
from permissions.model import AccessScope

COUNT_BEING_READ: Final = """
    -- Only what every reader of the answer may see is counted: that there is a file at all is a matter of rights.
    SELECT count(DISTINCT document.document_id)
      FROM documents AS document
      JOIN versions AS version ON version.document_id = document.document_id
     WHERE document.team = %(team)s
       AND document.deleted_at IS NULL
       AND version.state <> ALL (%(final_states)s)
       AND EXISTS (
               SELECT FROM grants
                WHERE grants.document_id = document.document_id AND grants.principal = ANY (%(principals)s)
           )
"""


class FilesBeingRead:
    """Counts in PostgreSQL, which knows every file from the moment that it is registered."""

    def __init__(self, *, pool: AsyncConnectionPool[AsyncConnection[Any]]) -> None:
        self._pool = pool

    async def count(self, scope: AccessScope) -> int:
        """Files within the scope that have a version which is neither published nor given up."""
        values = {
            "team": scope.team,
            "principals": scope.principal_names(),
            "final_states": [str(state) for state in FINAL_STATES],
        }
        async with self._pool.connection() as connection:
            cursor = await connection.execute(COUNT_BEING_READ, values)
            row = await cursor.fetchone()
        return int(row[0]) if row else 0
