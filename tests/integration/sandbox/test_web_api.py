"""Tokens, scopes, rates, pages and errors of the Web API, met through the real client."""

from typing import Any

import aiohttp
import pytest
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from bot.sandbox.server import Sandbox
from tests.integration.sandbox.conftest import EVERYTHING, HandClock, channel_id
from tests.integration.sandbox.test_limits import refusal
from tests.sandbox_fixtures import Person, populate


async def attempt(call: Any) -> Any:
    """The answer to a call, refused or not."""
    try:
        return await call
    except SlackApiError as error:
        return error.response


async def test_tokens(office: Sandbox) -> None:
    """Slack's errors: `not_authed` without a token, `invalid_auth` with a wrong one, and each kind has its methods."""
    address = office.api_url
    assert (await refusal(AsyncWebClient(base_url=address).auth_test()))["error"] == "not_authed"
    assert (await refusal(AsyncWebClient(token="xoxb-no", base_url=address).auth_test()))["error"] == "invalid_auth"
    app_client = AsyncWebClient(token=office.app_token, base_url=address)
    assert (await refusal(app_client.auth_test()))["error"] == "not_allowed_token_type"
    bot_client = AsyncWebClient(token=office.bot_token, base_url=address)
    opened = bot_client.apps_connections_open(app_token=office.bot_token)
    assert (await refusal(opened))["error"] == "not_allowed_token_type"
    assert (await bot_client.auth_test())["user_id"] == office.context.workspace.app.user


async def test_a_missing_scope_is_named(office: Sandbox, web: AsyncWebClient) -> None:
    """field-reports.md, sweatco/archie-hq#215: `missing_scope` says what is needed and what is provided."""
    office.context.faults.scopes.discard("chat:write")
    refused = await refusal(web.chat_postMessage(channel=channel_id(office, "sales"), text="hello"))
    assert (refused["error"], refused["needed"]) == ("missing_scope", "chat:write")
    assert "users:read" in refused["provided"].split(",")


async def test_each_kind_of_conversation_has_its_scope(office: Sandbox, web: AsyncWebClient) -> None:
    """slack.md, Identity and access: private channels are read by groups:*, public ones by channels:*."""
    office.context.faults.scopes -= {"groups:read", "groups:history"}
    await web.conversations_list(types="public_channel")
    refused = await refusal(web.conversations_list(types="public_channel,private_channel"))
    assert refused["needed"] == "groups:read"
    refused = await refusal(web.conversations_history(channel=channel_id(office, "prices")))
    assert refused["needed"] == "groups:history"


async def test_an_error_comes_with_status_200(office: Sandbox) -> None:
    """field-reports.md, use-agent-os/agent-os#2526: `ok: false` on HTTP 200."""
    headers = {"Authorization": f"Bearer {office.bot_token}"}
    async with (
        aiohttp.ClientSession(headers=headers) as session,
        session.post(f"{office.api_url}chat.postMessage", json={"channel": "C0", "text": "x"}) as response,
    ):
        assert response.status == 200
        assert await response.json() == {"ok": False, "error": "channel_not_found"}


@pytest.mark.parametrize("encoding", ["data", "json", "params"])
async def test_arguments_arrive_in_every_encoding(office: Sandbox, encoding: str) -> None:
    """Slack's Web API takes forms, JSON and queries; the token in the header or as an argument."""
    wanted = {"channel": channel_id(office, "sales")}
    async with (
        aiohttp.ClientSession(headers={"Authorization": f"Bearer {office.bot_token}"}) as session,
        session.request("POST", f"{office.api_url}conversations.info", **{encoding: wanted}) as response,
    ):
        assert (await response.json())["channel"]["name"] == "sales"


async def test_a_tier_runs_out_and_fills_again(timed: tuple[Sandbox, HandClock]) -> None:
    """slack.md, design 2 and Limits: chat.update is Tier 3, 429 with Retry-After past it, one allowance per method."""
    office, hand = timed
    web, sales = AsyncWebClient(token=office.bot_token, base_url=office.api_url), channel_id(office, "sales")
    ts = (await web.chat_postMessage(channel=sales, text="0"))["ts"]
    answers = [await attempt(web.chat_update(channel=sales, ts=ts, text=str(number))) for number in range(51)]
    allowed = [answer.status_code for answer in answers].index(429)
    assert 10 <= allowed <= 50
    assert answers[allowed]["error"] == "ratelimited"
    await web.auth_test()
    await hand.advance(int(answers[allowed].headers["Retry-After"]))
    await web.chat_update(channel=sales, ts=ts, text="at last")


async def test_posting_is_limited_by_channel(timed: tuple[Sandbox, HandClock]) -> None:
    """slack.md, Limits: chat.postMessage about one a second and channel."""
    office, hand = timed
    web = AsyncWebClient(token=office.bot_token, base_url=office.api_url)
    sales, prices = channel_id(office, "sales"), channel_id(office, "prices")
    answers = [await attempt(web.chat_postMessage(channel=sales, text=str(number))) for number in range(61)]
    assert answers[-1].status_code == 429
    await web.chat_postMessage(channel=prices, text="elsewhere")
    await hand.advance(1)
    await web.chat_postMessage(channel=sales, text="a second later")


async def test_lists_come_in_short_pages() -> None:
    """slack.md, Identity and access: short pages are legal; only an empty cursor ends a list."""
    async with Sandbox(page_cap=3, manifest=EVERYTHING) as office:
        populate(office)
        web = AsyncWebClient(token=office.bot_token, base_url=office.api_url)
        pages = [
            page["members"] async for page in await web.conversations_members(channel=channel_id(office, "general"))
        ]
        assert [len(page) for page in pages] == [2, 2]
        assert len({member for page in pages for member in page}) == 4
        refused = await refusal(web.users_list(cursor="nonsense"))
        assert refused["error"] == "invalid_cursor"


async def test_what_the_bot_may_not_see_does_not_exist(office: Sandbox, web: AsyncWebClient, mei: Person) -> None:
    """Slack's errors: a private channel without the bot is `channel_not_found`, a public one `not_in_channel`."""
    secret = (await mei.act("create", kind="private", name="secret"))["conversation"]["id"]
    for call in (web.conversations_info, web.conversations_members, web.conversations_history):
        assert (await refusal(call(channel=secret)))["error"] == "channel_not_found"
    lobby = channel_id(office, "lobby")
    assert (await web.conversations_info(channel=lobby))["channel"]["is_member"] is False
    assert (await refusal(web.conversations_history(channel=lobby)))["error"] == "not_in_channel"
    assert (await refusal(web.chat_postMessage(channel=lobby, text="hi")))["error"] == "not_in_channel"
    listed = await web.conversations_list(types="public_channel,private_channel")
    assert {one["name"] for one in listed["channels"]} == {"general", "sales", "lobby", "prices"}


async def test_a_person_is_described(office: Sandbox, web: AsyncWebClient, gus: Person) -> None:
    """slack.md, Identity and access: is_restricted for guests, is_stranger, deleted, is_bot, team_id."""
    user = (await web.users_info(user=gus.id))["user"]
    assert user["is_restricted"] is True
    assert (user["is_stranger"], user["deleted"], user["is_bot"]) == (False, False, False)
    assert user["team_id"] == office.context.workspace.app.team
    assert (await refusal(web.users_info(user="U0")))["error"] == "user_not_found"


async def test_replies_of_a_reply_are_that_reply(office: Sandbox, web: AsyncWebClient, mei: Person) -> None:
    """field-reports.md, chenhg5/cc-connect#1749: replies(ts=reply) returns one message, from the root the thread."""
    sales = channel_id(office, "sales")
    root = await mei.post("sales", "a question")
    reply = await mei.post("sales", "more of it", thread_ts=root)
    await mei.post("sales", "another")
    assert [one["ts"] for one in (await web.conversations_replies(channel=sales, ts=root))["messages"]] == [root, reply]
    assert [one["ts"] for one in (await web.conversations_replies(channel=sales, ts=reply))["messages"]] == [reply]
    texts = [one["text"] for one in (await web.conversations_history(channel=sales))["messages"]]
    assert texts == ["another", "a question"]
    latest = await web.conversations_history(channel=sales, latest=root, inclusive=True, limit=1)
    assert [one["ts"] for one in latest["messages"]] == [root]


async def test_trouble_on_demand(office: Sandbox, web: AsyncWebClient, mei: Person) -> None:
    """The control API: a method fails as often as asked, by Slack's error, by status or by rate; calls are recorded."""
    sales = channel_id(office, "sales")
    await mei.act("faults", method="chat.postMessage", error="fatal_error", times=2)
    await mei.act("faults", method="chat.postMessage", http=500)
    await mei.act("faults", method="chat.postMessage", retry_after=7)
    for _ in range(2):
        assert (await refusal(web.chat_postMessage(channel=sales, text="x")))["error"] == "fatal_error"
    with pytest.raises(SlackApiError, match="500"):
        await web.chat_postMessage(channel=sales, text="x")
    with pytest.raises(SlackApiError) as caught:
        await web.chat_postMessage(channel=sales, text="x")
    assert caught.value.response.headers["Retry-After"] == "7"
    await web.chat_postMessage(channel=sales, text="at last")
    calls = (await mei.look("calls"))["calls"]
    assert [(one["error"], one["status"]) for one in calls if one["method"] == "chat.postMessage"] == [
        ("fatal_error", 200),
        ("fatal_error", 200),
        ("internal_error", 500),
        ("ratelimited", 429),
        (None, 200),
    ]
    assert all(office.bot_token not in str(one) for one in calls)
