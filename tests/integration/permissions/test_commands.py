"""What the command line knows of people, places and user groups."""

from __future__ import annotations

import pytest

from bot.commands.doctor import _people
from bot.commands.names import Names
from bot.commands.output import Misused
from permissions.model import Trouble, TroubleKind, UserGroup
from permissions.ports import WorkspaceUnavailable
from tests.integration.permissions.desk import Desk


async def test_doctor_says_how_far_a_sweep_is_and_what_to_do(desk: Desk) -> None:
    assert await _people(desk.pool) == []
    desk.company.trouble = {
        "members": Trouble(TroubleKind.NOT_INSTALLED, "account_inactive"),
        "groups": Trouble(TroubleKind.NO_GROUPS),
    }
    with pytest.raises(WorkspaceUnavailable):
        await desk.sync.load("T1")
    people, groups = await _people(desk.pool)
    assert people.found == "being read: 0 of 2 conversations; stopped by: not_installed account_inactive"
    assert "install the app" in people.remedy
    assert "no user groups" in groups.remedy
    assert [(item.is_ok, item.is_fatal) for item in (people, groups)] == [(False, False)] * 2
    desk.company.trouble = {}
    await desk.sync.load("T1")
    (people,) = await _people(desk.pool)
    assert (people.is_ok, people.found) == (True, "all 2 conversations were read by 2026-11-30 12:00 UTC")


async def test_a_group_is_named_by_its_handle_its_name_or_its_id(desk: Desk) -> None:
    desk.company.groups_in_use = [UserGroup("T1", "S1", "leads", "Team leads", 1, frozenset({"ANN"}))]
    await desk.sync.load("T1")
    names = Names(pool=desk.pool)
    assert [await names.group("T1", word) for word in ("@leads", "team leads", "S1", "S0LATER")] == [
        "S1",
        "S1",
        "S1",
        "S0LATER",
    ]
    with pytest.raises(Misused, match="no user group is called 'nobody'"):
        await names.group("T1", "nobody")
