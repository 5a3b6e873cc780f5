"""People, conversations, documents and rights as rows, and scopes over them: plain functions for any test."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
from psycopg import AsyncConnection
from psycopg.types.json import Jsonb
from psycopg_pool import AsyncConnectionPool

from permissions.adapters.coverage import PgCoverage
from permissions.model import _ISSUED_HERE, AccessScope, ConversationKind, Principal
from permissions.scopes import ScopeBuilder
from retrieval.model import Chunk, ChunkVectors, Place, Span
from retrieval.sentences import split

TEAM = "T1"
NOW = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)


async def add_person(pool: AsyncConnectionPool, user: str, *, team: str = TEAM, is_guest: bool = False) -> None:
    """A person of the workspace, confirmed now."""
    async with pool.connection() as connection:
        await connection.execute(
            "INSERT INTO people (team, user_id, name, home_team, is_guest, confirmed_at) VALUES (%s,%s,%s,%s,%s,%s)",
            (team, user, user, team, is_guest, NOW),
        )


async def add_conversation(
    pool: AsyncConnectionPool,
    conversation: str,
    members: Collection[str],
    *,
    kind: ConversationKind = ConversationKind.PRIVATE,
    team: str = TEAM,
) -> None:
    """A conversation with its members, both confirmed now."""
    async with pool.connection() as connection, connection.cursor() as cursor:
        await cursor.execute(
            "INSERT INTO conversations (team, conversation_id, kind, confirmed_at, members_confirmed_at)"
            " VALUES (%s,%s,%s,%s,%s)",
            (team, conversation, kind, NOW, NOW),
        )
        await cursor.executemany(
            "INSERT INTO memberships (team, conversation_id, user_id, confirmed_at) VALUES (%s,%s,%s,%s)",
            [(team, conversation, member, NOW) for member in members],
        )


async def scope(
    pool: AsyncConnectionPool, asker: str, conversation: str | None = None, *, team: str = TEAM
) -> AccessScope:
    """What the rows give ``asker``, built as the bot builds it."""
    builder = ScopeBuilder(coverage=PgCoverage(pool=pool), clock=lambda: NOW, max_age=timedelta(days=1))
    return await builder.scope(team=team, asker=asker, conversation=conversation)


def scope_of(*principals: Principal, team: str = TEAM) -> AccessScope:
    """A scope of just these principals, for tests of what a scope does and not of how one comes about."""
    return AccessScope(team, "U1", None, frozenset(principals), audience_key="test", issuer=_ISSUED_HERE)


def chunks_of(version: str, texts: Sequence[str], *, document: str, context: str = "") -> list[Chunk]:
    """One chunk and one unit for each text."""
    return [
        Chunk(
            chunk_id=f"{version}-{number}",
            document=document,
            version=version,
            unit=number,
            ordinal=number,
            text=text,
            context=context,
            place=Place(page=number),
            sentences=split(text) or (Span(0, len(text)),),
        )
        for number, text in enumerate(texts, start=1)
    ]


def vectors_of(chunks: Sequence[Chunk], directions: Sequence[Sequence[float]]) -> list[ChunkVectors]:
    """Vectors along the given directions, the sentences' like the whole."""
    vectors = []
    for chunk, direction in zip(chunks, directions, strict=True):
        whole = np.asarray(direction, np.float32) / np.float32(np.linalg.norm(direction))
        vectors.append(ChunkVectors(whole, np.tile(whole, (len(chunk.sentences), 1))))
    return vectors


async def add_document(
    pool: AsyncConnectionPool,
    document: str,
    texts: Sequence[str],
    *,
    principals: Collection[Principal],
    team: str = TEAM,
    title: str = "",
) -> list[Chunk]:
    """A document whose first version is published, without its chunks: they are returned for the stores under test."""
    async with pool.connection() as connection:
        await connection.execute(
            "INSERT INTO documents (document_id, team, source, source_id, title, created_by)"
            " VALUES (%s,%s,'command',%s,%s,'U1')",
            (document, team, document, title or document),
        )
        await set_grants(connection, document, principals)
    return await add_version(pool, document, texts, number=1, title=title)


async def add_version(
    pool: AsyncConnectionPool,
    document: str,
    texts: Sequence[str],
    *,
    number: int,
    title: str = "",
    publish: bool = True,
) -> list[Chunk]:
    """Another version with a unit for each text."""
    version = f"{document}-v{number}"
    async with pool.connection() as connection, connection.cursor() as cursor:
        await cursor.execute(
            "INSERT INTO versions (version_id, document_id, number, state) VALUES (%s,%s,%s,'READY')",
            (version, document, number),
        )
        await cursor.executemany(
            "INSERT INTO units (version_id, ordinal, place, read_by, text) VALUES (%s,%s,%s,'text_layer',%s)",
            [(version, at, Jsonb({"page": at}), text) for at, text in enumerate(texts, start=1)],
        )
    if publish:
        await publish_version(pool, version)
    return chunks_of(version, texts, document=document, context=title)


async def publish_version(pool: AsyncConnectionPool, version: str) -> None:
    """Make it the active version; the one before is superseded."""
    async with pool.connection() as connection:
        await connection.execute(
            "UPDATE versions SET state = 'SUPERSEDED' WHERE state = 'PUBLISHED'"
            " AND document_id = (SELECT document_id FROM versions WHERE version_id = %s)",
            (version,),
        )
        await connection.execute(
            "UPDATE versions SET state = 'PUBLISHED', published_at = %s WHERE version_id = %s", (NOW, version)
        )
        await connection.execute(
            "UPDATE documents SET active_version = %s"
            " WHERE document_id = (SELECT document_id FROM versions WHERE version_id = %s)",
            (version, version),
        )


async def set_grants(connection: AsyncConnection[Any], document: str, principals: Collection[Principal]) -> None:
    """These are the document's grants now."""
    await connection.execute("DELETE FROM grants WHERE document_id = %s", (document,))
    for principal in principals:
        await connection.execute("INSERT INTO grants VALUES (%s, %s)", (document, str(principal)))


async def mark_deleted(pool: AsyncConnectionPool, document: str) -> None:
    async with pool.connection() as connection:
        await connection.execute("UPDATE documents SET deleted_at = %s WHERE document_id = %s", (NOW, document))
