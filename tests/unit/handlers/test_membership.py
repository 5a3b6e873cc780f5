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
]


@pytest.mark.parametrize(("event", "call"), CASES, ids=lambda value: str(value)[:40])
async def test_an_event_becomes_a_change_of_the_rows(event: dict[str, Any], call: tuple[Any, ...]) -> None:
    rows = Rows()
    assert await apply(Arrival.of({"event": {**event, "event_ts": "5.0"}}, BOT), rows)
    assert rows.calls == [call]


@pytest.mark.parametrize(
    "event", [{"type": "message", "channel": "C1", "user": "U1"}, {"type": "user_change"}, {"type": "app_mention"}]
)
async def test_other_events_change_nothing(event: dict[str, Any]) -> None:
    rows = Rows()
    assert not await apply(Arrival.of({"event": {**event, "event_ts": "5.0"}}, BOT), rows)
    assert rows.calls == []
