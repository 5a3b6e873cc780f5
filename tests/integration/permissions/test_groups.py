"""User groups: read whole, changed by deltas, and what happens when one was missed or the plan has none."""

from __future__ import annotations

import pytest

from permissions.model import Trouble, TroubleKind, UserGroup
from tests.integration.permissions.desk import Desk


def leads(*members: str, updated: int = 10) -> UserGroup:
    return UserGroup("T1", "S1", handle="leads", name="Leads", updated=updated, members=frozenset(members))


@pytest.fixture
async def desk(desk: Desk) -> Desk:
    """The group S1 with ANN and BO, and a document that was granted to it by hand."""
    desk.company.groups_in_use = [leads("ANN", "BO")]
    await desk.sync.load("T1")
    await desk.granted("d1", "group:T1/S1")
    desk.audiences.clear()
    desk.company.asked.clear()
    desk.later(minutes=1)
    return desk


async def change(desk: Desk, *, previous: int, updated: int, added: str = "", removed: str = "") -> None:
    await desk.sync.group_members_changed(
        "T1", "S1", previous=previous, updated=updated, added=added.split(), removed=removed.split()
    )


async def test_members_hold_the_group_and_it_covers_where_all_readers_are_in_it(desk: Desk) -> None:
    assert (await desk.ask("ANN", None))[0] == "* ALL ANN PRICES S1"
    assert (await desk.ask("CY", None))[0] == "* ALL CY"
    assert (await desk.ask("ANN", "PRICES"))[0] == "* ALL PRICES S1"
    assert (await desk.ask("ANN", "ALL"))[0] == "* ALL"


async def test_a_delta_is_applied_without_asking(desk: Desk) -> None:
    await change(desk, previous=10, updated=11, added="CY", removed="BO")
    assert [(await desk.ask(who, None))[0] for who in ("BO", "CY")] == ["* ALL BO PRICES", "* ALL CY S1"]
    assert desk.company.asked == []
    assert desk.audiences == [()]  # BO may read an answer from the group's documents, anywhere


async def test_after_a_missed_delta_all_are_read(desk: Desk) -> None:
    desk.company.groups_in_use = [leads("CY", updated=13)]
    await change(desk, previous=12, updated=13, added="CY")
    assert desk.company.asked == ["groups"]
    assert [(await desk.ask(who, None))[0] for who in ("ANN", "CY")] == ["* ALL ANN PRICES", "* ALL CY S1"]


async def test_who_was_removed_goes_also_when_the_rest_is_unknown(desk: Desk) -> None:
    desk.company.is_silent = True
    await change(desk, previous=12, updated=13, removed="BO")
    assert (await desk.ask("BO", None))[0] == "* ALL BO PRICES"


async def test_old_news_change_nothing(desk: Desk) -> None:
    """A delta that is delivered twice, or late, or a listing that was begun before it."""
    await change(desk, previous=10, updated=11, removed="BO")
    await change(desk, previous=9, updated=10, added="CY")
    await change(desk, previous=10, updated=11, added="CY")
    await desk.sync.groups_changed("T1")  # still lists BO, as of 10
    assert [(await desk.ask(who, None))[0] for who in ("BO", "CY")] == ["* ALL BO PRICES", "* ALL CY"]


async def test_a_group_that_is_disabled_grants_nobody(desk: Desk) -> None:
    desk.company.groups_in_use = []
    await desk.sync.groups_changed("T1")
    assert (await desk.ask("ANN", None))[0] == "* ALL ANN PRICES"
    assert desk.audiences == [()]


async def test_a_plan_without_groups_grants_nobody_and_does_not_stop_the_sweep(desk: Desk) -> None:
    desk.company.trouble = {"groups": Trouble(TroubleKind.NO_GROUPS)}
    await desk.sync.load("T1")
    assert (await desk.ask("ANN", None))[0] == "* ALL ANN PRICES"
    progress = await desk.directory.sweeps.progress("T1")
    assert progress is not None
    assert (progress.trouble, progress.groups_trouble) == (None, Trouble(TroubleKind.NO_GROUPS))


async def test_groups_that_cannot_be_read_are_known_until_they_are_old(desk: Desk) -> None:
    desk.company.trouble = {"groups": Trouble(TroubleKind.MISSING_SCOPE, "usergroups:read")}
    await desk.sync.load("T1")
    assert (await desk.ask("ANN", None))[0] == "* ALL ANN PRICES S1"
    desk.later(hours=24)
    await desk.sync.load("T1")
    assert (await desk.ask("ANN", None))[0] == "* ALL ANN PRICES"
