"""Signed HTTP events, received by the real bolt."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from aiohttp import web
from slack_bolt.async_app import AsyncApp

from bot.sandbox.server import Sandbox
from tests.integration.sandbox.conftest import PATIENCE, Ears, HandClock, channel_id, hearing_app
from tests.sandbox_fixtures import Person, Refused

Json = dict[str, Any]


@asynccontextmanager
async def served(handler: Any) -> AsyncIterator[str]:
    """A request URL answered by `handler`."""
    application = web.Application()
    application.router.add_post("/slack/events", handler)
    runner = web.AppRunner(application, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    port = runner.addresses[0][1]
    try:
        yield f"http://127.0.0.1:{port}/slack/events"
    finally:
        await runner.cleanup()


@pytest.fixture
async def bolt(office: Sandbox, ears: Ears) -> AsyncIterator[AsyncApp]:
    """The app, told by HTTP; the SDK checks each signature."""
    app = hearing_app(office, ears)
    async with served(app.server().handle_post_requests) as url:
        await Person(office, "mei").act("http_events", url=url)
        yield app


class Flaky:
    """An app that answers as told, and notes what it was sent."""

    def __init__(self, *statuses: int) -> None:
        self._statuses = list(statuses)
        self.requests: asyncio.Queue[tuple[dict[str, str], Json]] = asyncio.Queue()

    async def handle(self, request: web.Request) -> web.Response:
        body = await request.json()
        if body["type"] == "url_verification":
            return web.json_response({"challenge": body["challenge"]})
        await self.requests.put((dict(request.headers), body))
        status = self._statuses.pop(0) if self._statuses else 200
        if status == 0:
            await asyncio.Event().wait()
        return web.Response(status=status)

    async def next(self) -> tuple[dict[str, str], Json]:
        return await asyncio.wait_for(self.requests.get(), PATIENCE)


async def test_bolt_hears_signed_events(office: Sandbox, bolt: AsyncApp, ears: Ears, mei: Person, bot: str) -> None:
    """design.md §12: HTTP with SLACK_SIGNING_SECRET; bolt refuses what is not signed by version 0 of the signature."""
    await mei.post("sales", f"<@{bot}> hello")
    assert (await ears.wait("app_mention"))["user"] == mei.id
    assert (await ears.wait("message"))["channel"] == channel_id(office, "sales")


async def test_bolt_answers_clicks(office: Sandbox, bolt: AsyncApp, mei: Person) -> None:
    """Slack's interactivity over HTTP: a form with `payload`, answered by status 200."""
    pressed = asyncio.Event()

    @bolt.action("open")
    async def take(ack: Any) -> None:
        await ack()
        pressed.set()

    button = {"type": "button", "text": {"type": "plain_text", "text": "Open"}, "action_id": "open"}
    blocks = [{"type": "actions", "elements": [button]}]
    await bolt.client.chat_postMessage(channel=channel_id(office, "sales"), text="t", blocks=blocks)
    await mei.click("sales", (await mei.messages("sales"))[-1], "open")
    await asyncio.wait_for(pressed.wait(), PATIENCE)


async def test_an_address_must_answer_the_challenge(office: Sandbox, mei: Person) -> None:
    """Slack's url_verification: an address that does not answer the challenge is not taken."""

    async def silent(_: web.Request) -> web.Response:
        return web.Response(text="hello")

    async with served(silent) as url:
        with pytest.raises(Refused, match="challenge_failed"):
            await mei.act("http_events", url=url)


async def test_failed_events_come_again(timed: tuple[Sandbox, HandClock]) -> None:
    """slack.md, Limits (Events API): 3 retries (at once, 1 min, 5 min) with x-slack-retry-num/reason; 3 s to answer."""
    office, hand = timed
    flaky = Flaky(500, 0, 302, 500)
    async with served(flaky.handle) as url:
        mei = Person(office, "mei")
        await mei.act("http_events", url=url)
        await mei.post("sales", "hello")
        seen = [await flaky.next(), await flaky.next()]
        await hand.pass_by(3)
        for wait in (60, 300):
            await hand.pass_by(wait)
            seen.append(await flaky.next())
        headers = [one for one, _ in seen]
        assert [one.get("X-Slack-Retry-Num") for one in headers] == [None, "1", "2", "3"]
        assert [one.get("X-Slack-Retry-Reason") for one in headers] == [
            None,
            "http_error",
            "http_timeout",
            "http_error",
        ]
        assert len({body["event_id"] for _, body in seen}) == 1
