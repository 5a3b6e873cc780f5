"""What is built once for many questions follows the rows, whoever changes them at the same time."""

# ruff: noqa: S608 - constants

from __future__ import annotations

import pytest
from psycopg.rows import dict_row
from psycopg_pool import AsyncConnectionPool

from permissions.adapters import coverage_sql
from permissions.adapters.coverage import PgCoverage
from permissions.scopes import ScopeBuilder
from tests.integration.permissions.world import MAX_AGE, NOW, Human, Room, World, among

EVERYBODY = among("ANN", "BO", "CY")
OFFICE = World(
    people=[Human("ANN"), Human("BO"), Human("CY")],
    rooms=[Room("HERE", "private", EVERYBODY), Room("THERE", "private", EVERYBODY)],
    groups={"LEADS": EVERYBODY},
)


async def covering(pool: AsyncConnectionPool) -> list[str]:
    """What everyone HERE may read, for ANN."""
    builder = ScopeBuilder(coverage=PgCoverage(pool=pool), clock=lambda: NOW, max_age=MAX_AGE)
    return (await builder.scope(team="T1", asker="ANN", conversation="HERE")).principal_names()


ALL = ["channel:T1/HERE", "channel:T1/THERE", "group:T1/LEADS", "workspace:T1"]


@pytest.mark.parametrize(
    ("change", "lost"),
    [
        ("DELETE FROM memberships WHERE conversation_id = 'THERE' AND user_id = 'CY'", "channel:T1/THERE"),
        ("UPDATE memberships SET confirmed_at = '-infinity' WHERE conversation_id = 'THERE' AND user_id = 'CY'",
         "channel:T1/THERE"),
        ("UPDATE memberships SET conversation_id = 'NEW' WHERE conversation_id = 'THERE' AND user_id = 'CY'",
         "channel:T1/THERE"),
        ("INSERT INTO memberships VALUES ('T1', 'HERE', 'DEE', now())",
         "channel:T1/THERE group:T1/LEADS workspace:T1"),
        ("DELETE FROM group_members WHERE user_id = 'CY'", "group:T1/LEADS"),
        ("UPDATE group_members SET confirmed_at = '-infinity' WHERE user_id = 'CY'", "group:T1/LEADS"),
        ("UPDATE group_members SET group_id = 'NEW' WHERE user_id = 'CY'", "group:T1/LEADS"),
        ("UPDATE people SET is_guest = true WHERE user_id = 'CY'", "workspace:T1"),
        ("UPDATE people SET confirmed_at = '-infinity' WHERE user_id = 'CY'", "workspace:T1"),
        ("DELETE FROM people WHERE user_id = 'CY'", "workspace:T1"),
    ],
)  # fmt: skip
async def test_a_change_that_ends_after_an_earlier_one_was_built_in_is_not_missed(
    pool: AsyncConnectionPool, change: str, lost: str
) -> None:
    """The earlier note is taken away by who builds before the later change can be seen."""
    await OFFICE.write(pool)
    assert await covering(pool) == ALL
    async with pool.connection() as earlier:
        for table in ("memberships VALUES ('T1', 'THERE',", "group_members VALUES ('T1', 'LEADS',"):
            await earlier.execute(f"INSERT INTO {table} 'EVE', now())")
        await earlier.execute("UPDATE people SET is_bot = NOT is_bot WHERE user_id = 'BO'")
        await earlier.execute("UPDATE people SET is_bot = NOT is_bot WHERE user_id = 'BO'")
    async with pool.connection() as later, later.transaction():
        await later.execute(change)
        assert await covering(pool) == ALL
        assert await covering(pool) == ALL
    left = sorted({*ALL} - {*lost.split()})
    assert await covering(pool) == left
    assert await covering(pool) == left


async def test_a_person_who_is_known_again_is_one_more_reader_who_is_known(pool: AsyncConnectionPool) -> None:
    await OFFICE.write(pool)
    for known, names in (("'-infinity'", ALL[:3]), ("%(now)s", ALL)):
        async with pool.connection() as connection:
            update = f"UPDATE people SET confirmed_at = {known} WHERE user_id = 'CY'"
            await connection.execute(update, {"now": NOW})
        for _ in range(2):
            assert await covering(pool) == names


async def test_while_somebody_else_builds_the_rows_are_asked(pool: AsyncConnectionPool) -> None:
    await OFFICE.write(pool)
    async with pool.connection() as other, other.transaction():
        await other.execute(coverage_sql.LOCK, {"team": "T1"})
        assert await covering(pool) == ALL
        async with pool.connection() as look:
            assert (await (await look.execute("SELECT count(*) FROM rosters")).fetchone()) == (0,)
    assert await covering(pool) == ALL


async def test_notes_of_what_nobody_asks_about_do_not_pile_up(pool: AsyncConnectionPool) -> None:
    await OFFICE.write(pool)
    async with pool.connection() as connection:
        await connection.execute("INSERT INTO memberships VALUES ('T1', 'UNASKED', 'EVE', now())")
    assert await covering(pool) == ALL
    async with pool.connection() as connection:
        assert (await (await connection.execute("SELECT count(*) FROM roster_changes")).fetchone()) == (0,)


async def test_a_question_builds_what_the_next_one_finds_built(pool: AsyncConnectionPool) -> None:
    await OFFICE.write(pool)
    given = {"team": "T1", "asker": "ANN", "conversation": "HERE", "since": NOW - MAX_AGE}
    for expected in ([["channel", "HERE"], ["channel", "THERE"], ["group", "LEADS"], ["people", ""]], []):
        async with pool.connection() as connection:
            cursor = await connection.cursor(row_factory=dict_row).execute(coverage_sql.LOOK, given)
            row = await cursor.fetchone()
        assert row is not None
        assert sorted(row["to_build"]) == expected
        await covering(pool)
