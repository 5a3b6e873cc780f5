"""Whose view an answer is given in follows from its scope, and from nothing else."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.agent.final import view_of
from handlers.model import View
from permissions.model import Principal
from tests import rows

OWN, OTHER = Principal.channel(rows.TEAM, "C1"), Principal.channel(rows.TEAM, "C2")
WORKSPACE = Principal.workspace(rows.TEAM)


@pytest.mark.parametrize(
    ("principals", "conversation", "alone", "view"),
    [
        ({OWN, WORKSPACE}, "C1", False, View.EVERYONE_HERE),
        ({WORKSPACE}, "C1", False, View.EVERYONE_HERE),
        ({OWN, OTHER}, "C1", False, View.EVERYONE_HERE),
        ({OWN}, "C1", False, View.OWN_FILES),
        ({OWN, WORKSPACE}, "D1", True, View.ALONE),
        ({OWN}, None, False, View.ALONE),
        (set(), "C1", False, None),
        (set(), "D1", True, None),
    ],
)
def test_the_view_of_a_scope(
    principals: set[Principal], conversation: str | None, alone: bool, view: View | None
) -> None:
    scope = replace(rows.scope_of(*principals), conversation=conversation)
    assert view_of(scope, alone=alone) is view
