"""Chunks and their vectors in PostgreSQL with pgvector."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import numpy as np
from pgvector import HalfVector
from psycopg import AsyncConnection
from psycopg.types.json import Jsonb
from psycopg_pool import AsyncConnectionPool

from permissions.model import AccessScope
from retrieval.adapters.translation import translated
from retrieval.errors import ChannelFailed
from retrieval.model import Chunk, ChunkVectors, Hit, Vector

# An exact scan of what the scope may read: the filter comes first, so it never costs recall (docs/adr/0041).
# Negative inner product of unit vectors orders as cosine distance does; ties are broken by id.
_NEAREST = """
    SELECT chunk.chunk_id, -(chunk.embedding <#> %(query)s::halfvec) AS similarity
      FROM documents AS document
      JOIN chunks AS chunk ON chunk.version_id = document.active_version
     WHERE document.team = %(team)s
       AND document.deleted_at IS NULL
       AND chunk.encoder = %(encoder)s
       AND EXISTS (
               SELECT FROM grants
                WHERE grants.document_id = document.document_id AND grants.principal = ANY (%(principals)s)
           )
     ORDER BY chunk.embedding <#> %(query)s::halfvec, chunk.chunk_id
     LIMIT %(limit)s
"""

# The same version again replaces what an interrupted run left.
_FORGET = "DELETE FROM chunks WHERE version_id = %(version)s"

_INSERT = """
    INSERT INTO chunks (chunk_id, document_id, version_id, unit, ordinal, text, context, place, sentences, encoder,
                        embedding, sentence_vectors)
    VALUES (%(chunk_id)s, %(document)s, %(version)s, %(unit)s, %(ordinal)s, %(text)s, %(context)s, %(place)s,
            %(sentences)s, %(encoder)s, %(embedding)s::halfvec, %(sentence_vectors)s)
"""

_STORED = """
    SELECT ordinal, text, embedding::text, sentence_vectors, cardinality(sentences) / 2
      FROM chunks WHERE version_id = %(version)s AND encoder = %(encoder)s
"""


_ROWS_AT_ONCE = 50
"""Adapting a row takes about 0.1 ms of the event loop, and others wait meanwhile."""


class PgVectorStore:
    """``retrieval.ports.VectorSearch`` and ``ingest.ports.ChunkWriter``. ``encoder``: whose vectors are searched."""

    def __init__(self, *, pool: AsyncConnectionPool, encoder: str) -> None:
        self._pool = pool
        self._encoder = encoder

    async def nearest(self, scope: AccessScope, query: Vector, *, limit: int) -> list[Hit]:
        """Published chunks in the scope, most similar first; the score is the cosine. Raises ChannelFailed."""
        arguments = {
            "query": HalfVector(query).to_text(),
            "team": scope.team,
            "encoder": self._encoder,
            "principals": scope.principal_names(),
            "limit": limit,
        }
        with translated("vectors"):
            async with self._pool.connection() as connection:
                rows = await (await connection.execute(_NEAREST, arguments)).fetchall()
        return [Hit(chunk_id, float(similarity)) for chunk_id, similarity in rows]

    async def replace(
        self, *, version: str, chunks: Sequence[Chunk], vectors: Sequence[ChunkVectors], encoder: str
    ) -> None:
        """Make these the chunks of the version, all or nothing.

        Raises ChannelFailed when the database fails or the vectors do not fit the chunks.
        """
        rows = await asyncio.to_thread(
            lambda: [_row(chunk, vector, encoder) for chunk, vector in zip(chunks, vectors, strict=True)]
        )
        if any(chunk.version != version for chunk in chunks):
            raise ChannelFailed("vectors", f"a chunk is not of version {version}")
        with translated("vectors"):
            async with self._pool.connection() as connection, connection.transaction():
                await _write(connection, version, rows)

    async def vectors(self, *, version: str, encoder: str) -> dict[int, tuple[str, ChunkVectors]]:
        """The texts of the version's chunks with their vectors of ``encoder``, by ordinal. Raises ChannelFailed."""
        with translated("vectors"):
            async with self._pool.connection() as connection:
                rows = await (await connection.execute(_STORED, {"version": version, "encoder": encoder})).fetchall()
        return await asyncio.to_thread(
            lambda: {ordinal: (text, _vectors(*vectors)) for ordinal, text, *vectors in rows}
        )


async def _write(connection: AsyncConnection[Any], version: str, rows: Sequence[dict[str, Any]]) -> None:
    await connection.execute(_FORGET, {"version": version})
    async with connection.cursor() as cursor:
        for start in range(0, len(rows), _ROWS_AT_ONCE):
            await cursor.executemany(_INSERT, rows[start : start + _ROWS_AT_ONCE])


def _vectors(whole: str, sentences: bytes, count: int) -> ChunkVectors:
    rows = np.frombuffer(sentences, np.float16).astype(np.float32).reshape(count, -1)
    return ChunkVectors(np.array(HalfVector.from_text(whole).to_list(), np.float32), rows)


def _row(chunk: Chunk, vectors: ChunkVectors, encoder: str) -> dict[str, Any]:
    if len(vectors.sentences) != len(chunk.sentences):
        raise ChannelFailed("vectors", f"{len(vectors.sentences)} vectors for {len(chunk.sentences)} sentences")
    return {
        "chunk_id": chunk.chunk_id,
        "document": chunk.document,
        "version": chunk.version,
        "unit": chunk.unit,
        "ordinal": chunk.ordinal,
        "text": chunk.text,
        "context": chunk.context,
        "place": Jsonb(chunk.place.to_json()),
        "sentences": [edge for span in chunk.sentences for edge in (span.start, span.end)],
        "encoder": encoder,
        "embedding": HalfVector(vectors.whole).to_text(),
        "sentence_vectors": vectors.sentences.astype(np.float16).tobytes(),
    }
