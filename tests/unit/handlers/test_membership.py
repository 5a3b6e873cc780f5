"""Events about people and places reach the rows of rights; everything else does not."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from handlers.arrival import Arrival, Identity
from handlers.membership import apply

BOT = Identity(team="T1", user="UBOT", bot="BBOT")


class Rows:
    """Notes each call by its name and its words."""

    def __init__(self) -> None:
        self.calls: list[tuple[Any, ...]] = []

    def __getattr__(self, name: str) -> Any:
        async def note(*words: str, **more: Any) -> None:
            self.calls.append((name, *words, *more.values()))

        return note


AT = datetime(1970, 1, 1, 0, 0, 5, tzinfo=UTC)
ORGANISATION = {"enterprise_id": "E1", "team_id": None, "is_enterprise_install": True}
DELTA = {
    "type": "subteam_members_changed",
    "subteam_id": "S1",
    "date_previous_update": 7,
    "date_update": 8,
    "added_users": ["U1"],
    "added_users_count": 1,
    "removed_users": ["U2"],
    "removed_users_count": 1,
}
CASES: list[tuple[dict[str, Any], tuple[Any, ...]]] = [
    ({"type": "member_joined_channel", "channel": "C1", "user": "U1"}, ("member_joined", "T1", "C1", "U1", AT)),
    ({"type": "member_left_channel", "channel": "C1", "user": "U1"}, ("member_left", "T1", "C1", "U1", AT)),
    ({"type": "user_change", "user": {"id": "U1"}}, ("person_changed", "T1", "U1")),
    ({"type": "team_join", "user": {"id": "U1"}}, ("person_changed", "T1", "U1")),
    ({"type": "channel_rename", "channel": {"id": "C1"}}, ("conversation_changed", "T1", "C1")),
    ({"type": "channel_archive", "channel": "C1"}, ("conversation_changed", "T1", "C1")),
    ({"type": "channel_shared", "channel": "C1"}, ("conversation_changed", "T1", "C1")),
    ({"type": "channel_deleted", "channel": "C1"}, ("conversation_deleted", "T1", "C1")),
    (
        {"type": "message", "subtype": "channel_convert_to_private", "channel": "C1", "channel_type": "group"},
        ("conversation_became_private", "T1", "C1"),
    ),
    (
        {"type": "message", "subtype": "channel_convert_to_public", "channel": "C1", "channel_type": "channel"},
        ("conversation_changed", "T1", "C1"),
    ),
    ({"type": "channel_unshared", "channel": "C1", "is_ext_shared": False}, ("conversation_unshared", "T1", "C1")),
    ({"type": "channel_left", "channel": "C1"}, ("conversation_left", "T1", "C1")),
    ({"type": "group_left", "channel": "C1"}, ("conversation_left", "T1", "C1")),
    (
        {"type": "channel_id_changed", "old_channel_id": "C1", "new_channel_id": "C2"},
        ("conversation_moved", "T1", "C1", "C2"),
    ),
    ({"type": "subteam_created", "subteam": {"id": "S1"}}, ("groups_changed", "T1")),
    ({"type": "subteam_updated", "subteam": {"id": "S1"}}, ("groups_changed", "T1")),
    (DELTA, ("group_members_changed", "T1", "S1", 7, 8, ["U1"], ["U2"])),
    ({**DELTA, "added_users_count": 2}, ("groups_changed", "T1")),
    ({**DELTA, "date_previous_update": None}, ("groups_changed", "T1")),
    ({"type": "app_uninstalled"}, ("app_removed", "T1")),
    ({"type": "tokens_revoked", "tokens": {"oauth": [], "bot": ["UBOT"]}}, ("app_removed", "T1")),
]


@pytest.mark.parametrize(("event", "call"), CASES, ids=lambda value: str(value)[:40])
async def test_an_event_becomes_a_change_of_the_rows(event: dict[str, Any], call: tuple[Any, ...]) -> None:
    rows = Rows()
    assert await apply(Arrival.of({"event": {**event, "event_ts": "5.0"}}, BOT), rows)
    assert rows.calls == [call]


@pytest.mark.parametrize(
    "event",
    [
        {"type": "message", "channel": "C1", "user": "U1"},
        {"type": "user_change"},
        {"type": "app_mention"},
        {"type": "member_left_channel", "channel": None, "user": {"name": "no id"}},
        {"type": "member_left_channel", "channel": "C1", "user": "U1", "event_ts": "soon"},
        {"type": "channel_id_changed", "old_channel_id": "C1"},
        {"type": "tokens_revoked", "tokens": {"oauth": ["U1"], "bot": []}},
    ],
)
async def test_other_events_and_those_without_what_they_are_about_change_nothing(event: dict[str, Any]) -> None:
    rows = Rows()
    await apply(Arrival.of({"event": {"event_ts": "5.0", **event}}, BOT), rows)
    assert rows.calls == []


@pytest.mark.parametrize(
    ("envelope", "team"),
    [
        pytest.param({}, "T1", id="nothing is said"),
        pytest.param({"team_id": "T1"}, "T1", id="ours"),
        pytest.param({"team_id": "T2", "authorizations": [{"team_id": "T1"}]}, "T1", id="theirs, told to us"),
        pytest.param(
            {"team_id": "T2", "context_team_id": "T1", "is_ext_shared_channel": True}, "T1", id="a shared channel"
        ),
        pytest.param({"team_id": "T1", "authorizations": [ORGANISATION]}, "T1", id="ours, of an organisation"),
        pytest.param({"team_id": "T2", "authorizations": [ORGANISATION]}, None, id="another of the organisation"),
        pytest.param({"team_id": "T2"}, None, id="another workspace"),
        pytest.param({"team_id": "T1", "authorizations": [{"team_id": "T2"}]}, None, id="told to another"),
        pytest.param(
            {"team_id": "T2", "context_team_id": "T2", "is_ext_shared_channel": True}, None, id="shared there"
        ),
    ],
)
def test_whose_event_it_is(envelope: dict[str, Any], team: str | None) -> None:
    """An envelope of a shared channel may name the other workspace; the authorization says to whom it is told."""
    arrival = Arrival.of({"event": {"type": "user_change"}, **envelope}, BOT)
    assert (arrival.team if arrival.is_ours else None) == team
