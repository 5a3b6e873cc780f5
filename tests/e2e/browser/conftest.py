"""Real Chromium on the page of the local workspace: pages of persons at a width, and a bot told what to say."""

from __future__ import annotations

import os
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.async_api import Browser, BrowserContext, Page, Request, async_playwright
from slack_bolt.adapter.socket_mode.async_handler import AsyncSocketModeHandler
from slack_bolt.async_app import AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from bot.sandbox.server import Sandbox

# From the notes on Chromium without a display; the last two give every page a microphone that beeps.
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--use-fake-device-for-media-stream",
    "--use-fake-ui-for-media-stream",
]

BrowserPage = Callable[..., Awaitable[Page]]
Launch = Callable[..., Awaitable[Browser]]


@dataclass
class Troubles:
    """What no page of these tests may ever do; `allowed` are parts of messages that a test provokes on purpose."""

    seen: list[str] = field(default_factory=list)
    allowed: list[str] = field(default_factory=list)

    def watch(self, page: Page) -> None:
        page.on("pageerror", lambda error: self.seen.append(f"uncaught: {error}"))
        page.on("console", lambda message: self._console(message.type, message.text))
        page.on("request", self._request)

    def _console(self, kind: str, text: str) -> None:
        if kind in ("error", "warning"):
            self.seen.append(f"console {kind}: {text}")

    def _request(self, request: Request) -> None:
        parts = urlsplit(request.url)
        if parts.scheme not in ("data", "blob") and parts.hostname != "127.0.0.1":
            self.seen.append(f"left this machine: {request.url}")

    def left(self) -> list[str]:
        return [one for one in self.seen if not any(part in one for part in self.allowed)]


@pytest.fixture(scope="session")
async def launch() -> AsyncIterator[Launch]:
    """`await launch(*flags)` starts Chromium. Without it these tests are left out; in CI they must run."""
    program = shutil.which("chromium")
    if program is None:
        say = pytest.fail if os.environ.get("CI") else pytest.skip
        say("Chromium is not installed: it is Debian's package `chromium`")
    async with async_playwright() as playwright:

        async def start(*flags: str) -> Browser:
            return await playwright.chromium.launch(executable_path=program, args=[*FLAGS, *flags])

        yield start


@pytest.fixture(scope="session")
async def browser(launch: Launch) -> AsyncIterator[Browser]:
    """Chromium, once for the session."""
    browser = await launch()
    yield browser
    await browser.close()


@pytest.fixture
def troubles() -> Troubles:
    return Troubles()


@pytest.fixture
async def browser_page(browser: Browser, sandbox: Sandbox, troubles: Troubles) -> AsyncIterator[BrowserPage]:
    """`await browser_page("mei", 1280, at="general")`: a page of that person, each in a browser context of its own.

    Fails at the end if any page wrote an error, broke its content policy, or asked another machine for anything.
    """
    contexts: list[BrowserContext] = []

    async def open_page(
        person: str,
        width: int = 1280,
        *,
        at: str = "",
        thread: str = "",
        language: str = "en-US",
        dark: bool = False,
        site: str | None = None,
        using: Browser | None = None,
    ) -> Page:
        context = await (using or browser).new_context(
            viewport={"width": width, "height": 844 if width < 720 else 800},
            locale=language,
            color_scheme="dark" if dark else "light",
            has_touch=width < 720,
            permissions=["microphone"],
        )
        contexts.append(context)
        page = await context.new_page()
        page.set_default_timeout(10_000)
        troubles.watch(page)
        await page.goto(f"{site or sandbox.page_url}#/{'/'.join(part for part in (person, at, thread) if part)}")
        await page.locator('.app[data-ready="true"]').wait_for()
        return page

    yield open_page
    for context in contexts:
        await context.close()
    assert troubles.left() == []


@dataclass
class Bot:
    """The app of the workspace over its real SDK: `client` speaks, `app` listens; `clicks` are the payloads it got."""

    client: AsyncWebClient
    app: AsyncApp
    clicks: list[dict[str, Any]] = field(default_factory=list)


@pytest.fixture
async def bot(office: Sandbox) -> AsyncIterator[Bot]:
    client = AsyncWebClient(token=office.bot_token, base_url=office.api_url)
    bot = Bot(client=client, app=AsyncApp(client=client))
    handler = AsyncSocketModeHandler(
        bot.app, office.app_token, web_client=AsyncWebClient(token=office.bot_token, base_url=office.api_url)
    )
    await handler.connect_async()
    yield bot
    await handler.close_async()


@pytest.fixture
async def channels(office: Sandbox) -> dict[str, str]:
    """Channel ids by name."""
    conversations = office.context.workspace.conversations.values()
    return {one.name: one.id for one in conversations if one.is_channel}


@pytest.fixture
def bot_name(office: Sandbox) -> str:
    """The bot's name as the page shows it."""
    workspace = office.context.workspace
    return workspace.people[workspace.app.user].real_name
