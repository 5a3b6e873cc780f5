"""What is noted of a click: who, where, which button, and the ids that it carries."""

from __future__ import annotations

from typing import Any

import pytest

from handlers.clicks import entries

USER = {"user": {"id": "U1"}, "channel": {"id": "C1"}}


def noted(body: dict[str, Any]) -> list[dict[str, Any]]:
    return [dict(entry.details) for entry in entries({**USER, **body}, team="T1")]


@pytest.mark.parametrize(
    ("body", "details"),
    [
        (
            {"type": "block_actions", "actions": [{"action_id": "open_citation", "value": "ev_1"}]},
            {"what": "open_citation", "value": "ev_1"},
        ),
        (
            {"type": "view_submission", "view": {"callback_id": "forget", "private_metadata": "d1"}},
            {"what": "forget", "value": "d1"},
        ),
        (
            {"type": "message_action", "callback_id": "who_can_see", "message": {"ts": "1.5", "text": "secret"}},
            {"what": "who_can_see", "value": "1.5"},
        ),
    ],
)
def test_each_kind_of_click_says_what_and_on_what(body: dict[str, Any], details: dict[str, Any]) -> None:
    assert noted(body) == [details]


@pytest.mark.parametrize("value", ["what does the flat cost?", "报价单", "", "x" * 201])
def test_what_may_be_somebodys_words_is_left_out(value: str) -> None:
    body = {"type": "block_actions", "actions": [{"action_id": "a", "value": value}]}
    assert noted(body) == [{"what": "a"}]


def test_a_click_outside_of_any_conversation_has_none() -> None:
    body = {"type": "block_actions", "user": {"id": "U1"}, "actions": [{"action_id": "a"}]}
    (entry,) = entries(body, team="T1")
    assert (entry.conversation, entry.actor) == (None, "U1")
