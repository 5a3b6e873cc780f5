"""How soon answers are withdrawn once their source is deleted, at the rate that Slack allows.

The bot and the workspace run in this process; the workspace counts calls as Slack does.
"""

from __future__ import annotations

import asyncio
import json
import time

from bot.sandbox.server import Sandbox
from bot.stores.folder import temporary_folder
from tests.benchmarks.figures import Figure
from tests.e2e.company import Company, open_company
from tests.sandbox_fixtures import Person, populate

CHANNELS = 10
ANSWERS = 60
FIRST = 20
REFILL_SECONDS = 65
"""Slack's allowances are full again: the event comes to a bot that was idle."""

GUIDE = "# Kiln guide\n\nThe kiln K-77 is fired at 1,240 degrees for nine hours.\n"
QUESTION = "At what temperature is the kiln K-77 fired?"


async def measure() -> list[Figure]:
    """Ask, wait, delete, and watch the messages."""
    async with Sandbox() as sandbox:
        populate(sandbox)
        workspace = sandbox.context.workspace
        members = [person.id for name in ("mei", "tom") if (person := workspace.find_person(name))]
        for number in range(CHANNELS):
            workspace.add_conversation("public", name=f"room-{number}", members=(*members, workspace.app.user))
        with temporary_folder("living-") as folder:
            async with open_company(sandbox, folder / "data") as company:
                return await _withdrawn(company)


async def _withdrawn(company: Company) -> list[Figure]:
    mei = company.person("mei")
    file, _ = await mei.upload(company.channel("sales"), "kiln-guide.md", GUIDE.encode())
    await company.published(mei, "kiln-guide.md")
    await asyncio.gather(*(_ask_in(company, mei, room) for room in range(CHANNELS)))
    await asyncio.sleep(REFILL_SECONDS)
    began = time.monotonic()
    await mei.act("delete_file", file=file)
    after: dict[int, float] = {}
    while _standing(company):
        gone = ANSWERS - _answers(company)
        after.setdefault(gone, time.monotonic() - began)
        await asyncio.sleep(0.02)
    everything = time.monotonic() - began
    first = min(seconds for gone, seconds in after.items() if gone >= FIRST)
    return [
        Figure(name=f"{FIRST} answers withdrawn", value=first, unit="s", goal=10, better="lower", repetitions=1),
        Figure(
            name=f"{ANSWERS} answers withdrawn, their citations taken away",
            value=everything,
            unit="s",
            goal=None,
            better="lower",
            repetitions=1,
        ),
    ]


async def _ask_in(company: Company, who: Person, room: int) -> None:
    for _ in range(ANSWERS // CHANNELS):
        await company.ask(who, f"room-{room}", QUESTION)


def _answers(company: Company) -> int:
    """Answers whose words still stand there."""
    return _said(company).count("1,240") // 2  # in the message's text and in its block


def _standing(company: Company) -> bool:
    said = _said(company)
    return "1,240" in said or '"attachments": [{' in said


def _said(company: Company) -> str:
    rooms = {company.channel(f"room-{number}") for number in range(CHANNELS)}
    messages = company.sandbox.context.workspace.messages
    return json.dumps({room: list(messages[room].values()) for room in rooms}, ensure_ascii=False)
