"""Principals as text, grants from shares, and what Slack's objects become."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handlers.adapters.workspace import read_conversation, read_person
from permissions.grants import principals_for_shares
from permissions.model import AccessScope, ConversationKind, Principal, PrincipalKind

ids = st.text(st.characters(categories=["Lu", "Nd"]), min_size=1, max_size=12)


@given(kind=st.sampled_from(PrincipalKind), team=ids, name=ids)
def test_a_principal_is_read_back_from_its_text(kind: PrincipalKind, team: str, name: str) -> None:
    principal = Principal(kind, team, "" if kind is PrincipalKind.WORKSPACE else name)
    assert Principal.parse(str(principal)) == principal


@pytest.mark.parametrize("text", ["", "workspace:", "workspace:T1/C1", "channel:T1", "channel:/C1", "all:T1", "user"])
def test_other_text_is_no_principal(text: str) -> None:
    with pytest.raises(ValueError, match=r"principal|PrincipalKind"):
        Principal.parse(text)


def test_nobody_else_makes_a_scope() -> None:
    with pytest.raises(TypeError, match="ScopeBuilder"):
        AccessScope("T1", "U1", None, frozenset(), audience_key="k")


@pytest.mark.parametrize(
    ("shares", "granted"),
    [
        ([], ""),
        ([("C1", ConversationKind.PUBLIC)], "channel:T1/C1 workspace:T1"),
        ([("C1", ConversationKind.PRIVATE)], "channel:T1/C1"),
        ([("G1", ConversationKind.GROUP_DM)], "channel:T1/G1"),
        ([("D1", ConversationKind.DM)], "user:T1/U1"),
        ([("D2", ConversationKind.DM)], ""),
        ([("D1", ConversationKind.DM), ("C1", ConversationKind.PRIVATE)], "channel:T1/C1 user:T1/U1"),
    ],
)
def test_grants_follow_from_where_a_file_is_shared(shares: list[tuple[str, ConversationKind]], granted: str) -> None:
    found = principals_for_shares("T1", shares, people={"D1": "U1"})
    assert " ".join(sorted(str(principal) for principal in found)) == granted


@pytest.mark.parametrize(
    ("fields", "is_full_member"),
    [
        ({}, True),
        ({"is_restricted": True}, False),
        ({"is_ultra_restricted": True, "is_restricted": True}, False),
        ({"is_stranger": True}, False),
        ({"deleted": True}, False),
        ({"is_bot": True}, False),
        ({"id": "USLACKBOT"}, False),
        ({"team_id": "T2"}, False),
        ({"team_id": None}, False),
        ({"team_id": "E1", "enterprise_user": {"teams": ["T1", "T2"]}}, True),
        ({"team_id": "E1", "enterprise_user": {"teams": ["T2"]}}, False),
    ],
)
def test_only_a_person_at_home_here_is_a_full_member(fields: dict[str, Any], is_full_member: bool) -> None:
    """slack.md, Identity and access."""
    person = read_person({"id": "U1", "name": "ann", "team_id": "T1", **fields}, team="T1")
    assert person.is_full_member is is_full_member


@pytest.mark.parametrize("flag", ["is_admin", "is_owner", "is_primary_owner"])
def test_owners_and_admins_of_the_workspace_are_told_apart(flag: str) -> None:
    assert read_person({"id": "U1", "team_id": "T1", flag: True}, team="T1").is_admin
    assert not read_person({"id": "U1", "team_id": "T1", flag: False}, team="T1").is_admin


@pytest.mark.parametrize(
    ("fields", "kind"),
    [
        ({"is_channel": True}, ConversationKind.PUBLIC),
        ({"is_channel": True, "is_private": True}, ConversationKind.PRIVATE),
        ({"is_group": True}, ConversationKind.PRIVATE),
        ({}, ConversationKind.PRIVATE),
        ({"is_mpim": True, "is_private": True, "is_group": True}, ConversationKind.GROUP_DM),
        ({"is_im": True}, ConversationKind.DM),
    ],
)
def test_only_what_says_that_it_is_open_is_public(fields: dict[str, Any], kind: ConversationKind) -> None:
    assert read_conversation({"id": "C1", **fields}, team="T1").kind is kind


@pytest.mark.parametrize(
    ("fields", "is_shared"),
    [
        ({"shared_team_ids": ["T1"]}, False),
        ({"shared_team_ids": ["T1", "T2"]}, True),
        ({"connected_team_ids": ["T3"]}, True),
        ({"is_ext_shared": True}, True),
        ({"is_pending_ext_shared": True}, True),
        ({"is_org_shared": True}, True),
        ({"pending_shared": ["T9"]}, True),
    ],
)
def test_a_channel_about_to_be_shared_is_shared(fields: dict[str, Any], is_shared: bool) -> None:
    assert read_conversation({"id": "C1", "is_channel": True, **fields}, team="T1").is_shared is is_shared
