"""Files that are still being read are counted for those who may know of them."""

from __future__ import annotations

import pytest
from psycopg_pool import AsyncConnectionPool

from bot.answers.reading import FilesBeingRead
from permissions.model import Principal
from tests import rows

HERE = Principal.channel(rows.TEAM, "C1")
ELSEWHERE = Principal.channel(rows.TEAM, "C2")


async def has_version(pool: AsyncConnectionPool, document: str, state: str, principal: Principal = HERE) -> None:
    """A document whose second version is in this state."""
    await rows.add_document(pool, document, ["text"], principals=[principal])
    await rows.add_version(pool, document, ["more"], number=2, publish=False)
    async with pool.connection() as connection:
        await connection.execute(
            "UPDATE versions SET state = %s WHERE document_id = %s AND number = 2", (state, document)
        )


@pytest.mark.parametrize("state", ["REGISTERED", "FETCHED", "PARSED", "INDEXED", "READY"])
async def test_a_file_under_way_counts(pool: AsyncConnectionPool, state: str) -> None:
    await has_version(pool, "a", state)
    assert await FilesBeingRead(pool=pool).count(rows.scope_of(HERE)) == 1


@pytest.mark.parametrize("state", ["PUBLISHED", "FAILED", "SUPERSEDED", "DELETED"])
async def test_nothing_is_waited_for_any_more(pool: AsyncConnectionPool, state: str) -> None:
    await has_version(pool, "a", state)
    assert await FilesBeingRead(pool=pool).count(rows.scope_of(HERE)) == 0


async def test_only_those_who_may_see_a_file_hear_of_it(pool: AsyncConnectionPool) -> None:
    await has_version(pool, "secret", "FETCHED", ELSEWHERE)
    await has_version(pool, "gone", "FETCHED")
    await rows.mark_deleted(pool, "gone")
    being_read = FilesBeingRead(pool=pool)
    assert await being_read.count(rows.scope_of(HERE)) == 0
    assert await being_read.count(rows.scope_of()) == 0
    assert await being_read.count(rows.scope_of(HERE, ELSEWHERE)) == 1
