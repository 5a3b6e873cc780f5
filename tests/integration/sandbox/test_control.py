"""What people see and may do, the page's stream, and who may call at all."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
import pytest
from slack_sdk.web.async_client import AsyncWebClient

from bot.sandbox.server import Sandbox
from bot.sandbox.stream import MAX_WAITING
from tests.integration.sandbox.conftest import PATIENCE, channel_id
from tests.sandbox_fixtures import Person, Refused

Json = dict[str, Any]


@asynccontextmanager
async def streaming(office: Sandbox, person: Person) -> AsyncIterator[aiohttp.ClientWebSocketResponse]:
    """The changes that this person's page hears."""
    async with (
        aiohttp.ClientSession() as session,
        session.ws_connect(f"{office.page_url}control/stream", params={"as": person.id}) as socket,
    ):
        yield socket


async def heard(socket: aiohttp.ClientWebSocketResponse, *types: str) -> list[Json]:
    """The next changes of these types, others are passed over."""
    found: list[Json] = []
    async with asyncio.timeout(PATIENCE):
        while len(found) < len(types):
            change = await socket.receive_json()
            if change["type"] == types[len(found)]:
                found.append(change)
    return found


async def test_people_see_their_conversations(office: Sandbox, mei: Person, tom: Person, gus: Person) -> None:
    """slack.md, Identity and access: guests do not see all public channels; private ones only members see."""
    names = [{one["name"] for one in await person.conversations()} for person in (mei, tom, gus)]
    assert names == [{"general", "sales", "lobby", "prices"}, {"general", "sales", "lobby"}, {"general"}]
    with pytest.raises(Refused, match="channel_not_found"):
        await tom.messages("prices")
    assert await tom.messages("lobby") == []


async def test_only_members_write(office: Sandbox, mei: Person, tom: Person) -> None:
    """Slack: a public channel is read by everyone, written by its members; private ones are joined by invitation."""
    with pytest.raises(Refused, match="Join the channel first"):
        await tom.post("lobby", "hello")
    await tom.act("join", conversation="lobby")
    await tom.post("lobby", "hello")
    (secret,) = [one for one in await mei.conversations() if one["name"] == "prices"]
    with pytest.raises(Refused, match="channel_not_found"):
        await tom.act("join", conversation=secret["id"])


async def test_only_their_own_messages(office: Sandbox, mei: Person, tom: Person) -> None:
    """Slack: people edit and delete what they wrote themselves."""
    ts = await mei.post("sales", "mine")
    for deed in (tom.edit("sales", ts, "yours"), tom.delete("sales", ts)):
        with pytest.raises(Refused, match="not_allowed"):
            await deed


async def test_who_has_left_does_nothing(office: Sandbox, mei: Person, tom: Person) -> None:
    """slack.md, Identity and access: `deleted` people are no members of anything any more."""
    await mei.act("deactivate", user=tom.id)
    with pytest.raises(Refused, match="left the workspace"):
        await tom.post("sales", "hello")
    with pytest.raises(Refused, match="channel_not_found"):
        await tom.messages("sales")


async def test_the_page_hears_what_its_person_may_see(
    office: Sandbox, web: AsyncWebClient, mei: Person, tom: Person
) -> None:
    """The control API's stream: messages, edits, deletions, reactions and ephemerals as they happen, no others'."""
    sales = channel_id(office, "sales")
    async with streaming(office, tom) as socket:
        await mei.post("prices", "secret")
        posted = await web.chat_postMessage(channel=sales, text="one")
        await web.chat_update(channel=sales, ts=posted["ts"], text="two")
        await web.reactions_add(channel=sales, timestamp=posted["ts"], name="eyes")
        await web.chat_postEphemeral(channel=sales, user=mei.id, text="for mei")
        await web.chat_postEphemeral(channel=sales, user=tom.id, text="for tom")
        await web.chat_delete(channel=sales, ts=posted["ts"])
        changes = await heard(socket, "message", "message_changed", "reaction", "ephemeral", "message_deleted")
    assert [one["message"]["text"] for one in changes[:4]] == ["one", "two", "two", "for tom"]
    assert {one["conversation"] for one in changes} == {sales}
    assert changes[4]["ts"] == posted["ts"]


async def test_the_page_hears_of_people_and_places(office: Sandbox, mei: Person, tom: Person) -> None:
    """The control API's stream: conversation_changed also to the one who has just lost sight of it."""
    prices = channel_id(office, "prices")
    async with streaming(office, tom) as socket:
        await mei.act("invite", conversation=prices, user=tom.id)
        await mei.act("kick", conversation=prices, user=tom.id)
        await mei.act("person", name="ann")
        changes = await heard(socket, "conversation_changed", "message", "conversation_changed", "person_changed")
    assert [one.get("conversation") for one in changes] == [prices, prices, prices, None]
    assert changes[3]["person"]["name"] == "ann"


async def test_a_page_that_falls_behind_is_cut_off(office: Sandbox, mei: Person) -> None:
    """The server keeps no endless queue for a page that does not read."""
    listener = office.context.stream.listen(mei.id)
    for number in range(MAX_WAITING + 1):
        office.context.stream.publish_to({mei.id}, {"type": "message", "number": number})
    assert listener.queue.get_nowait() is None
    assert listener.queue.empty()


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "evil.example"}, 403),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({}, 200),
    ],
    ids=["rebound host", "foreign page", "file or sandboxed page", "a program"],
)
async def test_only_this_machine_may_call(office: Sandbox, headers: dict[str, str], status: int) -> None:
    """The control API: loopback only; a foreign Host (DNS rebinding) or Origin (another site's page) is refused."""
    async with aiohttp.ClientSession(headers=headers) as session:
        async with session.get(f"{office.page_url}control/workspace") as response:
            assert response.status == status
        async with session.post(f"{office.api_url}auth.test") as response:
            assert response.status == status


async def test_its_own_page_may_call(office: Sandbox) -> None:
    """The control API: the page's own origin is let in, and may load nothing from elsewhere."""
    origin = office.page_url.rstrip("/")
    async with (
        aiohttp.ClientSession(headers={"Origin": origin}) as session,
        session.get(f"{office.page_url}control/workspace") as response,
    ):
        body = await response.json()
        policy = response.headers["Content-Security-Policy"]
        resource_policy = response.headers["Cross-Origin-Resource-Policy"]
    assert body["bot"]["user_id"] == office.context.workspace.app.user
    assert {one["name"] for one in body["people"]} == {"haitang", "mei", "tom", "gus"}
    assert policy.startswith("default-src 'none'")
    assert "unsafe" not in policy
    assert resource_policy == "same-origin"


@pytest.mark.parametrize(
    ("deed", "fields", "words"),
    [
        ("post", {"conversation": "sales"}, "text is missing"),
        ("post", {"conversation": "nowhere", "text": "x"}, "no such conversation"),
        ("create", {"kind": "public", "name": "sales"}, "already"),
        ("create", {"kind": "public"}, "needs a name"),
        ("create", {"kind": "shared"}, "public, private"),
        ("create", {"kind": "dm", "members": ["nobody"]}, "nobody of this name"),
        ("person", {"name": "tom"}, "already"),
        ("edit", {"conversation": "sales", "ts": "1.2", "text": "x"}, "not exist any more"),
        ("click", {"conversation": "sales", "message_ts": "1.2", "block_id": "b", "action_id": "a"}, "not exist"),
        ("share_file", {"file": "F0", "conversation": "sales"}, "not exist any more"),
    ],
)
async def test_refusals_are_in_words(mei: Person, deed: str, fields: Json, words: str) -> None:
    """The control API: errors carry a message for people."""
    with pytest.raises(Refused, match=words):
        await mei.act(deed, **fields)


async def test_a_body_that_is_no_object(office: Sandbox) -> None:
    """The control API: what is not a JSON object is refused, not a crash."""
    headers = {"Content-Type": "application/json"}
    async with aiohttp.ClientSession(headers=headers) as session:
        for body in ("{", "[1]", '"text"', ""):
            async with session.post(f"{office.page_url}control/post", data=body) as response:
                assert response.status == 400
                assert (await response.json())["message"]
