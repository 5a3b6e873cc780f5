"""The questions that were asked in a workspace: how they ended, and how they would have ended for others."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from bot.evaluation.permissions.baseline import Baseline
from bot.evaluation.permissions.markers import Markers
from bot.evaluation.permissions.oracle import NOBODY, Oracle
from bot.evaluation.permissions.refusals import of_answer
from bot.evaluation.permissions.stage import Bot
from handlers.model import Completion

if TYPE_CHECKING:
    from bot.evaluation.permissions.course import Outcome

PLACE: Final = "SELECT conversation FROM runs WHERE team = %(team)s AND message_ts = %(ts)s LIMIT 1"

# What the bot says of a run besides its answer.
NOTICES: Final = "SELECT completion, notices FROM runs WHERE run_id = %(run_id)s"


@dataclass(frozen=True, slots=True)
class Asked:
    """A question in Slack, and what the searches beside it found: who may read the best, whether public files do."""

    conversation: str
    ts: str
    thread_ts: str | None
    is_best_forbidden: bool
    has_public_answer: bool


class Questions:
    """Keeps what was asked."""

    def __init__(self, *, bot: Bot, markers: Markers, oracle: Oracle, baseline: Baseline) -> None:
        self._bot = bot
        self._markers = markers
        self._oracle = oracle
        self._baseline = baseline
        self._asking: list[asyncio.Task[Asked]] = []
        self.threads: list[tuple[str, str]] = []

    def note(self, conversation: str, ts: str, text: str, *, thread_ts: str | None) -> None:
        """This was asked just now; it is looked at from other sides while the bot answers."""
        if thread_ts == ts:
            self.threads.append((conversation, ts))
        looking = self._look(conversation, ts, text, thread_ts)
        self._asking.append(asyncio.create_task(looking, name=f"baseline {conversation}/{ts}"))

    async def settle(self) -> None:
        """Wait for the searches beside the bot's."""
        await asyncio.gather(*self._asking)

    async def count(self, outcome: Outcome) -> None:
        """Add up how the questions ended."""
        for asked in await asyncio.gather(*self._asking):
            outcome.questions += 1
            outcome.forbidden_best += asked.is_best_forbidden
            outcome.public_answers += asked.has_public_answer
            await self._count_end(asked, outcome)

    async def _count_end(self, asked: Asked, outcome: Outcome) -> None:
        run = await self._bot.core.records.find(self._bot.team, await self._place_of(asked), asked.ts)
        if run is None or run.state != "ended":
            outcome.unanswered.append(f"{asked.conversation}/{asked.ts} {'unknown' if run is None else run.state}")
            return
        async with self._bot.core.pool.connection() as connection:
            row = await (await connection.execute(NOTICES, {"run_id": run.run_id})).fetchone()
        completion, notices = (Completion(row[0]), tuple(row[1] or ())) if row else (Completion.FAILED, ())
        reason = of_answer(completion, notices)
        outcome.answers += reason is None
        if reason is not None:
            outcome.refusals[reason] += 1

    async def _place_of(self, asked: Asked) -> str:
        """Where the question is kept now: its conversation may have been given another id, and be gone by now."""
        async with self._bot.core.pool.connection() as connection:
            given = {"team": self._bot.team, "ts": asked.ts}
            row = await (await connection.execute(PLACE, given)).fetchone()
        return str(row[0]) if row else asked.conversation

    async def _look(self, conversation: str, ts: str, text: str, thread_ts: str | None) -> Asked:
        readers = self._oracle.now.readers.get(conversation, NOBODY)
        openers = self._oracle.now.openers
        workspace = self._bot.workspace
        best = await self._baseline.best(text, conversations=workspace.conversations, people=workspace.people)
        files = {planted.file for planted in self._markers.shown_by(best)}
        return Asked(
            conversation=conversation,
            ts=ts,
            thread_ts=thread_ts,
            is_best_forbidden=any(readers - openers.get(file, NOBODY) for file in files),
            has_public_answer=await self._baseline.public_answers(text),
        )
