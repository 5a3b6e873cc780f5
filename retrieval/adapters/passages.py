"""The authority on what a scope may read: text leaves PostgreSQL only through here."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC
from typing import Any

import numpy as np
from psycopg.rows import DictRow, dict_row
from psycopg_pool import AsyncConnectionPool

from permissions.model import AccessScope
from retrieval.adapters.translation import translated
from retrieval.model import Modality, Passage, Place, ReadBy, Span, UnitText

# Rights, deletion and the active version, decided in the same statement that reads the text.
_READABLE = """
      FROM chunks AS chunk
      JOIN documents AS document
        ON document.document_id = chunk.document_id AND document.active_version = chunk.version_id
      JOIN versions AS version ON version.version_id = chunk.version_id
      JOIN units AS unit ON unit.version_id = chunk.version_id AND unit.ordinal = chunk.unit
     WHERE chunk.chunk_id = ANY (%(chunks)s)
       AND document.team = %(team)s
       AND document.deleted_at IS NULL
       AND version.published_at IS NOT NULL
       AND EXISTS (
               SELECT FROM grants
                WHERE grants.document_id = document.document_id AND grants.principal = ANY (%(principals)s)
           )
"""
_IDS = f"SELECT chunk.chunk_id {_READABLE}"
_LOAD = f"""
    SELECT chunk.chunk_id, chunk.document_id, chunk.version_id, chunk.unit, chunk.text, chunk.context, chunk.place,
           chunk.sentences, chunk.sentence_vectors, document.title, version.number, version.modality,
           version.published_at, unit.read_by
    {_READABLE}
"""

# A superseded version may still be opened from an old answer, by those whom the document is open to today.
_UNIT = """
    SELECT unit.text, unit.place, document.active_version = unit.version_id AS is_current
      FROM units AS unit
      JOIN versions AS version ON version.version_id = unit.version_id
      JOIN documents AS document ON document.document_id = version.document_id
     WHERE unit.version_id = %(version)s
       AND unit.ordinal = %(unit)s
       AND document.team = %(team)s
       AND document.deleted_at IS NULL
       AND version.published_at IS NOT NULL
       AND EXISTS (
               SELECT FROM grants
                WHERE grants.document_id = document.document_id AND grants.principal = ANY (%(principals)s)
           )
"""


class PgPassages:
    """``retrieval.ports.Passages``, and the surroundings of a passage."""

    def __init__(self, *, pool: AsyncConnectionPool) -> None:
        self._pool = pool

    async def readable(self, scope: AccessScope, chunk_ids: Sequence[str]) -> frozenset[str]:
        """Those of ``chunk_ids`` that the scope may read now. Raises ChannelFailed as ``load`` does."""
        arguments = {"chunks": list(chunk_ids), "team": scope.team, "principals": scope.principal_names()}
        return frozenset(row["chunk_id"] for row in await self._rows(_IDS, arguments))

    async def load(self, scope: AccessScope, chunk_ids: Sequence[str]) -> list[Passage]:
        """Those of ``chunk_ids``, in their order, that the scope may read now; the rest is left out.

        Raises ChannelFailed when the rights cannot be checked.
        """
        arguments = {"chunks": list(chunk_ids), "team": scope.team, "principals": scope.principal_names()}
        rows = {row["chunk_id"]: row for row in await self._rows(_LOAD, arguments)}
        return [_passage(rows[chunk_id]) for chunk_id in dict.fromkeys(chunk_ids) if chunk_id in rows]

    async def around(self, scope: AccessScope, *, version: str, unit: int) -> UnitText | None:
        """The whole unit (page, slide, section …) of a version that is or was published; None when not for the scope.

        Raises ChannelFailed when the rights cannot be checked.
        """
        arguments = {"version": version, "unit": unit, "team": scope.team, "principals": scope.principal_names()}
        rows = await self._rows(_UNIT, arguments)
        if not rows:
            return None
        return UnitText(rows[0]["text"], Place.from_json(rows[0]["place"]), is_current=bool(rows[0]["is_current"]))

    async def _rows(self, statement: str, arguments: dict[str, Any]) -> list[DictRow]:
        with translated("passages"):
            async with self._pool.connection() as connection, connection.cursor(row_factory=dict_row) as cursor:
                await cursor.execute(statement, arguments)
                return await cursor.fetchall()


def _passage(row: DictRow) -> Passage:
    edges = row["sentences"]
    spans = tuple(Span(start, end) for start, end in zip(edges[::2], edges[1::2], strict=True))
    vectors = np.frombuffer(row["sentence_vectors"], np.float16).astype(np.float32)
    return Passage(
        chunk_id=row["chunk_id"],
        document=row["document_id"],
        version=row["version_id"],
        version_number=row["number"],
        unit=row["unit"],
        title=row["title"],
        text=row["text"],
        context=row["context"],
        place=Place.from_json(row["place"]),
        read_by=ReadBy(row["read_by"]),
        modality=Modality(row["modality"]),
        published_at=row["published_at"].astimezone(UTC).isoformat(timespec="seconds"),
        sentences=spans,
        sentence_vectors=vectors.reshape(len(spans), -1) if spans else vectors.reshape(0, 0),
    )
