"""Answers that were given stay true before one's eyes, and nothing that was read lives on anywhere."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from psycopg import sql

from bot.agent.offline.assembled import offline_graph
from bot.agent.once import OneAnswer
from bot.answers.reading import FilesBeingRead
from handlers.model import Final, RunEvent
from tests.e2e.company import Company, citations_of, text_of
from tests.sandbox_fixtures import Json, Person

PLANTED = "quokkaberry"
GUIDE = f"# Kiln guide\n\nThe kiln K-77 is fired at 1,240 degrees under a {PLANTED} glaze, for nine hours.\n"
QUESTION = "At what temperature is the kiln K-77 fired?"

TABLES = "SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1"
# Every column of the row as text; what is bytes shows as its hexadecimal digits.
ROWS_WITH = "SELECT count(*) FROM {} AS one WHERE lower(one::text) LIKE ANY (%s)"


async def tables_with(company: Company, word: str) -> dict[str, int]:
    """How many rows hold the word, by table, in whatever column."""
    patterns = [f"%{word}%", f"%{word.encode().hex()}%"]
    found = {}
    async with company.core.pool.connection() as connection:
        for (table,) in await (await connection.execute(TABLES)).fetchall():
            cursor = await connection.execute(sql.SQL(ROWS_WITH).format(sql.Identifier(table)), [patterns])
            row = await cursor.fetchone()
            if row and row[0]:
                found[str(table)] = int(row[0])
    return found


def files_with(folder: Path, word: str) -> list[str]:
    """Files below the folder that hold the word."""
    return [path.name for path in folder.rglob("*") if path.is_file() and word.encode() in path.read_bytes()]


def said(company: Company) -> str:
    """All that stands in the workspace's conversations now."""
    return json.dumps(company.sandbox.context.workspace.messages, ensure_ascii=False)


async def ask_in(company: Company, who: Person, conversation: str, *, in_thread: bool) -> str:
    """Ask where the bot is spoken to; the question's ts, once it is answered from the guide."""
    ts = await who.post(conversation, f"{company.mention} {QUESTION}")
    answer = await company.answered(who, conversation, ts, thread_ts=ts if in_thread else None)
    assert citations_of(answer)
    return ts


async def ask_on_the_terminal(company: Company, who: Person) -> None:
    async def ignore(_: RunEvent) -> None:
        return

    core = company.core
    being_read = FilesBeingRead(pool=core.pool)
    graph = offline_graph(search=core.search, encoder=core.encoder, store=core.records, being_read=being_read)
    once = OneAnswer(records=core.records, graph=graph, scopes=core.scopes, seconds=60)
    team = company.service.app.identity.team
    final: Final = await once.answer(team=team, asker=who.id, conversation=None, text=QUESTION, emit=ignore)
    assert PLANTED in final.text


async def messages_without(company: Company, who: Person, conversation: str, word: str) -> list[Json]:
    """The bot's messages there, once none of them says ``word`` any more."""

    async def look() -> list[Json] | None:
        shown = [await who.messages(conversation)]
        shown += [await who.messages(conversation, thread_ts=one["ts"]) for one in shown[0] if one.get("reply_count")]
        ours = [message for some in shown for message in some if message.get("bot_id")]
        return None if word in "".join(map(text_of, ours)) else ours

    return await company.until(who, look)


async def test_what_was_read_goes_from_every_place_that_lost_it_and_a_deletion_leaves_nothing(
    small: Company, capfd: pytest.CaptureFixture[str]
) -> None:
    mei, tom = small.person("mei"), small.person("tom")
    sales, prices, bot = small.channel("sales"), small.channel("prices"), small.sandbox.context.workspace.app.user
    file, _ = await mei.upload(sales, "kiln-guide.md", GUIDE.encode())
    await small.published(mei, "kiln-guide.md")
    meis, toms = await mei.open(bot), await tom.open(bot)
    await ask_in(small, mei, sales, in_thread=True)
    await ask_in(small, mei, prices, in_thread=True)
    await ask_in(small, mei, meis, in_thread=False)
    await ask_in(small, tom, toms, in_thread=False)
    await ask_on_the_terminal(small, tom)
    assert (await tables_with(small, PLANTED))["posts"] == 4
    assert (await tables_with(small, PLANTED))["evidence"] == 5

    # tom leaves, who alone reads two of the five.
    await mei.act("make_private", conversation=sales)
    await mei.act("kick", conversation=sales, user=tom.id)
    left = await messages_without(small, tom, toms, PLANTED)
    assert "withdrawn" in "".join(map(text_of, left))

    async def emptied() -> bool:
        kept = await tables_with(small, PLANTED)
        return (kept["posts"], kept["evidence"], kept["runs"]) == (3, 3, 3)

    await until(emptied)
    assert PLANTED in json.dumps(await mei.messages(meis))

    await mei.act("delete_file", file=file)
    for conversation in (sales, prices, meis):
        left = await messages_without(small, mei, conversation, PLANTED)
        assert "withdrawn" in "".join(map(text_of, left))

    await until(lambda: is_purged(small))
    folder = small.core.database.folder
    assert await tables_with(small, PLANTED) == {}
    assert [files_with(one, PLANTED) for one in (folder.index, folder.objects, folder.scratch)] == [[], [], []]
    assert PLANTED not in said(small)
    assert PLANTED not in "".join(capfd.readouterr())


async def is_purged(company: Company) -> bool:
    async with company.core.pool.connection() as connection:
        row = await (await connection.execute("SELECT count(*), count(purged_at) FROM deletion_receipts")).fetchone()
    return row == (1, 1)


async def until(condition: Callable[[], Awaitable[bool]]) -> None:
    """Wait for what nobody can see in Slack."""
    async with asyncio.timeout(60):
        while not await condition():  # noqa: ASYNC110 - rows have no event
            await asyncio.sleep(0.02)
