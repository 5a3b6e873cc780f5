"""Deletion: at once from all that is found or shown, then from the index and the originals, with a receipt."""

from __future__ import annotations

from typing import Any, Final

import structlog
from psycopg import AsyncConnection
from psycopg.rows import DictRow, dict_row
from psycopg.types.json import Jsonb
from psycopg_pool import AsyncConnectionPool

from ingest.model import Receipt
from ingest.ports import Answers, FullTextWriter, Jobs, Objects
from permissions.audit import acting

log = structlog.get_logger()

PURGE_JOB: Final = "purge"
"""Name of the job that cleans the other stores; its argument is ``document``."""

# The row stays for old evidence to point at, without its names. Its key stays as it is, so that a reading under way,
# whose rows refer to it, is not waited for.
MARK_DELETED: Final = """
UPDATE documents
   SET deleted_at = now(), active_version = NULL, title = '', mimetype = '', permalink = NULL, source_id = ''
 WHERE document_id = %(document)s AND deleted_at IS NULL
RETURNING team
"""

# Object keys stay until the purge has looked at them, and where the reading was told of until that is taken back.
EMPTY_VERSIONS: Final = """
UPDATE versions SET state = 'DELETED', cause = NULL, report = '{}' WHERE document_id = %(document)s
"""

DROP_UNITS: Final = """
DELETE FROM units USING versions
 WHERE units.version_id = versions.version_id AND versions.document_id = %(document)s
"""

DROP_CHUNKS: Final = "DELETE FROM chunks WHERE document_id = %(document)s"

DROP_GRANTS: Final = "DELETE FROM grants WHERE document_id = %(document)s"

# Ids, numbers and places stay: an old answer still says that something stood here.
EMPTY_EVIDENCE: Final = (
    "UPDATE evidence SET excerpt = '', title = '' WHERE document_id = %(document)s AND excerpt <> ''"
)

# Withdrawals of answers lock them in this order, and before all else.
LOCK_ANSWERS: Final = """
SELECT FROM runs
 WHERE run_id IN (SELECT run_id FROM evidence_sets JOIN evidence USING (evidence_set_id)
                   WHERE evidence.document_id = %(document)s)
 ORDER BY run_id FOR NO KEY UPDATE
"""

# Answers quote their evidence, so an answer that stood on this document goes with it, and so does what Slack was given
# of it. Its messages are edited by the job that the answers hear of.
EMPTY_ANSWERS: Final = """
WITH quoting AS (SELECT DISTINCT run_id FROM evidence_sets JOIN evidence USING (evidence_set_id)
                  WHERE evidence.document_id = %(document)s),
     messages AS (UPDATE posts SET content = '{}' FROM quoting
                   WHERE posts.run_id = quoting.run_id AND content <> '{}')
UPDATE runs SET answer = '' FROM quoting WHERE runs.run_id = quoting.run_id AND answer <> ''
"""

WRITE_RECEIPT: Final = """
INSERT INTO deletion_receipts (document_id, team, requested_by, removed)
VALUES (%(document)s, %(team)s, %(by)s, %(removed)s)
"""

READ_RECEIPT: Final = """
SELECT document_id, requested_by, deleted_at, removed, purged_at FROM deletion_receipts WHERE document_id = %(document)s
"""

LIST_OBJECTS: Final = """
SELECT DISTINCT object_key FROM versions WHERE document_id = %(document)s AND object_key IS NOT NULL
"""

# The lock that the pipeline holds while it stores an original and notes its key.
LOCK_OBJECT: Final = "SELECT pg_advisory_xact_lock(hashtextextended(%(key)s, 0))"

# The same bytes may be those of another document.
IS_USED: Final = "SELECT EXISTS (SELECT FROM versions WHERE object_key = %(key)s AND state <> 'DELETED')"

FORGET_OBJECT: Final = "UPDATE versions SET object_key = NULL WHERE document_id = %(document)s AND object_key = %(key)s"

CLOSE_RECEIPT: Final = """
UPDATE deletion_receipts SET removed = removed || %(removed)s, purged_at = now()
 WHERE document_id = %(document)s AND purged_at IS NULL
"""


class Deletion:
    """Removes documents from every store. ``answers`` hear of it."""

    def __init__(
        self,
        *,
        pool: AsyncConnectionPool,
        jobs: Jobs,
        full_text: FullTextWriter,
        objects: Objects,
        answers: Answers,
    ) -> None:
        self._answers = answers
        self._pool = pool
        self._jobs = jobs
        self._full_text = full_text
        self._objects = objects

    async def delete(self, document: str, *, by: str) -> Receipt | None:
        """Delete the document; from now on nobody finds or opens it. None for an unknown id.

        The purge of the index and the original follows by a job; a document that was deleted before gives its receipt.
        """
        async with self._pool.connection() as connection, connection.transaction():
            await acting(connection, by)
            row = await (await connection.execute(MARK_DELETED, {"document": document})).fetchone()
            if row is not None:
                removed = await _remove_rows(connection, document)
                values = {"document": document, "team": row[0], "by": by, "removed": Jsonb(removed)}
                await connection.execute(WRITE_RECEIPT, values)
                await self._jobs.enqueue(connection, PURGE_JOB, lock=document, document=document)
                await self._answers.documents_changed([document], connection=connection)
                log.info("document_deleted", document=document, **removed)
        return await self.receipt(document)

    async def receipt(self, document: str) -> Receipt | None:
        """What was removed; None for a document that was not deleted."""
        async with self._pool.connection() as connection, connection.cursor(row_factory=dict_row) as cursor:
            await cursor.execute(READ_RECEIPT, {"document": document})
            row: DictRow | None = await cursor.fetchone()
        if row is None:
            return None
        return Receipt(row["document_id"], row["requested_by"], row["deleted_at"], row["removed"], row["purged_at"])

    async def purge(self, *, document: str) -> None:
        """The job: clean the index, the originals, and the rows that a reading under way had still written."""
        await self._full_text.delete_document(document)
        async with self._pool.connection() as connection, connection.transaction():
            await _remove_rows(connection, document)
            keys = await (await connection.execute(LIST_OBJECTS, {"document": document})).fetchall()
        removed = 0
        for (key,) in keys:
            removed += await self._purge_object(document, key)
        async with self._pool.connection() as connection:
            values = {"document": document, "removed": Jsonb({"originals": removed})}
            await connection.execute(CLOSE_RECEIPT, values)

    async def _purge_object(self, document: str, key: str) -> bool:
        async with self._pool.connection() as connection, connection.transaction():
            await connection.execute(LOCK_OBJECT, {"key": key})
            used = await (await connection.execute(IS_USED, {"key": key})).fetchone()
            is_last = used == (False,)
            if is_last:
                await self._objects.delete(key)
            await connection.execute(FORGET_OBJECT, {"document": document, "key": key})
        return is_last


async def _remove_rows(connection: AsyncConnection[Any], document: str) -> dict[str, int]:
    """Remove or empty every row that holds text or rights of the document; numbers of rows by name."""
    await connection.execute(LOCK_ANSWERS, {"document": document})
    statements = {
        "versions": EMPTY_VERSIONS,
        "units": DROP_UNITS,
        "chunks": DROP_CHUNKS,
        "grants": DROP_GRANTS,
        "evidence": EMPTY_EVIDENCE,
        "answers": EMPTY_ANSWERS,
    }
    return {
        name: (await connection.execute(statement, {"document": document})).rowcount
        for name, statement in statements.items()
    }
