"""Publishing: the one transaction that makes a version the one that is found."""

from __future__ import annotations

from enum import StrEnum
from typing import Any, Final

import structlog
from psycopg import AsyncConnection
from psycopg_pool import AsyncConnectionPool

from ingest.model import Version
from ingest.ports import Answers, FullTextWriter

log = structlog.get_logger()

# The document's row is held until the end: a deletion or another publication waits or is seen.
LOCK_DOCUMENT: Final = """
SELECT active_version FROM documents WHERE document_id = %(document)s AND deleted_at IS NULL FOR UPDATE
"""

# A statement of its own: whoever had to wait for the row would not see, in the same one, the version that was published
# meanwhile.
NUMBER: Final = "SELECT number FROM versions WHERE version_id = %(version)s"

# What the rows hold of the version: its chunks, and how many of them have the vectors of this encoder.
CONFIRM_ROWS: Final = """
SELECT count(*), count(*) FILTER (WHERE encoder = %(encoder)s) FROM chunks WHERE version_id = %(version)s
"""

PUBLISH: Final = """
UPDATE versions SET state = 'PUBLISHED', published_at = now() WHERE version_id = %(version)s AND state = 'READY'
"""

ACTIVATE: Final = "UPDATE documents SET active_version = %(version)s WHERE document_id = %(document)s"

SUPERSEDE: Final = "UPDATE versions SET state = 'SUPERSEDED' WHERE version_id = %(version)s"

DROP_CHUNKS: Final = "DELETE FROM chunks WHERE version_id = %(version)s"

# Versions of the document whose chunks are of no use any more: superseded ones, and those that failed on their way.
OUTDATED: Final = """
SELECT version_id FROM versions
 WHERE document_id = %(document)s AND state IN ('SUPERSEDED', 'FAILED')
   AND EXISTS (SELECT FROM chunks WHERE chunks.version_id = versions.version_id)
"""


class Incomplete(Exception):
    """A store does not have the whole version; nothing was published and the old version serves on."""


class Outcome(StrEnum):
    """What publishing came to."""

    PUBLISHED = "published"
    OUTDATED = "outdated"
    """A newer version was published already; this one is superseded."""
    GONE = "gone"
    """The document was deleted, or the version moved on, meanwhile."""


class Publisher:
    """Publishes versions that every store has confirmed. ``encoder`` names whose vectors they must have.

    ``answers`` hear of versions that are superseded.
    """

    def __init__(
        self,
        *,
        pool: AsyncConnectionPool,
        full_text: FullTextWriter,
        encoder: str,
        answers: Answers,
    ) -> None:
        self._answers = answers
        self._pool = pool
        self._full_text = full_text
        self._encoder = encoder

    async def publish(self, version: Version) -> Outcome:
        """Make a READY version the active one, if rows, vectors and full text hold all of its chunks.

        Raises Incomplete when they do not.
        """
        expected = version.report.get("chunks")
        found = await self._full_text.count(version.version_id)
        if not expected or found != expected:
            raise Incomplete(f"{version.version_id}: the full-text index has {found} of {expected} chunks")
        async with self._pool.connection() as connection, connection.transaction():
            return await self._move(connection, version, expected)

    async def _move(self, connection: AsyncConnection[Any], version: Version, expected: int) -> Outcome:
        names = {"document": version.document.document_id, "version": version.version_id, "encoder": self._encoder}
        held = await (await connection.execute(LOCK_DOCUMENT, names)).fetchone()
        if held is None:
            return Outcome.GONE
        (active,) = held
        if await _number(connection, active) > version.number:
            await connection.execute(SUPERSEDE, names)
            return Outcome.OUTDATED
        counts = await (await connection.execute(CONFIRM_ROWS, names)).fetchone()
        if counts != (expected, expected):
            raise Incomplete(f"{version.version_id}: the rows have {counts} of {expected} chunks and vectors")
        if (await connection.execute(PUBLISH, names)).rowcount != 1:
            return Outcome.GONE
        if active is not None:
            await connection.execute(SUPERSEDE, {"version": active})
        await connection.execute(ACTIVATE, names)
        if active is not None:
            await self._answers.documents_changed([names["document"]], connection=connection)
        log.info("version_published", version=version.version_id, replaced=active, chunks=expected)
        return Outcome.PUBLISHED

    async def clear_outdated(self, document: str) -> None:
        """Remove from the indices what no longer serves; its units stay, old citations open on them."""
        async with self._pool.connection() as connection:
            rows = await (await connection.execute(OUTDATED, {"document": document})).fetchall()
        for (version,) in rows:
            await self._full_text.delete_version(version)
            async with self._pool.connection() as connection:
                await connection.execute(DROP_CHUNKS, {"version": version})


async def _number(connection: AsyncConnection[Any], version: str | None) -> int:
    """Versions are counted from one; 0 for none."""
    row = await (await connection.execute(NUMBER, {"version": version})).fetchone()
    return row[0] if row is not None else 0
