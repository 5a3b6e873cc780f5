"""How soon people see something, and the whole answer; what the bot holds in memory; how long its loop blocks.

The bot runs in this process over 1,000 passages; the workspace is another process.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import os
import sys
import time
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import aiohttp
import psutil
from pydantic import SecretStr

from bot.bootstrap import open_core
from bot.config import Settings
from bot.service import Service, open_service
from bot.stores.folder import temporary_folder
from handlers.render import STOP_ACTION
from tests.benchmarks.figures import Figure, percentile

ONE_BY_ONE = 40
AT_ONCE = 20
PASSAGES = 1_000
HEARTBEAT_SECONDS = 0.005

_TOPICS = ("kiln", "lathe", "crane", "pump", "valve", "press", "mill", "dryer", "mixer", "boiler")
_PARTS = ("bearing", "gasket", "filter", "belt", "sensor", "motor", "coupling", "nozzle", "seal", "gauge")


def guide() -> str:
    """A Markdown guide of PASSAGES sections with a fact of its own each, of about 100 words."""
    sections = []
    for number in range(PASSAGES):
        machine = f"{_TOPICS[number % 10]} {_PARTS[number // 10 % 10]} M-{number:04d}"
        facts = f"The {machine} is replaced every {number % 90 + 10} weeks by team {number % 7 + 1}. "
        rest = "Before work begins the supply is cut off and the tag is hung on the main switch. " * 5
        sections.append(f"## {machine}\n\n{facts}{rest}\n")
    return "# Maintenance\n\n" + "\n".join(sections)


def question(number: int) -> str:
    return f"How often is the {_TOPICS[number % 10]} {_PARTS[number // 10 % 10]} M-{number:04d} replaced?"


@dataclass(slots=True)
class Heartbeat:
    """Measures how late the event loop is: the longest time that something else kept it from a timer."""

    longest: float = 0.0

    async def beat(self) -> None:
        while True:
            due = time.perf_counter() + HEARTBEAT_SECONDS
            await asyncio.sleep(HEARTBEAT_SECONDS)
            self.longest = max(self.longest, time.perf_counter() - due)


@dataclass(slots=True)
class Asked:
    """One question: seconds from its message to the bot's first words and to its last state."""

    began: float
    first: float | None = None
    done: asyncio.Event = field(default_factory=asyncio.Event)
    last: float = 0.0


class Workspace:
    """One person and AT_ONCE channels of the sandbox, and what they see.

    Slack takes about one post a second in a channel, so questions are spread over channels as in a real workspace.
    """

    def __init__(self, session: aiohttp.ClientSession, site: str) -> None:
        self._session = session
        self._site = site
        self._asked: dict[str, Asked] = {}
        self.user = self.bot = ""
        self.channels: list[str] = []

    async def open(self) -> None:
        workspace = await self._get("workspace")
        self.bot = workspace["bot"]["user_id"]
        self.user = (await self._post("person", name="ann", real_name="Ann"))["user"]["id"]
        members = [self.user, self.bot]
        for number in range(AT_ONCE):
            body = {"as": self.user, "kind": "public", "name": f"works-{number}", "members": members}
            self.channels.append((await self._post("create", **body))["conversation"]["id"])

    async def upload(self, name: str, text: str) -> None:
        query = {"as": self.user, "conversation": self.channels[0], "name": name}
        async with self._session.post(f"{self._site}/control/upload", params=query, data=text.encode()) as response:
            response.raise_for_status()

    async def ask(self, number: int) -> Asked:
        """Ask about passage ``number`` in one of the channels."""
        text = question(number % PASSAGES)
        asked = Asked(time.perf_counter())
        body = {"as": self.user, "conversation": self.channels[number % AT_ONCE], "text": f"<@{self.bot}> {text}"}
        ts = (await self._post("post", **body))["ts"]
        self._asked[ts] = asked
        return asked

    async def watch(self) -> None:
        """Note when replies begin and when they show no stop button any more."""
        async with self._session.ws_connect(f"{self._site}/control/stream?as={self.user}") as stream:
            async for received in stream:
                self._note(json.loads(received.data))

    def _note(self, event: dict[str, Any]) -> None:
        message = event.get("message") or {}
        asked = self._asked.get(message.get("thread_ts", ""))
        if asked is None or not message.get("bot_id"):
            return
        now = time.perf_counter() - asked.began
        asked.first = asked.first or now
        if STOP_ACTION not in json.dumps(message) and not asked.done.is_set():
            asked.last = now
            asked.done.set()

    async def _get(self, what: str) -> dict[str, Any]:
        async with self._session.get(f"{self._site}/control/{what}") as response:
            return dict(await response.json())

    async def _post(self, deed: str, **body: Any) -> dict[str, Any]:
        async with self._session.post(f"{self._site}/control/{deed}", json=body) as response:
            answer = dict(await response.json())
        if not answer["ok"]:
            raise RuntimeError(f"{deed}: {answer}")
        return answer


@contextlib.asynccontextmanager
async def sandbox() -> AsyncIterator[dict[str, str]]:
    process = await asyncio.create_subprocess_exec(sys.executable, "-m", "bot.sandbox", stdout=asyncio.subprocess.PIPE)
    try:
        assert process.stdout is not None
        yield dict(json.loads(await process.stdout.readline()))
    finally:
        process.terminate()
        await process.wait()


async def measure() -> list[Figure]:
    """Five figures of the whole bot; takes about three minutes, most of it indexing."""
    async with contextlib.AsyncExitStack() as stack:
        slack = await stack.enter_async_context(sandbox())
        folder = stack.enter_context(temporary_folder("haitang-bench-"))
        session = await stack.enter_async_context(aiohttp.ClientSession())
        workspace = Workspace(session, slack["page_url"].rstrip("/"))
        await workspace.open()
        settings = Settings(
            SLACK_API_URL=slack["api_url"],
            SLACK_BOT_TOKEN=SecretStr(slack["bot_token"]),
            SLACK_APP_TOKEN=SecretStr(slack["app_token"]),
            data=folder / "data",
        )
        core = await stack.enter_async_context(open_core(settings, purpose="serve"))
        service = await stack.enter_async_context(open_service(core))
        heartbeat = Heartbeat()
        tasks = [asyncio.create_task(work) for work in (service.run(), workspace.watch())]
        try:
            await service.app.connect()
            tasks.append(asyncio.create_task(heartbeat.beat()))
            return await _figures(service, workspace, heartbeat)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)


async def _figures(service: Service, workspace: Workspace, heartbeat: Heartbeat) -> list[Figure]:
    await workspace.upload("maintenance.md", guide())
    await _published(service)
    one_by_one = []
    for number in range(ONE_BY_ONE):
        asked = await workspace.ask(number * 23)
        await asked.done.wait()
        one_by_one.append(asked)
    burst = await asyncio.gather(*(workspace.ask(number * 37) for number in range(AT_ONCE)))
    async with asyncio.timeout(120):
        await asyncio.gather(*(asked.done.wait() for asked in burst))
    return [
        _figure("placeholder P95", _p95(asked.first for asked in one_by_one), "s", 0.5, ONE_BY_ONE),
        _figure("whole answer P95, 1,000 passages", _p95(asked.last for asked in one_by_one), "s", 3.0, ONE_BY_ONE),
        _figure("20 at once: placeholder P95", _p95(asked.first for asked in burst), "s", None, AT_ONCE),
        _figure("20 at once: last answer", max(asked.last for asked in burst), "s", None, AT_ONCE),
        Figure(
            name="20 at once: answered",
            value=sum(asked.done.is_set() for asked in burst),
            unit="",
            goal=float(AT_ONCE),
            better="higher",
            repetitions=1,
        ),
        _figure("bot + PostgreSQL resident", _resident(service) / 1e9, "GB", 1.5, 1),
        _figure("longest block of the event loop", heartbeat.longest * 1000, "ms", 50.0, 1),
    ]


async def _published(service: Service) -> None:
    for _ in itertools.count():
        rows = await service.core.catalog.documents(team=service.app.identity.team)
        if any(row["state"] == "PUBLISHED" for row in rows):
            return
        if any(row["state"] == "FAILED" for row in rows):
            raise RuntimeError(f"the guide could not be read: {rows}")
        await asyncio.sleep(0.5)


def _p95(values: Any) -> float:
    return percentile([value for value in values if value is not None], 0.95)


def _figure(name: str, value: float, unit: str, goal: float | None, repetitions: int) -> Figure:
    return Figure(name=name, value=value, unit=unit, goal=goal, better="lower", repetitions=repetitions)


def _resident(service: Service) -> int:
    """Memory of this process and of PostgreSQL's, shared pages counted once (PSS); parsing processes left out."""
    server = service.core.database.server
    processes: Sequence[psutil.Process] = [psutil.Process(os.getpid())]
    if server is not None and server.pid is not None:
        postmaster = psutil.Process(server.pid)
        processes = [*processes, postmaster, *postmaster.children(recursive=True)]
    return sum(process.memory_full_info().pss for process in processes)
