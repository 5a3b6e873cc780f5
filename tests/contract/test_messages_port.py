"""``handlers.ports.Messages``: the adapter against the local workspace, and the double that unit tests use."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from dataclasses import dataclass

import aiohttp
import pytest

from bot.sandbox.server import Sandbox
from handlers.adapters.slack import SlackMessages, web_client
from handlers.errors import Gone
from handlers.model import Outgoing
from handlers.ports import Messages
from tests.sandbox_fixtures import Person
from tests.unit.handlers.slack_double import FakeSlack


@dataclass
class Place:
    """A way to write, a channel to write to, and a person in it."""

    messages: Messages
    channel: str
    person: str


@pytest.fixture(params=["slack", "double"])
async def place(request: pytest.FixtureRequest, office: Sandbox) -> AsyncIterator[Place]:
    if request.param == "double":
        yield Place(FakeSlack(), "C1", "U1")
        return
    general = next(room.id for room in office.context.workspace.conversations.values() if room.name == "general")
    client = web_client(token=office.bot_token, base_url=office.api_url)
    async with aiohttp.ClientSession() as session:
        client.session = session
        yield Place(SlackMessages(client=client, clock=time.monotonic), general, Person(office, "mei").id)


HELLO = Outgoing(text="hello", blocks=({"type": "markdown", "text": "**hello**"},))


async def test_posts_have_names_of_their_own(place: Place) -> None:
    first = await place.messages.post(place.channel, HELLO)
    second = await place.messages.post(place.channel, HELLO, thread_ts=first, urgent=True)
    assert first != second


async def test_a_named_post_is_found_again(place: Place) -> None:
    """A process that dies right after a post does not know its ts; the next one finds it."""
    root = await place.messages.post(place.channel, HELLO)
    named = await place.messages.post(place.channel, HELLO, thread_ts=root, name="run_1")
    since = time.time() - 60
    assert await place.messages.find(place.channel, "run_1", thread_ts=root, since=since) == named
    assert await place.messages.find(place.channel, "run_2", thread_ts=root, since=since) is None


async def test_a_post_to_a_person_goes_to_their_direct_message(place: Place) -> None:
    assert await place.messages.post(place.person, HELLO)


async def test_an_edit_replaces_and_needs_the_message(place: Place) -> None:
    ts = await place.messages.post(place.channel, HELLO)
    await place.messages.edit(place.channel, ts, Outgoing(text="bye"))
    await place.messages.delete(place.channel, ts)
    with pytest.raises(Gone):
        await place.messages.edit(place.channel, ts, HELLO)
    with pytest.raises(Gone):
        await place.messages.delete(place.channel, ts)


async def test_reactions_may_be_there_or_not(place: Place) -> None:
    ts = await place.messages.post(place.channel, HELLO)
    for _ in range(2):
        await place.messages.react(place.channel, ts, "eyes")
    for _ in range(2):
        await place.messages.unreact(place.channel, ts, "eyes")


async def test_a_whisper_reaches_a_member(place: Place) -> None:
    await place.messages.whisper(place.channel, place.person, "between us")
    await place.messages.whisper(place.channel, place.person, HELLO)


async def test_a_direct_message_can_be_edited_where_it_went(place: Place) -> None:
    conversation, ts = await place.messages.direct(place.person, HELLO)
    await place.messages.edit(conversation, ts, Outgoing(text="bye"))
