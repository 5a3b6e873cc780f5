"""The trail: appended to in or outside a transaction, never changed, shortened by its retention alone."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
import pytest
from psycopg_pool import AsyncConnectionPool

from bot.audit.trail import AuditTrail
from permissions.audit import Action, AuditEntry, acting, scope_details
from permissions.grants import Grants
from permissions.model import Principal
from tests import rows

CHANNEL = Principal.channel(rows.TEAM, "C1")
WORKSPACE = Principal.workspace(rows.TEAM)


@pytest.fixture
def trail(pool: AsyncConnectionPool) -> AuditTrail:
    return AuditTrail(pool=pool)


async def everything(trail: AuditTrail, **between: Any) -> list[dict[str, Any]]:
    return [entry async for entry in trail.entries(rows.TEAM, **between)]


def click(actor: str = "U1", **details: Any) -> AuditEntry:
    return AuditEntry(action=Action.CLICK, team=rows.TEAM, actor=actor, run="run_1", details=details)


async def test_entries_are_read_in_the_order_of_writing(trail: AuditTrail) -> None:
    for number in range(3):
        await trail.note(click(number=number))
    await trail.note(AuditEntry(action=Action.CLICK, team="T2", actor="U1"))
    found = await everything(trail)
    assert [entry["details"]["number"] for entry in found] == [0, 1, 2]
    assert found[0]["action"] == "click"
    assert found[0]["run"] == "run_1"


async def test_an_entry_falls_with_the_transaction_that_it_is_about(
    trail: AuditTrail, pool: AsyncConnectionPool
) -> None:
    async with pool.connection() as connection, connection.transaction(force_rollback=True):
        await trail.note(click(), connection=connection)
    assert await everything(trail) == []


@pytest.mark.parametrize(
    "statement", ["UPDATE audit SET actor = 'U9'", "DELETE FROM audit", "TRUNCATE audit"], ids=lambda text: text[:8]
)
async def test_nobody_changes_what_was_noted(trail: AuditTrail, pool: AsyncConnectionPool, statement: str) -> None:
    await trail.note(click())
    async with pool.connection() as connection:
        with pytest.raises(psycopg.errors.RestrictViolation, match="append-only"):
            await connection.execute(statement.encode())
        await connection.rollback()
    assert [entry["actor"] for entry in await everything(trail)] == ["U1"]


async def plant(pool: AsyncConnectionPool, actor: str, noted_at: datetime) -> None:
    async with pool.connection() as connection:
        await connection.execute(
            "INSERT INTO audit (team, action, actor, noted_at) VALUES (%s, 'click', %s, %s)",
            (rows.TEAM, actor, noted_at),
        )


async def test_retention_forgets_what_is_older_and_notes_that_it_did(
    trail: AuditTrail, pool: AsyncConnectionPool
) -> None:
    now = datetime.now(UTC)
    await plant(pool, "old", now - timedelta(days=40))
    await plant(pool, "young", now - timedelta(days=20))
    assert await trail.forget(now - timedelta(days=30)) == 1
    kept, note = await everything(trail)
    assert kept["actor"] == "young"
    assert (note["action"], note["details"]["entries"]) == ("retention", 1)
    async with pool.connection() as connection:
        with pytest.raises(psycopg.errors.RestrictViolation):
            await connection.execute("DELETE FROM audit WHERE actor = 'young'")
        await connection.rollback()


async def test_the_last_day_is_kept_whatever_the_clock_says(trail: AuditTrail, pool: AsyncConnectionPool) -> None:
    await trail.note(click())
    assert await trail.forget(datetime.now(UTC) + timedelta(days=400)) == 0
    async with pool.connection() as connection:
        await connection.execute("SELECT set_config('haitang.audit_before', 'infinity', true)")
        with pytest.raises(psycopg.errors.RestrictViolation):
            await connection.execute("DELETE FROM audit")
        await connection.rollback()
    assert len(await everything(trail)) == 1


async def test_entries_can_be_taken_from_a_span_of_time(trail: AuditTrail, pool: AsyncConnectionPool) -> None:
    now = datetime.now(UTC)
    for days in (3, 2, 1):
        await plant(pool, f"{days} days ago", now - timedelta(days=days))
    found = await everything(trail, since=now - timedelta(days=2.5), until=now - timedelta(days=1.5))
    assert [entry["actor"] for entry in found] == ["2 days ago"]


async def test_every_change_of_grants_is_noted_with_who_made_it(trail: AuditTrail, pool: AsyncConnectionPool) -> None:
    grants = Grants(pool=pool)
    await rows.add_document(pool, "doc_1", ["text"], principals=[])
    async with pool.connection() as connection, connection.transaction():
        await acting(connection, "U7")
        await grants.set(connection, "doc_1", {CHANNEL, WORKSPACE})
    async with pool.connection() as connection:
        await grants.set(connection, "doc_1", {CHANNEL})
    async with pool.connection() as connection:
        await grants.set(connection, "doc_1", {CHANNEL})
    given, withdrawn = await everything(trail)
    assert (given["action"], given["actor"], given["document"]) == ("rights", "U7", "doc_1")
    assert given["details"] == {"granted": [str(CHANNEL), str(WORKSPACE)]}
    assert (withdrawn["actor"], withdrawn["details"]) == ("slack", {"withdrawn": [str(WORKSPACE)]})


async def test_what_slack_says_of_a_person_is_noted_where_a_role_follows_from_it(
    trail: AuditTrail, pool: AsyncConnectionPool
) -> None:
    await rows.add_person(pool, "U1")
    async with pool.connection() as connection:
        await connection.execute("UPDATE people SET is_admin = true WHERE user_id = 'U1'")
        await connection.execute("UPDATE people SET name = 'Another' WHERE user_id = 'U1'")
    (entry,) = await everything(trail)
    assert (entry["action"], entry["details"]["person"], entry["details"]["is_admin"]) == ("role", "U1", True)


async def test_equal_scopes_have_the_same_hash() -> None:
    first, second = rows.scope_of(CHANNEL, WORKSPACE), rows.scope_of(WORKSPACE, CHANNEL)
    assert scope_details(first) == scope_details(second)
    assert scope_details(first)["scope"] != scope_details(rows.scope_of(CHANNEL))["scope"]
