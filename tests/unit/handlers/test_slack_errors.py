"""Slack's errors become ours once, and what may be tried again is."""

from __future__ import annotations

from typing import Any

import aiohttp
import pytest
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_slack_response import AsyncSlackResponse

from handlers import errors
from handlers.adapters.files import shares_of, spoken
from handlers.adapters.slack import bypasses_proxy, patient_call, translate, web_client
from handlers.model import FileShare
from handlers.trouble import explain
from permissions.model import ConversationKind


def refused(error: str | None, *, status: int = 200, headers: dict[str, str] | None = None, **more: Any) -> Exception:
    data = {"ok": False, "error": error, **more} if error else None
    response = AsyncSlackResponse(
        client=web_client(token="xoxb-1"),
        http_verb="POST",
        api_url="https://slack.com/api/x",
        req_args={},
        data=data,
        headers=headers or {},
        status_code=status,
    )
    return SlackApiError("refused", response)


@pytest.mark.parametrize(
    ("problem", "kind"),
    [
        (refused("message_not_found"), errors.Gone),
        (refused("not_in_channel"), errors.Gone),
        (refused("edit_window_closed"), errors.NotEditable),
        (refused("streaming_state_conflict"), errors.NotEditable),
        (refused("msg_too_long"), errors.TooLong),
        (refused("invalid_blocks"), errors.TooLong),
        (refused("invalid_auth"), errors.NotAuthorised),
        (refused("internal_error"), errors.Unreachable),
        (refused(None, status=503), errors.Unreachable),
        (refused("never_heard_of_it"), errors.Refused),
        (aiohttp.ServerDisconnectedError(), errors.Unreachable),
        (TimeoutError(), errors.Unreachable),
    ],
    ids=str,
)
def test_each_error_has_its_kind(problem: Exception, kind: type[errors.SlackError]) -> None:
    found = translate(problem, "chat.update")
    assert type(found) is kind
    assert "chat.update" in str(found)


@pytest.mark.parametrize(
    ("error", "en", "zh"),
    [
        (errors.MissingScope(method="files.info", needed="files:read"), "permission `files:read`", "权限 `files:read`"),
        (errors.HtmlInstead("html_instead"), "permission `files:read`", "权限 `files:read`"),
        (errors.Gone("file_deleted"), "no longer in Slack", "已不存在"),
        (errors.TooBig(2, 1), "too large", "太大"),
        (errors.Unreachable("timeout"), "try again in a moment", "稍等片刻再试"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_each_error_has_a_cause_and_a_remedy_in_words(error: errors.SlackError, en: str, zh: str) -> None:
    assert en in explain(error, "en")
    assert zh in explain(error, "zh")


def test_a_missing_permission_is_named() -> None:
    found = translate(refused("missing_scope", needed="chat:write"), "chat.postMessage")
    assert isinstance(found, errors.MissingScope)
    assert found.needed == "chat:write"


@pytest.mark.parametrize(
    ("headers", "seconds"), [({"Retry-After": "7"}, 7.0), ({}, 1.0), ({"Retry-After": "soon"}, 1.0)]
)
def test_a_429_says_how_long_to_wait(headers: dict[str, str], seconds: float) -> None:
    found = translate(refused("ratelimited", status=429, headers=headers), "chat.update")
    assert isinstance(found, errors.RateLimited)
    assert found.retry_after == seconds


async def test_a_call_is_tried_again_after_429s_but_not_after_a_refusal() -> None:
    answers: list[Exception] = [
        refused("ratelimited", status=429, headers={"Retry-After": "0"}),
        refused("is_archived"),
    ]

    async def request() -> Any:
        raise answers.pop(0)

    with pytest.raises(errors.Gone, match="is_archived"):
        await patient_call("chat.postMessage", request)
    assert answers == []


def test_the_places_of_a_file_are_the_union_and_the_more_private_kind_counts() -> None:
    file = {
        "shares": {"public": {"C1": [{}]}, "private": {"G1": [{}], "D1": [{}]}},
        "channels": ["C1", "C2"],
        "groups": ["G2", "C1"],
        "ims": ["D2"],
    }
    assert set(shares_of(file)) == {
        FileShare("C1", ConversationKind.PRIVATE),
        FileShare("C2", ConversationKind.PUBLIC),
        FileShare("G1", ConversationKind.PRIVATE),
        FileShare("G2", ConversationKind.PRIVATE),
        FileShare("D1", ConversationKind.DM),
        FileShare("D2", ConversationKind.DM),
    }


def test_the_words_of_subtitles() -> None:
    first, second = (
        "1\n00:00:00.000 --> 00:00:02.000\n<v Mei>how long",
        "2\n00:00:02.000 --> 00:00:03.000\nis it &amp; why",
    )
    vtt = f"WEBVTT\n\n{first}\n\n{second}"
    assert spoken(vtt) == "how long is it & why"
    assert spoken("WEBVTT\n\n") is None


def test_no_proxy_is_honoured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy.example:3128")
    monkeypatch.setenv("https_proxy", "http://proxy.example:3128")
    monkeypatch.setenv("NO_PROXY", "slack.example")
    monkeypatch.setenv("no_proxy", "slack.example")
    assert bypasses_proxy("http://127.0.0.1:5000/api/")
    assert web_client(token="xoxb-1", base_url="https://slack.example/api/").proxy is None
    assert web_client(token="xoxb-1").proxy == "http://proxy.example:3128"
