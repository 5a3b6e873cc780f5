"""Scopes of generated workspaces against an oracle that lists people."""

from __future__ import annotations

import itertools
from datetime import datetime

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from psycopg_pool import AsyncConnectionPool

from permissions.adapters.coverage import PgCoverage
from permissions.model import Principal
from permissions.scopes import ScopeBuilder
from tests.integration.permissions.world import (
    FRESH,
    MAX_AGE,
    NOW,
    STALE,
    Human,
    Room,
    World,
    everything,
    expected,
    expected_covering,
)

USERS = ["U1", "U2", "U3", "U4", "U5"]
_teams = itertools.count(1)

mostly_fresh = st.sampled_from([FRESH] * 7 + [STALE])
kinds = st.sampled_from(["full"] * 6 + ["guest", "stranger", "foreign", "deleted", "bot"])


@st.composite
def worlds(draw: st.DrawFn) -> World:
    people = [Human(user, draw(kinds), draw(mostly_fresh)) for user in USERS if draw(st.integers(0, 9)) > 0]
    members = st.dictionaries(st.sampled_from([*USERS, "U-NEVER-SEEN"]), mostly_fresh, max_size=5)
    rooms = [
        Room(
            id=f"C{number}",
            kind=draw(st.sampled_from(["public", "private", "private", "group_dm", "dm"])),
            members=draw(members),
            listed_at=draw(st.sampled_from([FRESH] * 6 + [STALE, None])),
            confirmed_at=draw(mostly_fresh),
            is_shared=draw(st.integers(0, 9)) == 0,
        )
        for number in range(draw(st.integers(1, 4)))
    ]
    groups: dict[str, dict[str, datetime]] = {f"S{n}": draw(members) for n in range(draw(st.integers(0, 2)))}
    listed = draw(st.sampled_from([FRESH] * 5 + [STALE, None]))
    return World(people=people, rooms=rooms, groups=groups, people_listed_at=listed)


EVERYONE_IS_EVERYWHERE = World(
    people=[Human(user) for user in USERS],
    rooms=[Room("C0", "public", dict.fromkeys(USERS, FRESH)), Room("C1", "private", dict.fromkeys(USERS, FRESH))],
    groups={"S0": dict.fromkeys(USERS, FRESH)},
)
ALONE_IN_PRIVATE = World(
    people=[Human("U1"), Human("U2", "bot")], rooms=[Room("C0", members={"U1": FRESH, "U2": FRESH})]
)


@given(world=worlds())
@example(world=EVERYONE_IS_EVERYWHERE)
@example(world=ALONE_IN_PRIVATE)
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
async def test_a_scope_is_what_the_design_says(pool: AsyncConnectionPool, world: World) -> None:
    """For every asker and place; and within one conversation all members get one scope and one audience key."""
    world.team = f"T{next(_teams)}"  # each example has rows of its own
    await world.write(pool)
    await check(pool, world)


async def check(pool: AsyncConnectionPool, world: World) -> None:
    builder = ScopeBuilder(coverage=PgCoverage(pool=pool), clock=lambda: NOW, max_age=MAX_AGE)
    for place in [None, "C-NEVER-SEEN", *(room.id for room in world.rooms)]:
        keys = set()
        for asker in USERS:
            scope = await builder.scope(team=world.team, asker=asker, conversation=place)
            assert set(scope.principal_names()) == expected(world, asker, place), (asker, place)
            if f"channel:{world.team}/{place}" in scope.principal_names():
                keys.add(scope.audience_key)
        assert len(keys) <= 1, place


@given(history=st.lists(worlds(), min_size=2, max_size=3))
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
async def test_a_scope_follows_every_change(pool: AsyncConnectionPool, history: list[World]) -> None:
    """What was built for earlier questions is not believed when people, members or their confirmations have changed."""
    team = f"T{next(_teams)}"
    for world in history:
        world.team = team
        await world.write(pool)
        await check(pool, world)


@given(world=worlds())
@example(world=EVERYONE_IS_EVERYWHERE)
@example(world=ALONE_IN_PRIVATE)
@example(world=World(people=[Human("U1")], rooms=[Room("C0"), Room("C1", "dm", {"U1": FRESH, "U2": FRESH})]))
@example(world=World(people=[Human("U1"), Human("U2", "bot")], rooms=[Room("C0", "dm", {"U1": FRESH, "U2": FRESH})]))
@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
async def test_what_covers_a_place_is_what_each_reader_has(pool: AsyncConnectionPool, world: World) -> None:
    """Whoever asks, or nobody does."""
    world.team = f"T{next(_teams)}"
    await world.write(pool)
    builder = ScopeBuilder(coverage=PgCoverage(pool=pool), clock=lambda: NOW, max_age=MAX_AGE)
    asked = [Principal.parse(name) for name in everything(world)]
    for place in ["C-NEVER-SEEN", *(room.id for room in world.rooms)]:
        covering = await builder.covering(team=world.team, conversation=place, principals=asked)
        assert set(map(str, covering)) == expected_covering(world, place, set(map(str, asked))), place
