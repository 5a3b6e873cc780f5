"""What the full-text index must hold, read from the rows: for building it anew."""

from __future__ import annotations

from collections.abc import AsyncIterator

from psycopg.rows import DictRow, dict_row
from psycopg_pool import AsyncConnectionPool

from retrieval.adapters.translation import translated
from retrieval.model import Chunk, IndexedVersion, Place, Span

# Versions that serve, and those that had reached the indices on their way to being published.
_VERSIONS = """
    SELECT version.version_id, document.title,
           ARRAY (SELECT principal FROM grants WHERE grants.document_id = document.document_id ORDER BY principal)
               AS principals
      FROM versions AS version
      JOIN documents AS document ON document.document_id = version.document_id
     WHERE document.deleted_at IS NULL
       AND (document.active_version = version.version_id OR version.state IN ('INDEXED', 'READY'))
     ORDER BY version.version_id
"""

_CHUNKS = """
    SELECT chunk_id, document_id, version_id, unit, ordinal, text, context, place
      FROM chunks
     WHERE version_id = %(version)s
     ORDER BY ordinal
"""


class PgIndexRows:
    """The authoritative rows of the full-text index, one version after the other."""

    def __init__(self, *, pool: AsyncConnectionPool) -> None:
        self._pool = pool

    async def __call__(self) -> AsyncIterator[IndexedVersion]:
        """Every version that is or may soon be published. Raises ChannelFailed."""
        for version in await self._rows(_VERSIONS, {}):
            chunks = await self._rows(_CHUNKS, {"version": version["version_id"]})
            yield IndexedVersion(tuple(_chunk(row) for row in chunks), version["title"], tuple(version["principals"]))

    async def _rows(self, statement: str, arguments: dict[str, str]) -> list[DictRow]:
        with translated("full_text"):
            async with self._pool.connection() as connection, connection.cursor(row_factory=dict_row) as cursor:
                await cursor.execute(statement, arguments)
                return await cursor.fetchall()


def _chunk(row: DictRow) -> Chunk:
    """The chunk as the index needs it; sentences are not indexed."""
    return Chunk(
        chunk_id=row["chunk_id"],
        document=row["document_id"],
        version=row["version_id"],
        unit=row["unit"],
        ordinal=row["ordinal"],
        text=row["text"],
        context=row["context"],
        place=Place.from_json(row["place"]),
        sentences=(Span(0, len(row["text"])),),
    )
