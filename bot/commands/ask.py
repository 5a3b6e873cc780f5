"""``haitang ask``: one answer on the terminal, under one person's rights."""

from __future__ import annotations

from typing import Any

from bot.agent.offline.assembled import offline_graph
from bot.agent.once import OneAnswer
from bot.answers.reading import FilesBeingRead
from bot.bootstrap import Core, open_core
from bot.commands.acting import may_ask
from bot.commands.names import Names
from bot.commands.output import Console, Declined
from bot.config import load
from handlers import texts
from handlers.model import Completion, Final, RunEvent, Status
from handlers.places import place_label
from handlers.wellformed import wellformed

ANSWERED = frozenset({Completion.ANSWERED, Completion.PARTIAL})


async def ask(text: str, *, asker: str, channel: str | None, as_json: bool) -> int:
    """Print the answer; 0 when there is one, 1 when nothing supports one or it was refused."""
    console = Console(as_json=as_json)
    async with open_core(load(), purpose="ask") as core:
        final = await _answer(core, console, wellformed(text), asker=asker, channel=channel)
    document = _document(final)
    console.result(document, _lines(final))
    return 0 if final.completion in ANSWERED else 1


async def _answer(core: Core, console: Console, text: str, *, asker: str, channel: str | None) -> Final:
    names = Names(pool=core.pool)
    team = await names.team()
    person = await names.person(team, asker)
    conversation = None if channel is None else await names.channel(team, channel)
    await may_ask(core, team, person, conversation)
    answering = OneAnswer(
        records=core.records,
        graph=offline_graph(
            search=core.search, encoder=core.encoder, store=core.records, being_read=FilesBeingRead(pool=core.pool)
        ),
        scopes=core.scopes,
        seconds=core.settings.limits.run_seconds,
    )

    async def say(event: RunEvent) -> None:
        if isinstance(event, Status):
            console.say(f"{event.step}: {event.detail}" if event.detail else f"{event.step} …")

    try:
        return await answering.answer(team=team, asker=person, conversation=conversation, text=text, emit=say)
    except TimeoutError as error:
        limit = core.settings.limits.run_seconds
        raise Declined(f"no answer within {limit:g} s (HAITANG_LIMITS__RUN_SECONDS): try again") from error


def _document(final: Final) -> dict[str, Any]:
    evidence = final.evidence.evidence if final.evidence else ()
    return {
        "run": final.run_id,
        "state": final.completion,
        "answer": final.text,
        "citations": [
            {
                "number": item.number,
                "document": item.document,
                "title": item.title,
                "version": item.version,
                "place": place_label(item.place, final.language),
                "excerpt": item.excerpt,
            }
            for item in evidence
        ],
        "gaps": list(final.gaps),
        "notices": list(final.notices),
    }


def _lines(final: Final) -> list[str]:
    evidence = final.evidence.evidence if final.evidence else ()
    cited = [
        f"[{item.number}] {item.title} · {place_label(item.place, final.language)}".rstrip(" ·") for item in evidence
    ]
    gaps = [texts.GAPS(final.language), *(f"• {gap}" for gap in final.gaps)] if final.gaps else []
    blocks = ([final.text], gaps, list(final.notices), cited)
    return "\n\n".join("\n".join(block) for block in blocks if block).splitlines()
