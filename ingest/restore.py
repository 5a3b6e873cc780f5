"""Publishing a content that a document had before: as a new version with the old bytes, so that numbers only grow."""

from __future__ import annotations

from typing import Any, Final

from psycopg import AsyncConnection
from psycopg_pool import AsyncConnectionPool

from ingest.model import State
from ingest.ports import Jobs
from ingest.register import INGEST_JOB, Registration
from ingest.rights import LOCK_DOCUMENT

# The versions that were found once, the newest first; not the one that is found now.
EARLIER: Final = """
SELECT version.version_id
  FROM documents AS document JOIN versions AS version USING (document_id)
 WHERE document_id = %(document)s AND published_at IS NOT NULL AND object_key IS NOT NULL
   AND version_id IS DISTINCT FROM active_version
   AND (%(number)s::integer IS NULL OR number = %(number)s)
 ORDER BY number DESC LIMIT 1
"""

# Its bytes are stored: it begins where a file that was just fetched does, and what was read of them serves again.
INSERT_AGAIN: Final = """
INSERT INTO versions (version_id, document_id, number, state, sha256, size, object_key, modality)
SELECT document_id || '-v' || next.number, document_id, next.number, %(state)s, sha256, size, object_key, modality
  FROM versions,
       (SELECT max(number) + 1 AS number FROM versions WHERE document_id = %(document)s) AS next
 WHERE version_id = %(version)s
RETURNING version_id
"""


class Restorer:
    """Brings earlier contents back. Raises psycopg's own errors."""

    def __init__(self, *, pool: AsyncConnectionPool, jobs: Jobs) -> None:
        self._pool = pool
        self._jobs = jobs

    async def restore(self, document: str, *, number: int | None = None) -> Registration | None:
        """Have version ``number`` published again, by default the latest that was before the present one.

        None when the document is gone, or has no such version that was published before.
        """
        async with self._pool.connection() as connection, connection.transaction():
            return await self._restore(connection, document, number)

    async def _restore(
        self, connection: AsyncConnection[Any], document: str, number: int | None
    ) -> Registration | None:
        names = {"document": document, "number": number, "state": State.FETCHED}
        if (await connection.execute(LOCK_DOCUMENT, names)).rowcount == 0:
            return None
        earlier = await (await connection.execute(EARLIER, names)).fetchone()
        if earlier is None:
            return None
        made = await (await connection.execute(INSERT_AGAIN, {**names, "version": earlier[0]})).fetchone()
        assert made is not None  # noqa: S101 - the version was just read in this transaction
        await self._jobs.enqueue(connection, INGEST_JOB, lock=document, version=made[0])
        return Registration(document, str(made[0]))
