"""Each rule of design §4 by an example, and what the asker is told."""

from __future__ import annotations

from datetime import timedelta

import pytest
from psycopg_pool import AsyncConnectionPool

from permissions.adapters.coverage import PgCoverage
from permissions.model import AccessScope, ScopeLimit
from permissions.scopes import ScopeBuilder
from tests.integration.permissions.world import FRESH, MAX_AGE, NOW, STALE, Human, Room, World, among

WORKSPACE = "workspace:T1"


def office() -> World:
    """Ann, Bo and Cy are full members, Gus is a guest; #all is public, the rest closed."""
    return World(
        people=[Human("ANN"), Human("BO"), Human("CY"), Human("GUS", "guest"), Human("BOT", "bot")],
        rooms=[
            Room("ALL", "public", among("ANN", "BO", "CY", "BOT")),
            Room("PRICES", "private", among("ANN", "BO", "BOT")),
            Room("PLANS", "private", among("ANN", "BO", "CY")),
            Room("MIXED", "public", among("ANN", "BO", "GUS", "BOT")),
            Room("TALK", "dm", among("ANN", "BOT")),
            Room("THREE", "group_dm", among("ANN", "BO", "BOT")),
        ],
        groups={"LEADS": among("ANN", "BO")},
    )


async def scope_of(pool: AsyncConnectionPool, world: World, asker: str, place: str | None) -> AccessScope:
    await world.write(pool)
    builder = ScopeBuilder(coverage=PgCoverage(pool=pool), clock=lambda: NOW, max_age=MAX_AGE)
    return await builder.scope(team="T1", asker=asker, conversation=place)


def names(*short: str) -> list[str]:
    kinds = {"ANN": "user", "LEADS": "group"}
    return sorted(WORKSPACE if name == "*" else f"{kinds.get(name, 'channel')}:T1/{name}" for name in short)


@pytest.mark.parametrize(
    ("asker", "place", "principals", "limits"),
    [
        pytest.param("ANN", None, "* ALL PRICES PLANS MIXED TALK THREE LEADS ANN", "", id="alone: all that is theirs"),
        pytest.param("ANN", "TALK", "* ALL PRICES PLANS MIXED TALK THREE LEADS ANN", "", id="a DM is alone"),
        pytest.param("BO", "TALK", "", "not_a_member", id="somebody else's DM"),
        pytest.param("ANN", "ALL", "* ALL PLANS", "", id="public: what every full member has"),
        pytest.param("ANN", "PRICES", "* ALL MIXED PLANS PRICES THREE LEADS", "", id="private: what both members have"),
        pytest.param("ANN", "PLANS", "* ALL PLANS", "", id="private: the third member lacks PRICES"),
        pytest.param("ANN", "THREE", "* ALL MIXED PLANS PRICES THREE LEADS", "", id="a group DM is its members"),
        pytest.param("CY", "PRICES", "", "not_a_member", id="not in the private channel"),
        pytest.param("ANN", "MIXED", "MIXED", "outsiders_present", id="a guest takes the workspace away"),
        pytest.param("GUS", "MIXED", "MIXED", "", id="a guest has the channel alone, and misses nothing"),
        pytest.param("CY", "MIXED", "", "outsiders_present", id="reads without joining, holds nothing of it"),
        pytest.param("GUS", "ALL", "", "not_a_member", id="a guest does not see every public channel"),
        pytest.param("GUS", None, "MIXED GUS", "", id="a guest alone has no workspace"),
        pytest.param("BOT", "ALL", "", "asker_unknown", id="a bot asks for nobody"),
        pytest.param("NOBODY", "ALL", "", "asker_unknown", id="unknown asker"),
        pytest.param("ANN", "NOWHERE", "", "membership_unknown", id="unknown conversation"),
    ],
)
async def test_a_scope_is_the_askers_principals_that_all_readers_have(
    pool: AsyncConnectionPool, asker: str, place: str | None, principals: str, limits: str
) -> None:
    scope = await scope_of(pool, office(), asker, place)
    wanted = [name.replace("channel:T1/GUS", "user:T1/GUS") for name in names(*principals.split())]
    assert scope.principal_names() == sorted(wanted)
    assert " ".join(scope.limits) == limits


async def test_a_deactivated_account_and_a_bot_read_nothing(pool: AsyncConnectionPool) -> None:
    """They do not make the scope smaller."""
    world = office()
    world.people.append(Human("DEL", "deleted"))
    world.rooms[1].members |= among("DEL")
    scope = await scope_of(pool, world, "ANN", "PRICES")
    assert WORKSPACE in scope.principal_names()


@pytest.mark.parametrize("kind", ["stranger", "foreign"])
async def test_people_of_elsewhere_are_outsiders(pool: AsyncConnectionPool, kind: str) -> None:
    world = office()
    world.people.append(Human("EXT", kind))
    world.rooms[1].members |= among("EXT")
    scope = await scope_of(pool, world, "ANN", "PRICES")
    assert (scope.principal_names(), scope.limits) == (names("PRICES"), (ScopeLimit.OUTSIDERS_PRESENT,))


async def test_a_shared_channel_keeps_its_own_files_alone(pool: AsyncConnectionPool) -> None:
    """Nobody of the other side is listed yet, and they may join and read back."""
    world = office()
    world.rooms[0].is_shared = True
    scope = await scope_of(pool, world, "ANN", "ALL")
    assert (scope.principal_names(), scope.limits) == (names("ALL"), (ScopeLimit.OUTSIDERS_PRESENT,))


@pytest.mark.parametrize("listed_at", [None, STALE])
async def test_unknown_members_leave_the_channels_own(pool: AsyncConnectionPool, listed_at: None) -> None:
    world = office()
    world.rooms[0].listed_at = listed_at
    scope = await scope_of(pool, world, "ANN", "ALL")
    assert (scope.principal_names(), scope.limits) == (names("ALL"), (ScopeLimit.MEMBERSHIP_UNKNOWN,))


async def test_a_member_of_whom_nothing_is_known_counts_as_a_reader(pool: AsyncConnectionPool) -> None:
    world = office()
    world.rooms[1].members |= among("WHO")
    scope = await scope_of(pool, world, "ANN", "PRICES")
    assert (scope.principal_names(), scope.limits) == (names("PRICES"), (ScopeLimit.MEMBERSHIP_UNKNOWN,))


async def test_without_the_list_of_people_only_the_workspace_covers_a_public_channel(
    pool: AsyncConnectionPool,
) -> None:
    """Somebody may exist who is not in PLANS."""
    world = office()
    world.people_listed_at = None
    scope = await scope_of(pool, world, "ANN", "ALL")
    assert (scope.principal_names(), scope.limits) == (names("*", "ALL"), (ScopeLimit.MEMBERSHIP_UNKNOWN,))


async def test_a_stale_membership_proves_nothing_and_is_told(pool: AsyncConnectionPool) -> None:
    world = office()
    world.rooms[1].members["ANN"] = STALE
    scope = await scope_of(pool, world, "ANN", None)
    assert "channel:T1/PRICES" not in scope.principal_names()
    assert scope.limits == (ScopeLimit.MEMBERSHIP_UNKNOWN,)


async def test_a_stale_asker_is_unknown(pool: AsyncConnectionPool) -> None:
    world = office()
    world.people[0].confirmed_at = STALE
    scope = await scope_of(pool, world, "ANN", None)
    assert (scope.principals, scope.limits) == (frozenset(), (ScopeLimit.ASKER_UNKNOWN,))


async def test_a_confirmation_counts_up_to_its_age_limit(pool: AsyncConnectionPool) -> None:
    world = office()
    world.rooms[0].listed_at = NOW - MAX_AGE
    assert (await scope_of(pool, world, "ANN", "ALL")).limits == ()


async def test_another_team_has_rows_of_its_own(pool: AsyncConnectionPool) -> None:
    await office().write(pool)
    builder = ScopeBuilder(coverage=PgCoverage(pool=pool), clock=lambda: NOW, max_age=MAX_AGE)
    scope = await builder.scope(team="T2", asker="ANN", conversation="ALL")
    assert scope.principals == frozenset()


async def test_the_audience_is_the_same_for_all_who_ask_there_and_changes_when_it_can_read_less(
    pool: AsyncConnectionPool,
) -> None:
    await office().write(pool)
    builder = ScopeBuilder(coverage=PgCoverage(pool=pool), clock=lambda: NOW, max_age=MAX_AGE)

    async def key(asker: str, place: str | None) -> str:
        return (await builder.scope(team="T1", asker=asker, conversation=place)).audience_key

    before = await key("ANN", "PRICES")
    assert before == await key("BO", "PRICES")
    assert len({before, await key("ANN", None), await key("BO", None), await key("ANN", "PLANS")}) == 4
    assert await key("ANN", "TALK") == await key("ANN", None)
    async with pool.connection() as connection:
        await connection.execute(
            "INSERT INTO memberships (team, conversation_id, user_id, confirmed_at) VALUES ('T1', 'PRICES', 'GUS', %s)",
            [FRESH + timedelta(minutes=1)],
        )
    assert await key("ANN", "PRICES") != before
