"""Slack's limits on messages, met through the real Web API client."""

from typing import Any

import pytest
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from bot.sandbox.server import Sandbox
from tests.integration.sandbox.conftest import channel_id
from tests.sandbox_fixtures import Person

Json = dict[str, Any]


def plain(text: str) -> Json:
    return {"type": "plain_text", "text": text}


def section(text: str) -> Json:
    return {"type": "section", "text": {"type": "mrkdwn", "text": text}}


def button(number: int = 0) -> Json:
    return {"type": "button", "text": plain("Open"), "action_id": f"open-{number}"}


async def refusal(call: Any) -> Json:
    """The answer to a call that Slack refuses."""
    with pytest.raises(SlackApiError) as caught:
        await call
    return dict(caught.value.response.data)


@pytest.fixture
def sales(office: Sandbox) -> str:
    return channel_id(office, "sales")


async def test_an_update_takes_4000_characters(web: AsyncWebClient, sales: str) -> None:
    """slack.md, design 1: chat.update text is capped at 4,000 characters (`msg_too_long`), chat.postMessage is not."""
    posted = await web.chat_postMessage(channel=sales, text="x" * 4_001)
    await web.chat_update(channel=sales, ts=posted["ts"], text="y" * 4_000)
    assert (await refusal(web.chat_update(channel=sales, ts=posted["ts"], text="y" * 4_001)))["error"] == "msg_too_long"


async def test_a_post_is_cut_at_40000_characters(web: AsyncWebClient, sales: str) -> None:
    """slack.md, Limits: postMessage text truncates at 40k."""
    posted = await web.chat_postMessage(channel=sales, text="x" * 40_001)
    assert len(posted["message"]["text"]) == 40_000


async def test_an_update_without_blocks_removes_them(web: AsyncWebClient, sales: str, mei: Person) -> None:
    """slack.md, Limits: chat.update with `text` and no `blocks` removes old blocks."""
    posted = await web.chat_postMessage(channel=sales, text="a", blocks=[section("a")])
    assert "blocks" in (await mei.messages("sales"))[0]
    await web.chat_update(channel=sales, ts=posted["ts"], text="b")
    (message,) = await mei.messages("sales")
    assert message["text"] == "b"
    assert "blocks" not in message


async def test_an_update_in_a_direct_message_needs_its_own_id(web: AsyncWebClient, mei: Person) -> None:
    """slack.md, Limits: chat.update needs a D… channel id in DMs; chat.postMessage takes the person's id."""
    posted = await web.chat_postMessage(channel=mei.id, text="hello")
    assert posted["channel"].startswith("D")
    await web.chat_update(channel=posted["channel"], ts=posted["ts"], text="hello again")
    assert (await refusal(web.chat_update(channel=mei.id, ts=posted["ts"], text="no")))["error"] == "channel_not_found"


@pytest.mark.parametrize(
    ("fits", "too_much"),
    [
        ([section("x")] * 50, [section("x")] * 51),
        ([section("x" * 3_000)], [section("x" * 3_001)]),
        ([{"type": "header", "text": plain("x" * 150)}], [{"type": "header", "text": plain("x" * 151)}]),
        ([{"type": "context", "elements": [plain("x")] * 10}], [{"type": "context", "elements": [plain("x")] * 11}]),
        (
            [{"type": "actions", "elements": [button(number) for number in range(25)]}],
            [{"type": "actions", "elements": [button(number) for number in range(26)]}],
        ),
        (
            [{"type": "markdown", "text": "# heading\n\ntext\n\n" * 25}],
            [{"type": "markdown", "text": "# heading\n\ntext\n\n" * 26}],
        ),
    ],
    ids=["50 blocks", "section 3,000", "header 150", "context 10", "actions 25", "markdown expands"],
)
async def test_blocks_have_limits(web: AsyncWebClient, sales: str, fits: list[Json], too_much: list[Json]) -> None:
    """slack.md, Limits: ≤ 50 blocks (what markdown expands into counts), section 3,000, header 150, context 10, …"""
    await web.chat_postMessage(channel=sales, text="t", blocks=fits)
    refused = await refusal(web.chat_postMessage(channel=sales, text="t", blocks=too_much))
    assert refused["error"] == "invalid_blocks"
    assert refused["response_metadata"]["messages"]


async def test_markdown_blocks_share_12000_characters(web: AsyncWebClient, sales: str) -> None:
    """slack.md, Limits: markdown blocks 12,000 cumulative per payload, 12,001 → `msg_too_long`."""
    half = {"type": "markdown", "text": "x" * 6_000}
    posted = await web.chat_postMessage(channel=sales, text="t", blocks=[half, half])
    more = [half, {"type": "markdown", "text": "x" * 6_001}]
    assert (await refusal(web.chat_postMessage(channel=sales, text="t", blocks=more)))["error"] == "msg_too_long"
    update = web.chat_update(channel=sales, ts=posted["ts"], text="t", blocks=more)
    assert (await refusal(update))["error"] == "msg_too_long"


async def test_a_message_has_100_attachments(web: AsyncWebClient, sales: str) -> None:
    """slack.md, Limits: attachments ≤ 100."""
    await web.chat_postMessage(channel=sales, text="t", attachments=[{"text": "a"}] * 100)
    refused = await refusal(web.chat_postMessage(channel=sales, text="t", attachments=[{"text": "a"}] * 101))
    assert refused["error"] == "too_many_attachments"


@pytest.mark.parametrize(
    "block",
    [
        {"type": "carousel"},
        {"type": "section"},
        {"type": "header", "text": {"type": "mrkdwn", "text": "x"}},
        {"type": "section", "text": {"type": "mrkdwn", "text": ""}},
        {"type": "markdown", "text": ""},
        {"type": "image", "image_url": "https://example.org/a.png"},
        {"type": "actions", "elements": [button(), button()]},
        {"type": "actions", "elements": [{**button(), "text": plain("x" * 76)}]},
        {"type": "actions", "elements": [{**button(), "value": "x" * 2_001}]},
    ],
    ids=lambda block: block["type"],
)
async def test_malformed_blocks_are_refused(web: AsyncWebClient, sales: str, block: Json) -> None:
    """slack.md, Limits, and Slack's Block Kit reference: what is not a block is `invalid_blocks`."""
    assert (await refusal(web.chat_postMessage(channel=sales, text="t", blocks=[block])))["error"] == "invalid_blocks"


async def test_a_message_needs_something(web: AsyncWebClient, sales: str) -> None:
    """Slack's chat.postMessage: neither text nor blocks nor attachments is `no_text`."""
    assert (await refusal(web.api_call("chat.postMessage", json={"channel": sales})))["error"] == "no_text"


async def test_ephemeral_messages_cannot_be_edited(web: AsyncWebClient, sales: str, mei: Person, tom: Person) -> None:
    """ingredients.md, Traps: ephemeral messages can't be edited; only their reader sees them, and no event tells."""
    shown = await web.chat_postEphemeral(channel=sales, user=mei.id, text="for you")
    assert [one["text"] for one in await mei.messages("sales") if one["ephemeral"]] == ["for you"]
    assert await tom.messages("sales") == []
    update = web.chat_update(channel=sales, ts=shown["message_ts"], text="no")
    assert (await refusal(update))["error"] == "message_not_found"


async def test_only_its_own_messages_can_be_changed(web: AsyncWebClient, sales: str, mei: Person) -> None:
    """Slack's chat.update and chat.delete: `cant_update_message`, `cant_delete_message`, `message_not_found`."""
    ts = await mei.post("sales", "mine")
    assert (await refusal(web.chat_update(channel=sales, ts=ts, text="no")))["error"] == "cant_update_message"
    assert (await refusal(web.chat_delete(channel=sales, ts=ts)))["error"] == "cant_delete_message"
    await mei.delete("sales", ts)
    assert (await refusal(web.chat_update(channel=sales, ts=ts, text="no")))["error"] == "message_not_found"
