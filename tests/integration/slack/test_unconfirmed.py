"""A post that Slack took but did not confirm stands once, not twice (reports of slow Slack: seconds per call)."""

from __future__ import annotations

import itertools
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest
from slack_sdk.web.async_client import AsyncWebClient

from bot.sandbox.server import Sandbox
from handlers.adapters.slack import SlackMessages, web_client
from handlers.model import Outgoing
from tests.sandbox_fixtures import Person

HELLO = Outgoing(text="hello")


@pytest.fixture
async def client(office: Sandbox) -> AsyncIterator[AsyncWebClient]:
    client = web_client(token=office.bot_token, base_url=office.api_url)
    async with aiohttp.ClientSession() as session:
        client.session = session
        yield client


def unconfirmed(client: AsyncWebClient, monkeypatch: pytest.MonkeyPatch, *, times: int, taken: bool = True) -> None:
    """The next posts time out; Slack has ``taken`` them or not."""
    calls = itertools.count(1)
    post = client.chat_postMessage

    async def lost(**values: Any) -> Any:
        is_lost = next(calls) <= times
        response = await post(**values) if taken or not is_lost else None
        if is_lost:
            raise TimeoutError
        return response

    monkeypatch.setattr(client, "chat_postMessage", lost)


def general(office: Sandbox) -> str:
    return next(room.id for room in office.context.workspace.conversations.values() if room.name == "general")


@pytest.mark.parametrize("is_reply", [True, False])
@pytest.mark.parametrize("taken", [True, False])
async def test_it_is_posted_once(
    office: Sandbox, client: AsyncWebClient, monkeypatch: pytest.MonkeyPatch, *, is_reply: bool, taken: bool
) -> None:
    channel, mei = general(office), Person(office, "mei")
    root = await mei.post(channel, "a thread") if is_reply else None
    messages = SlackMessages(client=client)
    await messages.post(channel, HELLO, thread_ts=root)
    unconfirmed(client, monkeypatch, times=1, taken=taken)
    ts = await messages.post(channel, HELLO, thread_ts=root)
    said = [one for one in await mei.messages(channel, thread_ts=root) if one["text"] == "hello"]
    assert [one["ts"] for one in said][1:] == [ts]


async def test_without_the_right_to_look_it_is_posted_rather_twice_than_never(
    office: Sandbox, client: AsyncWebClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    channel, mei = general(office), Person(office, "mei")
    await mei.act("faults", revoke_scope="channels:history")
    unconfirmed(client, monkeypatch, times=1)
    ts = await SlackMessages(client=client).post(channel, HELLO)
    assert [one["ts"] for one in await mei.messages(channel)][-1] == ts
