"""Socket Mode, met through the SDK's own client and through bolt."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest
from slack_bolt.async_app import AsyncApp
from slack_sdk.socket_mode.aiohttp import SocketModeClient
from slack_sdk.socket_mode.request import SocketModeRequest
from slack_sdk.socket_mode.response import SocketModeResponse
from slack_sdk.web.async_client import AsyncWebClient

from bot.sandbox.server import Sandbox
from tests.integration.sandbox.conftest import PATIENCE, Ears, HandClock
from tests.sandbox_fixtures import Person, Refused


class Client:
    """The SDK's socket client, which notes every request and acknowledges when told to."""

    def __init__(self, sandbox: Sandbox, *, acknowledges: bool = True) -> None:
        web = AsyncWebClient(token=sandbox.bot_token, base_url=sandbox.api_url)
        self.sdk = SocketModeClient(app_token=sandbox.app_token, web_client=web)
        self.sdk.socket_mode_request_listeners.append(self._take)
        self.requests: asyncio.Queue[SocketModeRequest] = asyncio.Queue()
        self.acknowledges = acknowledges

    async def _take(self, client: Any, request: SocketModeRequest) -> None:
        await self.requests.put(request)
        if self.acknowledges:
            await client.send_socket_mode_response(SocketModeResponse(envelope_id=request.envelope_id))

    async def next(self) -> SocketModeRequest:
        return await asyncio.wait_for(self.requests.get(), PATIENCE)


@pytest.fixture
async def clients() -> AsyncIterator[list[Client]]:
    opened: list[Client] = []
    yield opened
    for client in opened:
        await client.sdk.close()


async def connect(clients: list[Client], sandbox: Sandbox, *, acknowledges: bool = True) -> Client:
    client = Client(sandbox, acknowledges=acknowledges)
    clients.append(client)
    await client.sdk.connect()
    return client


async def test_each_payload_goes_to_one_connection(office: Sandbox, clients: list[Client], mei: Person) -> None:
    """slack.md, Limits: Socket Mode, each payload goes to one of the connections."""
    one, other = await connect(clients, office), await connect(clients, office)
    for number in range(6):
        await mei.post("sales", str(number))
    taken = [await client.next() for client in (one, other) for _ in range(3)]
    assert {request.payload["event"]["text"] for request in taken} == set("012345")
    assert one.requests.empty()
    assert other.requests.empty()


async def test_ten_connections_and_no_more(office: Sandbox, clients: list[Client]) -> None:
    """slack.md, Limits: Socket Mode, 10 connections."""
    for _ in range(10):
        await connect(clients, office)
    web = AsyncWebClient(token=office.bot_token, base_url=office.api_url)
    address = (await web.apps_connections_open(app_token=office.app_token))["url"]
    async with aiohttp.ClientSession() as session:
        with pytest.raises(aiohttp.WSServerHandshakeError):
            await session.ws_connect(address)


async def test_an_address_opens_one_connection(office: Sandbox) -> None:
    """Slack's apps.connections.open: the address carries a ticket, good for one connection."""
    web = AsyncWebClient(token=office.bot_token, base_url=office.api_url)
    address = (await web.apps_connections_open(app_token=office.app_token))["url"]
    async with aiohttp.ClientSession() as session:
        socket = await session.ws_connect(address)
        assert (await socket.receive_json())["type"] == "hello"
        with pytest.raises(aiohttp.WSServerHandshakeError):
            await session.ws_connect(address)


async def test_unacknowledged_events_come_again(timed: tuple[Sandbox, HandClock], clients: list[Client]) -> None:
    """slack.md, Limits: unacked events are retried: at once, after a minute, after five; each says so."""
    office, hand = timed
    client = await connect(clients, office, acknowledges=False)
    await Person(office, "mei").post("sales", "hello")
    requests = [await client.next()]
    for wait in (0, 60, 300):
        await hand.pass_by(3)
        if wait:
            await hand.pass_by(wait)
        requests.append(await client.next())
    assert [request.retry_attempt for request in requests] == [0, 1, 2, 3]
    assert [request.retry_reason for request in requests] == ["", "timeout", "timeout", "timeout"]
    assert len({request.payload["event_id"] for request in requests}) == 1
    assert len({request.envelope_id for request in requests}) == 4
    await hand.pass_by(3)
    await hand.advance(300)
    assert client.requests.empty()


async def test_unacknowledged_interactions_do_not(timed: tuple[Sandbox, HandClock], clients: list[Client]) -> None:
    """slack.md, Limits: interactive payloads are not retried; who pressed learns that nothing answered."""
    office, hand = timed
    client = await connect(clients, office, acknowledges=False)
    mei = Person(office, "mei")
    web = AsyncWebClient(token=office.bot_token, base_url=office.api_url)
    button = {"type": "button", "text": {"type": "plain_text", "text": "Open"}, "action_id": "open"}
    blocks = [{"type": "actions", "elements": [button]}]
    posted = await web.chat_postMessage(channel=mei.id, text="t", blocks=blocks)
    (message,) = await mei.messages(posted["channel"])
    pressing = asyncio.create_task(mei.click(posted["channel"], message, "open"))
    while (await client.next()).type != "interactive":
        pass
    await hand.pass_by(3)
    with pytest.raises(Refused, match="no_response"):
        await pressing
    await hand.advance(600)
    assert all(client.requests.get_nowait().type == "events_api" for _ in range(client.requests.qsize()))


async def test_a_dropped_socket_loses_nothing(office: Sandbox, app: AsyncApp, ears: Ears, mei: Person) -> None:
    """The socket drops without a word: the SDK connects again, and what was said meanwhile arrives."""
    office.context.socket_mode.drop()
    await mei.post("sales", "said to nobody")
    await ears.wait("message", text="said to nobody")


async def test_an_event_in_flight_survives_a_drop(timed: tuple[Sandbox, HandClock], clients: list[Client]) -> None:
    """slack.md, Limits: an event that was not acknowledged before its connection went comes at once on the next one."""
    office, _ = timed
    first = await connect(clients, office, acknowledges=False)
    await Person(office, "mei").post("sales", "hello")
    sent = await first.next()
    await first.sdk.close()
    again = await (await connect(clients, office)).next()
    assert again.payload["event_id"] == sent.payload["event_id"]
    assert again.retry_attempt == 1


async def test_connections_are_refreshed(office: Sandbox, app: AsyncApp, ears: Ears, mei: Person) -> None:
    """Slack's Socket Mode sends `disconnect` (refresh_requested) now and then; the SDK moves to a new connection."""
    await mei.act("faults", refresh_socket=True)
    await mei.post("sales", "hello")
    await ears.wait("message", text="hello")


async def test_the_same_message_under_many_event_ids(
    office: Sandbox, clients: list[Client], mei: Person, bot: str
) -> None:
    """slack.md, Limits: the same message can arrive 11 times under DIFFERENT event ids with no retry header."""
    client = await connect(clients, office)
    await mei.act("faults", redeliver={"type": "app_mention", "times": 10, "fresh_event_id": True})
    await mei.post("sales", f"<@{bot}> hello")
    requests = [await client.next() for _ in range(12)]
    mentions = [one for one in requests if one.payload["event"]["type"] == "app_mention"]
    assert len(mentions) == 11
    assert len({one.payload["event_id"] for one in mentions}) == 11
    assert {one.retry_attempt for one in mentions} == {0}
    assert len({one.payload["event"]["ts"] for one in mentions}) == 1


async def test_events_are_lost_and_held_back_on_demand(office: Sandbox, app: AsyncApp, ears: Ears, mei: Person) -> None:
    """What nobody was told stays untold; what was held back comes later. What people say comes at once."""
    await mei.act("faults", lose=True)
    await mei.act("rename", conversation="sales", name="lost")
    await mei.act("faults", lose=False, hold=True)
    for name in ("one", "two", "three"):
        found = office.context.workspace.find_channel(name) or office.context.workspace.find_channel("lost")
        assert found is not None
        office.context.rooms.rename(found, name)
        office.context.rooms.rename(found, "lost")
    await mei.post("lost", "said")
    await ears.wait("message", text="said")
    assert "channel_rename" not in ears.types()
    await mei.act("faults", let_go=1)
    await ears.wait("channel_rename", count=6)
    await mei.act("rename", conversation="lost", name="found")
    await ears.wait("channel_rename", count=7)
