"""The real slack-bolt against the sandbox, hearing everything; and a clock that tests move by hand."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from slack_bolt.adapter.socket_mode.async_handler import AsyncSocketModeHandler
from slack_bolt.async_app import AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from bot.sandbox.clock import Clock
from bot.sandbox.manifest import Manifest, installed
from bot.sandbox.server import Sandbox
from tests.sandbox_fixtures import Person, populate

Json = dict[str, Any]

# A test that waits longer than this for something that must come has failed.
PATIENCE = 5.0

# All that the sandbox knows, whatever the bot's manifest asks for today.
EVERYTHING = Manifest(
    scopes=installed().scopes | {"assistant:write", "files:write", "im:write", "mpim:write"},
    events=installed().events | {"channel_created", "channel_left", "channel_shared", "group_left"},
)


class Ears:
    """Everything that an app hears, in the order of its coming."""

    def __init__(self) -> None:
        self.heard: list[Json] = []
        self._news = asyncio.Condition()

    async def hear(self, event: Json) -> None:
        async with self._news:
            self.heard.append(event)
            self._news.notify_all()

    async def wait(self, event_type: str, *, count: int = 1, **fields: object) -> Json:
        """The `count`th event of this type with these fields."""

        def matching() -> list[Json]:
            return [
                event
                for event in self.heard
                if event["type"] == event_type and all(event.get(key) == value for key, value in fields.items())
            ]

        async with asyncio.timeout(PATIENCE), self._news:
            await self._news.wait_for(lambda: len(matching()) >= count)
        return matching()[count - 1]

    def types(self) -> list[str]:
        return [event["type"] for event in self.heard]


class HandClock:
    """Time that stands still until a test moves it."""

    def __init__(self) -> None:
        self._now = datetime(2026, 11, 30, 9, tzinfo=UTC)
        self._news = asyncio.Event()
        self._sleepers: list[tuple[datetime, asyncio.Future[None]]] = []
        self.clock = Clock(now=lambda: self._now, sleep=self._sleep)

    async def _sleep(self, seconds: float) -> None:
        if seconds <= 0:
            await asyncio.sleep(0)
            return
        woken: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._sleepers.append((self._now + timedelta(seconds=seconds), woken))
        self._news.set()
        await woken

    async def pass_by(self, seconds: float) -> None:
        """Move time on by as much as somebody sleeps, once somebody sleeps exactly so long."""
        async with asyncio.timeout(PATIENCE):
            until = self._now + timedelta(seconds=seconds)
            while not any(end == until and not woken.done() for end, woken in self._sleepers):
                self._news.clear()
                await self._news.wait()
        await self.advance(seconds)

    async def advance(self, seconds: float) -> None:
        """Move time on, and let those who waited for it act."""
        self._now += timedelta(seconds=seconds)
        due = [one for one in self._sleepers if one[0] <= self._now]
        self._sleepers = [one for one in self._sleepers if one[0] > self._now]
        for _, woken in due:
            if not woken.done():
                woken.set_result(None)
        for _ in range(20):
            await asyncio.sleep(0)


def hearing_app(sandbox: Sandbox, ears: Ears) -> AsyncApp:
    """A bolt app that hears every event, its own messages too."""
    app = AsyncApp(
        client=AsyncWebClient(token=sandbox.bot_token, base_url=sandbox.api_url),
        signing_secret=sandbox.signing_secret,
        ignoring_self_events_enabled=False,
    )

    @app.middleware
    async def listen(body: Json, next_: Any, ack: Any) -> None:
        if "event" in body:
            await ears.hear(body["event"])
            await ack()
        else:
            await next_()

    return app


@pytest.fixture
async def sandbox() -> AsyncIterator[Sandbox]:
    """A fresh workspace that knows more methods and events than the bot's own manifest asks for."""
    async with Sandbox(manifest=EVERYTHING) as sandbox:
        yield sandbox


@pytest.fixture
def ears() -> Ears:
    return Ears()


@asynccontextmanager
async def connected(sandbox: Sandbox, ears: Ears) -> AsyncIterator[AsyncApp]:
    """A hearing app, connected by Socket Mode."""
    app = hearing_app(sandbox, ears)
    web = AsyncWebClient(token=sandbox.bot_token, base_url=sandbox.api_url)
    # The SDK looks for a dead connection once in this many seconds.
    handler = AsyncSocketModeHandler(app, sandbox.app_token, web_client=web, ping_interval=0.5)
    await handler.connect_async()
    yield app
    await handler.close_async()


@pytest.fixture
async def app(office: Sandbox, ears: Ears) -> AsyncIterator[AsyncApp]:
    """The app, connected to the office."""
    async with connected(office, ears) as app:
        yield app


@pytest.fixture
async def web(office: Sandbox) -> AsyncWebClient:
    """The bot's Web API client."""
    return AsyncWebClient(token=office.bot_token, base_url=office.api_url)


@pytest.fixture
async def timed() -> AsyncIterator[tuple[Sandbox, HandClock]]:
    """The office with a clock that stands still."""
    hand = HandClock()
    async with Sandbox(clock=hand.clock, manifest=EVERYTHING) as sandbox:
        populate(sandbox)
        yield sandbox, hand


@pytest.fixture
def mei(office: Sandbox) -> Person:
    return Person(office, "mei")


@pytest.fixture
def tom(office: Sandbox) -> Person:
    return Person(office, "tom")


@pytest.fixture
def gus(office: Sandbox) -> Person:
    return Person(office, "gus")


@pytest.fixture
def bot(office: Sandbox) -> str:
    """The bot's user id."""
    return office.context.workspace.app.user


def channel_id(sandbox: Sandbox, name: str) -> str:
    found = sandbox.context.workspace.find_channel(name)
    assert found is not None
    return found.id
