"""Roles: a ladder, from the rows and the settings of now; what is unknown is a reader."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from psycopg_pool import AsyncConnectionPool

from permissions.adapters.coverage import PgCoverage
from permissions.adapters.postgres import PgDirectory
from permissions.model import ConversationKind, Person, Principal, UserGroup
from permissions.roles import AskRefusal, Place, Role, RoleRules, Roles
from permissions.scopes import ScopeBuilder
from tests import rows

CHANNEL = Principal.channel(rows.TEAM, "C1")


def roles(pool: AsyncConnectionPool, **rules: Any) -> Roles:
    scopes = ScopeBuilder(coverage=PgCoverage(pool=pool), clock=lambda: rows.NOW, max_age=timedelta(days=1))
    return Roles(pool=pool, scopes=scopes, rules=RoleRules(**rules), clock=lambda: rows.NOW, max_age=timedelta(days=1))


async def put(pool: AsyncConnectionPool, user: str, *, home_team: str = rows.TEAM, **facts: Any) -> None:
    directory = PgDirectory(pool=pool, clock=lambda: rows.NOW)
    person = Person(team=rows.TEAM, id=user, name=user, home_team=home_team, **facts)
    await directory.put_people([person], as_of=rows.NOW)


async def test_each_role_may_what_the_one_before_may() -> None:
    ladder = [Role.READER, Role.CONTRIBUTOR, Role.CURATOR, Role.ADMINISTRATOR]
    assert [[one.includes(other) for other in ladder] for one in ladder] == [
        [True, False, False, False],
        [True, True, False, False],
        [True, True, True, False],
        [True, True, True, True],
    ]


@pytest.mark.parametrize(
    ("facts", "role"),
    [
        ({}, Role.CONTRIBUTOR),
        ({"is_admin": True}, Role.ADMINISTRATOR),
        ({"is_guest": True}, Role.READER),
        ({"is_guest": True, "is_admin": True}, Role.READER),
        ({"is_stranger": True}, Role.READER),
        ({"home_team": "T2"}, Role.READER),
        ({"home_team": "T2", "is_admin": True}, Role.READER),
        ({"is_admin": True, "is_deleted": True}, Role.READER),
        ({"is_admin": True, "is_bot": True}, Role.READER),
    ],
)
async def test_what_somebody_is_without_any_setting(
    pool: AsyncConnectionPool, facts: dict[str, Any], role: Role
) -> None:
    """An administrator of another workspace is nobody's administrator here."""
    await put(pool, "U1", **facts)
    assert await roles(pool).of(rows.TEAM, "U1") is role


async def test_settings_give_a_role_to_people_and_groups(pool: AsyncConnectionPool) -> None:
    for user in ("U1", "U2", "U3"):
        await put(pool, user, is_guest=user == "U3")
    group = UserGroup(rows.TEAM, "S1", handle="leads", name="Leads", updated=1, members=frozenset({"U2"}))
    await PgDirectory(pool=pool, clock=lambda: rows.NOW).groups.replace_all(rows.TEAM, [group], as_of=rows.NOW)
    listed = {Role.ADMINISTRATOR: frozenset({"U1"}), Role.CURATOR: frozenset({"S1", "U1"})}
    listed[Role.CONTRIBUTOR] = frozenset({"U3"})
    found = roles(pool, listed=listed)
    assert [await found.of(rows.TEAM, user) for user in ("U1", "U2", "U3")] == [
        Role.ADMINISTRATOR,
        Role.CURATOR,
        Role.CONTRIBUTOR,
    ]


async def test_settings_say_what_everybody_of_a_kind_is(pool: AsyncConnectionPool) -> None:
    await put(pool, "U1", is_admin=True)
    await put(pool, "U2", is_guest=True)
    strict = roles(pool, members=Role.READER, guests=Role.CONTRIBUTOR, slack_admins=False)
    assert [await strict.of(rows.TEAM, user) for user in ("U1", "U2")] == [Role.READER, Role.CONTRIBUTOR]


async def test_nothing_follows_from_what_is_unknown_stale_or_deactivated(pool: AsyncConnectionPool) -> None:
    listed = {Role.ADMINISTRATOR: frozenset({"U1", "U2", "U3", "U4"})}
    await put(pool, "U2")
    await put(pool, "U3", is_deleted=True)
    await put(pool, "U4")
    async with pool.connection() as connection:
        await connection.execute(
            "UPDATE people SET confirmed_at = %s WHERE user_id = 'U2'", (rows.NOW - timedelta(days=2),)
        )
    found = roles(pool, listed=listed)
    assert [await found.may(rows.TEAM, user, Role.ADMINISTRATOR) for user in ("U1", "U2", "U3", "U4")] == [
        False,
        False,
        False,
        True,
    ]
    assert not await found.may("T2", "U4", Role.ADMINISTRATOR)


async def test_who_curates_a_document(pool: AsyncConnectionPool) -> None:
    """The uploader, a curator who may read it, an administrator; nobody else."""
    for user in ("U1", "U2", "U3", "U4", "U5"):
        await put(pool, user)
    await rows.add_conversation(pool, "C1", ["U2", "U5"])
    await rows.add_document(pool, "doc_1", ["text"], principals=[CHANNEL])  # created by U1
    listed = {Role.CURATOR: frozenset({"U2", "U3"}), Role.ADMINISTRATOR: frozenset({"U4"})}
    found = roles(pool, listed=listed)
    may = {user: await found.may_curate(rows.TEAM, user, "doc_1") for user in ("U1", "U2", "U3", "U4", "U5")}
    assert may == {"U1": True, "U2": True, "U3": False, "U4": True, "U5": False}
    assert not await found.may_read(rows.TEAM, "U4", "doc_1")


async def test_a_deactivated_uploader_curates_nothing(pool: AsyncConnectionPool) -> None:
    await put(pool, "U1", is_deleted=True)
    await rows.add_document(pool, "doc_1", ["text"], principals=[CHANNEL])
    assert not await roles(pool).may_curate(rows.TEAM, "U1", "doc_1")


@pytest.mark.parametrize(
    ("facts", "rules", "in_channel", "in_dm"),
    [
        ({}, {}, None, None),
        ({"is_guest": True}, {}, None, AskRefusal.GUEST_NOT_HERE),
        ({"is_guest": True}, {"guests_ask": Place.ANYWHERE}, None, None),
        (
            {"is_guest": True},
            {"guests_ask": Place.NOWHERE},
            AskRefusal.GUEST_NOWHERE,
            AskRefusal.GUEST_NOWHERE,
        ),
        ({"home_team": "T2"}, {}, AskRefusal.OUTSIDER_NOWHERE, AskRefusal.OUTSIDER_NOWHERE),
        ({"home_team": "T2", "is_guest": True}, {}, AskRefusal.OUTSIDER_NOWHERE, AskRefusal.OUTSIDER_NOWHERE),
        ({"is_stranger": True}, {"outsiders_ask": Place.OWN_CHANNELS}, None, AskRefusal.OUTSIDER_NOT_HERE),
    ],
)
async def test_where_people_from_outside_may_ask(
    pool: AsyncConnectionPool,
    facts: dict[str, Any],
    rules: dict[str, Any],
    in_channel: AskRefusal | None,
    in_dm: AskRefusal | None,
) -> None:
    await put(pool, "U1", **facts)
    found = roles(pool, **rules)
    assert await found.ask_refusal(rows.TEAM, "U1", ConversationKind.PRIVATE) is in_channel
    assert await found.ask_refusal(rows.TEAM, "U1", ConversationKind.DM) is in_dm
