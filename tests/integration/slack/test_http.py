"""The same bot, fed by signed HTTP requests."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime

import aiohttp
import pytest
from aiohttp import web

from bot.app import EVENTS_PATH, SlackApp
from bot.config import SettingsError
from handlers.adapters.slack import web_client
from handlers.errors import NotAuthorised
from tests.integration.slack.conftest import Bot, NothingPrivate
from tests.integration.slack.test_showing import VIEW, opened


async def ready(_: web.Request) -> web.Response:
    return web.Response(text="ready")


@pytest.fixture
async def address(offline_bot: Bot) -> str:
    """Where the bot listens; the workspace sends its events there."""
    port = await offline_bot.app.listen(host="127.0.0.1", port=0, extra=[web.get("/readyz", ready)])
    url = f"http://127.0.0.1:{port}"
    await offline_bot.person("mei").act("http_events", url=url + EVENTS_PATH)
    return url


@pytest.fixture
async def session() -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession() as session:
        yield session


@pytest.mark.usefixtures("address")
async def test_a_mention_is_one_question(offline_bot: Bot) -> None:
    bot = offline_bot
    await bot.person("mei").post(bot.channel("general"), f"{bot.mention} how long is the warranty?")
    inquiry = await bot.asked()
    await bot.notes.until(lambda: bot.questions.deliveries == 2)
    assert (inquiry.text, len(bot.questions.asked)) == ("how long is the warranty?", 1)


@pytest.mark.usefixtures("address")
async def test_what_could_not_be_accepted_is_delivered_again(offline_bot: Bot) -> None:
    bot = offline_bot
    bot.questions.failures = 2  # the mention and its twin
    await bot.person("mei").post(bot.channel("general"), f"{bot.mention} how long is the warranty?")
    await bot.asked()
    await bot.notes.until(lambda: bot.questions.deliveries == 4)
    assert len(bot.questions.asked) == 1


@pytest.mark.usefixtures("address")
async def test_a_citation_is_opened(offline_bot: Bot) -> None:
    view = await opened(offline_bot, VIEW)
    assert view["title"]["text"] == "Source [1]"


async def test_an_unsigned_request_is_turned_away(
    offline_bot: Bot, address: str, session: aiohttp.ClientSession
) -> None:
    event = {"type": "app_mention", "user": "U1", "channel": "C1", "ts": "1.0", "text": offline_bot.mention}
    body = {"type": "event_callback", "team_id": "T1", "event_id": "Ev1", "event": event}
    for headers in ({}, {"X-Slack-Signature": "v0=00", "X-Slack-Request-Timestamp": "1"}):
        async with session.post(address + EVENTS_PATH, json=body, headers=headers) as response:
            assert response.status == 401
    assert offline_bot.questions.deliveries == 0


async def test_further_routes_are_served_beside(address: str, session: aiohttp.ClientSession) -> None:
    async with session.get(f"{address}/readyz") as response:
        assert await response.text() == "ready"


async def test_wrong_tokens_are_errors_at_the_start(offline_bot: Bot) -> None:
    bot = offline_bot
    app = SlackApp(
        client=web_client(token="xoxb-wrong", base_url=bot.sandbox.api_url),
        questions=bot.questions,
        private=NothingPrivate(),
        contributions=bot.uploads,
        uploads=bot.uploads,
        citations=bot.citations,
        library=bot.library,
        memberships=bot.memberships,
        messages=bot.messages,
        audit=bot.trail,
        now=lambda: datetime.now(UTC),
    )
    with pytest.raises(NotAuthorised):
        await app.open()
    bot.app._app_token = "xapp-wrong"
    with pytest.raises(NotAuthorised):
        await bot.app.connect()


async def test_which_workspace_of_an_organisation_is_served_has_to_be_said(offline_bot: Bot) -> None:
    """Its token is for all of them, and auth.test names none."""
    workspace = offline_bot.sandbox.context.workspace
    workspace.save_app(replace(workspace.app, enterprise="E0ORG"))
    with pytest.raises(SettingsError, match="SLACK_TEAM_ID"):
        await offline_bot.app.open()
