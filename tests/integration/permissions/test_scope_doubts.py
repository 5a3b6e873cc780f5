"""What is not freshly known makes a scope smaller: one doubt at a time, everything else being well."""

from __future__ import annotations

from datetime import timedelta

from psycopg_pool import AsyncConnectionPool

from permissions.adapters.coverage import PgCoverage
from permissions.model import ScopeLimit
from permissions.scopes import ScopeBuilder
from tests.integration.permissions.test_scope_rules import WORKSPACE, names, office, scope_of
from tests.integration.permissions.world import MAX_AGE, NOW, STALE, Human, Room, World, among


async def test_a_direct_message_with_a_third_reader_finds_nothing(pool: AsyncConnectionPool) -> None:
    world = office()
    world.rooms[4].members |= among("BO")
    scope = await scope_of(pool, world, "ANN", "TALK")
    assert (scope.principals, scope.limits) == (frozenset(), (ScopeLimit.MEMBERSHIP_UNKNOWN,))


async def test_a_stale_conversation_is_unknown(pool: AsyncConnectionPool) -> None:
    """It may have become shared, or another kind, since."""
    world = office()
    world.rooms[0].confirmed_at = STALE
    scope = await scope_of(pool, world, "ANN", "ALL")
    assert (scope.principals, scope.limits) == (frozenset(), (ScopeLimit.MEMBERSHIP_UNKNOWN,))


async def test_a_stale_membership_of_a_group_proves_nothing(pool: AsyncConnectionPool) -> None:
    world = office()
    world.groups["LEADS"] = among("ANN", at=STALE)
    scope = await scope_of(pool, world, "ANN", None)
    assert "group:T1/LEADS" not in scope.principal_names()
    assert scope.limits == (ScopeLimit.MEMBERSHIP_UNKNOWN,)


async def test_a_member_who_was_known_too_long_ago_counts_as_a_reader(pool: AsyncConnectionPool) -> None:
    """They may be a guest by now, or deactivated no more."""
    world = office()
    world.people += [Human("OLD", confirmed_at=STALE), Human("GONE", "deleted", confirmed_at=STALE)]
    world.rooms[1].members |= among("OLD", "GONE")
    scope = await scope_of(pool, world, "ANN", "PRICES")
    assert (scope.principal_names(), scope.limits) == (names("PRICES"), (ScopeLimit.MEMBERSHIP_UNKNOWN,))


async def test_a_reader_whose_membership_elsewhere_is_stale_does_not_have_it(pool: AsyncConnectionPool) -> None:
    world = office()
    world.rooms[2].members["BO"] = STALE
    scope = await scope_of(pool, world, "ANN", "PRICES")
    assert "channel:T1/PLANS" not in scope.principal_names()
    assert WORKSPACE in scope.principal_names()


async def test_every_full_member_reads_a_public_channel_that_they_never_joined(pool: AsyncConnectionPool) -> None:
    world = office()
    world.people.append(Human("DEE"))
    scope = await scope_of(pool, world, "ANN", "ALL")
    assert scope.principal_names() == names("*", "ALL")


async def test_somebody_who_may_be_a_full_member_by_now_reads_a_public_channel(pool: AsyncConnectionPool) -> None:
    world = office()
    world.people.append(Human("ODD", "guest", confirmed_at=STALE))
    scope = await scope_of(pool, world, "ANN", "ALL")
    assert scope.principal_names() == names("*", "ALL")


async def test_a_group_covers_only_when_each_reader_is_in_it(pool: AsyncConnectionPool) -> None:
    world = World(
        people=[Human("ANN"), Human("BO")],
        rooms=[Room("PAIR", "private", among("ANN", "BO"))],
        groups={"LEADS": among("ANN")},
    )
    scope = await scope_of(pool, world, "ANN", "PAIR")
    assert scope.principal_names() == names("*", "PAIR")


async def looks(pool: AsyncConnectionPool, world: World) -> tuple[list[str], list[str]]:
    """What ANN finds in PLANS now, and when what was confirmed 23 hours ago has become too old; nothing changes."""
    await world.write(pool)
    found = []
    for later in (timedelta(0), timedelta(hours=2)):
        clock = NOW + later
        builder = ScopeBuilder(coverage=PgCoverage(pool=pool), clock=lambda clock=clock: clock, max_age=MAX_AGE)
        for _ in range(2):  # the first look computes what the second one finds
            scope = await builder.scope(team="T1", asker="ANN", conversation="PLANS")
        found.append(scope.principal_names())
    return found[0], found[1]


async def test_what_was_computed_for_earlier_questions_grows_old_with_the_people(pool: AsyncConnectionPool) -> None:
    world = office()
    world.people[2] = Human("CY", confirmed_at=NOW - timedelta(hours=23))
    assert await looks(pool, world) == (names("*", "ALL", "PLANS"), names("ALL", "PLANS"))


async def test_what_was_computed_for_earlier_questions_grows_old_with_the_members(pool: AsyncConnectionPool) -> None:
    world = office()
    world.rooms[0].members["CY"] = NOW - timedelta(hours=23)
    assert await looks(pool, world) == (names("*", "ALL", "PLANS"), names("*", "PLANS"))
