"""A whole bot in a workspace of its own, for tests that look at it as its users do."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

import aiohttp
from pydantic import SecretStr

from bot.bootstrap import Core, open_core
from bot.config import Settings
from bot.sandbox.server import Sandbox
from bot.service import Service, open_service
from tests.sandbox_fixtures import Json, Person

Found = TypeVar("Found")

PATIENCE_SECONDS = 240
"""A test fails after this long; nothing waits for it when all is well."""


def settings_for(sandbox: Sandbox, folder: Path) -> Settings:
    """Settings that make the sandbox the bot's Slack."""
    app = sandbox.context.workspace.app
    return Settings(
        SLACK_TEAM_ID=app.team if app.enterprise else None,
        SLACK_API_URL=sandbox.api_url,
        SLACK_BOT_TOKEN=SecretStr(sandbox.bot_token),
        SLACK_APP_TOKEN=SecretStr(sandbox.app_token),
        SLACK_SIGNING_SECRET=SecretStr(sandbox.signing_secret),
        data=folder,
    )


async def until(
    sandbox: Sandbox,
    who: Person,
    look: Callable[[], Awaitable[Found | None]],
    *,
    also: asyncio.Event | None = None,
) -> Found:
    """What ``look`` finds, tried again whenever something happens that ``who`` can see, or ``also`` is set."""
    other = also or asyncio.Event()
    async with (
        asyncio.timeout(PATIENCE_SECONDS),
        aiohttp.ClientSession() as session,
        session.ws_connect(f"{sandbox.site}/control/stream?as={who.id}") as stream,
    ):
        while True:
            other.clear()
            if (found := await look()) is not None:
                return found
            news = [asyncio.ensure_future(stream.receive()), asyncio.ensure_future(other.wait())]
            await asyncio.wait(news, return_when=asyncio.FIRST_COMPLETED)
            for waiting in news:
                waiting.cancel()
            await asyncio.wait(news)


class Company:
    """A workspace and its bot. ``person`` acts in it; ``reply_to`` waits for the bot."""

    def __init__(self, sandbox: Sandbox, service: Service) -> None:
        self.sandbox = sandbox
        self.service = service
        self._unseen = asyncio.Event()
        self._observe(service.core.records, "end")
        self._observe(service.core.deletion, "delete")

    def _observe(self, part: object, method: str) -> None:
        """Notice what people can't see in Slack: that a run was marked as ended, that a document was deleted."""
        original = getattr(part, method)

        async def observed(*arguments: Any, **options: Any) -> Any:
            result = await original(*arguments, **options)
            self._unseen.set()
            return result

        setattr(part, method, observed)

    @property
    def core(self) -> Core:
        return self.service.core

    def person(self, name: str) -> Person:
        return Person(self.sandbox, name)

    def channel(self, name: str) -> str:
        found = self.sandbox.context.workspace.find_channel(name)
        assert found is not None, f"no channel called {name}"
        return found.id

    @property
    def mention(self) -> str:
        return f"<@{self.sandbox.context.workspace.app.user}>"

    async def until(self, who: Person, look: Callable[[], Awaitable[Found | None]]) -> Found:
        """What ``look`` finds, tried again whenever something happens that ``who`` can see, or unseen."""
        return await until(self.sandbox, who, look, also=self._unseen)

    async def ask(self, who: Person, channel: str, text: str, *, thread_ts: str | None = None) -> list[Json]:
        """Mention the bot; the messages of its reply once the run has ended."""
        conversation = self.channel(channel)
        ts = await who.post(conversation, f"{self.mention} {text}", thread_ts=thread_ts)
        return await self.answered(who, conversation, ts, thread_ts=thread_ts or ts)

    async def answered(self, who: Person, conversation: str, ts: str, *, thread_ts: str | None) -> list[Json]:
        """What the bot said after the message ``ts`` in its thread (None: at the top level), once its run has ended."""

        async def look() -> list[Json] | None:
            run = await self.core.records.find(self.service.app.identity.team, conversation, ts)
            if run is None or run.state != "ended":
                return None
            messages = await who.messages(conversation, thread_ts=thread_ts)
            return [message for message in messages if message["ts"] > ts and message.get("bot_id")]

        return await self.until(who, look)

    async def modal_after(self, who: Person, conversation: str, message: Json, action: str) -> Json:
        """Press the button and return the modal once it shows more than that it is loading."""
        url = f"{self.sandbox.site}/control/stream?as={who.id}"
        async with (
            asyncio.timeout(PATIENCE_SECONDS),
            aiohttp.ClientSession() as session,
            session.ws_connect(url) as stream,
        ):
            await who.click(conversation, message, action)
            while (event := await stream.receive_json())["type"] != "view_updated":
                pass
            return dict(event["view"])

    async def published(self, who: Person, title: str) -> None:
        """Return when the file of this title is published; fail when it could not be read."""

        async def look() -> bool | None:
            rows = await self.core.catalog.documents(team=self.service.app.identity.team)
            states = {row["state"]: row["cause"] for row in rows if row["title"] == title}
            assert "FAILED" not in states, f"{title} could not be read: {states}"
            return True if "PUBLISHED" in states else None

        await self.until(who, look)

    async def deleted(self, who: Person, title: str) -> None:
        """Return when there is no document of this title any more."""

        async def look() -> bool | None:
            rows = await self.core.catalog.documents(team=self.service.app.identity.team)
            return None if title in {row["title"] for row in rows} else True

        await self.until(who, look)


@asynccontextmanager
async def open_company(sandbox: Sandbox, folder: Path, *, connect: bool = True) -> AsyncIterator[Company]:
    """Start the bot in the workspace; it is stopped, and everything closed, at the end."""
    async with AsyncExitStack() as stack:
        core = await stack.enter_async_context(open_core(settings_for(sandbox, folder), purpose="serve"))
        service = await stack.enter_async_context(open_service(core))
        running = asyncio.create_task(service.run(), name="service")
        try:
            if connect:
                await service.app.connect()
            yield Company(sandbox, service)
        finally:
            running.cancel()
            await asyncio.wait([running])
            if not running.cancelled():
                running.result()


def text_of(message: Json) -> str:
    """All words of a message: its text, blocks and attachments."""
    return json.dumps([message.get(key) for key in ("text", "blocks", "attachments")], ensure_ascii=False)


def answer_text(messages: list[Json]) -> str:
    """The words of the bot's answer, without the citations."""
    blocks = [block for message in messages for block in message.get("blocks") or ()]
    return "\n".join(str(block.get("text")) for block in blocks if block.get("type") in ("markdown", "section"))


def citations_of(messages: list[Json]) -> list[dict[str, Any]]:
    """The attachments that carry the citations."""
    return [attachment for message in messages for attachment in message.get("attachments") or ()]
