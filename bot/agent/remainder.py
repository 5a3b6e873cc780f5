"""What the asker may read beyond their conversation: offered to them alone, and answered in their direct messages.

It comes after the answer that everyone there sees, as a job of its own, and leaves no trace of what was compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import structlog
from psycopg_pool import AsyncConnectionPool

from bot.agent.admission import AskingRoles
from bot.agent.answering import Answering
from bot.agent.model import Support, Understanding
from bot.agent.ports import Accepting
from bot.agent.saying import language_of
from bot.answers.records import RunRecords
from bot.answers.rights import Memberships, Scopes
from handlers import render
from handlers.errors import SlackError
from handlers.model import Completion, Inquiry
from handlers.ports import Messages
from ingest.ports import Jobs
from permissions.model import AccessScope, ConversationKind
from retrieval.errors import RetrievalError
from retrieval.ports import Passages

log = structlog.get_logger()

REMAINDER_JOB: Final = "remainder"
"""Looks whether there is more for the asker alone; its argument is ``run_id``."""

CLEARLY: Final = 0.2
"""How much more probable an answer must be than the one that was given, by the checker's calibrated probability."""

_GIVEN: Final = frozenset({Completion.ANSWERED, Completion.PARTIAL, Completion.NOTHING_FOUND})


class Remainder:
    """Satisfies ``handlers.ports.PrivateAnswers``. Raises the database's errors; ``connect`` comes first."""

    def __init__(
        self,
        *,
        pool: AsyncConnectionPool,
        jobs: Jobs,
        records: RunRecords,
        scopes: Scopes,
        memberships: Memberships,
        passages: Passages,
        messages: Messages,
        roles: AskingRoles,
    ) -> None:
        self._pool = pool
        self._jobs = jobs
        self._records = records
        self._scopes = scopes
        self._memberships = memberships
        self._passages = passages
        self._messages = messages
        self._roles = roles
        self._answering: Answering | None = None
        self._runs: Accepting | None = None

    def connect(self, *, answering: Answering, runs: Accepting) -> None:
        """What weighs evidence, and what takes private questions in."""
        self._answering, self._runs = answering, runs

    async def later(self, run_id: str, inquiry: Inquiry, completion: Completion) -> None:
        """Look for more once the answer stands; who reads alone got all there is."""
        if inquiry.kind is ConversationKind.DM or completion not in _GIVEN:
            return
        async with self._pool.connection() as connection, connection.transaction():
            await self._jobs.enqueue(connection, REMAINDER_JOB, run_id=run_id)

    async def offer(self, *, run_id: str) -> None:
        """Tell the asker alone when they could get clearly more; nobody else learns of it."""
        inquiry = await self._inquiry(run_id)
        if inquiry is None or await self._records.was_seen(_key(run_id)):
            return
        here, own = await self._scopes_of(inquiry)
        if await self._roles.ask_refusal(inquiry.team, inquiry.asker, ConversationKind.DM) is not None:
            return
        if own.principals <= here.principals:
            return
        try:
            _, (given, possible) = await self._weigh(inquiry, (here, own))
        except (RetrievalError, TimeoutError) as error:
            # An offer is a courtesy: the question has its answer.
            log.warning("remainder_not_weighed", run_id=run_id, error=type(error).__name__)
            return
        if not await self._is_clearly_more(here, given, possible):
            return
        offer = render.offer(run_id, language_of(inquiry))
        try:
            await self._messages.whisper(inquiry.conversation, inquiry.asker, offer, thread_ts=inquiry.thread_ts)
        except SlackError as error:
            log.warning("offer_not_shown", run_id=run_id, error=error.error)

    async def answer(self, run_id: str, *, by: str) -> bool:
        """Ask the question of a run again in its asker's direct messages, under their rights of then.

        False when it is not theirs, or was asked there before. Raises SlackError when they can't be written to.
        """
        inquiry = await self._inquiry(run_id)
        if self._runs is None or inquiry is None or inquiry.asker != by or await self._records.was_seen(_key(run_id)):
            return False
        question = await self._whole_question(inquiry)
        note = render.asked_elsewhere(question, inquiry.conversation, language_of(inquiry))
        conversation, ts = await self._messages.direct(by, note)
        private = replace(
            inquiry,
            conversation=conversation,
            kind=ConversationKind.DM,
            message_ts=ts,
            thread_ts=None,
            text=question,
            voice=None,
        )
        if await self._runs.ask(private, event_id=_key(run_id)):
            return True
        # Another click was faster: its answer comes below its own note.
        await self._messages.delete(conversation, ts)
        return False

    async def _inquiry(self, run_id: str) -> Inquiry | None:
        """The question of a run that was asked before others."""
        run = await self._records.load(run_id)
        if run is None or run.inquiry is None or run.state != "ended" or run.inquiry.kind is ConversationKind.DM:
            return None
        return replace(run.inquiry, text=run.question)

    async def _scopes_of(self, inquiry: Inquiry) -> tuple[AccessScope, AccessScope]:
        """What everyone there may read, and what the asker alone may."""
        team, asker, conversation = inquiry.team, inquiry.asker, inquiry.conversation
        await self._memberships.ensure_known(team=team, conversation=conversation, asker=asker)
        here = await self._scopes.scope(team=team, asker=asker, conversation=conversation)
        return here, await self._scopes.scope(team=team, asker=asker, conversation=None)

    async def _weigh(
        self, inquiry: Inquiry, scopes: Sequence[AccessScope]
    ) -> tuple[Understanding, list[tuple[Support, ...]]]:
        if self._answering is None:
            raise RuntimeError("connect comes first")
        return await self._answering.supports(inquiry, scopes)

    async def _is_clearly_more(self, here: AccessScope, given: Sequence[Support], possible: Sequence[Support]) -> bool:
        """Whether a part that had no answer, or a far less probable one, has one in what is not for everyone there."""
        better = [
            more.quotes[0].passage.chunk_id
            for less, more in zip(given, possible, strict=True)
            if more.quotes and (not less.quotes or more.confidence - less.confidence >= CLEARLY)
        ]
        return bool(set(better) - await self._passages.readable(here, better))

    async def _whole_question(self, inquiry: Inquiry) -> str:
        """The question; of a follow-up in a thread, what it asks in whole, because nothing else is known there."""
        if inquiry.thread_ts in (None, inquiry.message_ts):
            return inquiry.text
        here, _ = await self._scopes_of(inquiry)
        understanding, _ = await self._weigh(inquiry, (here,))
        return "\n".join(part.query for part in understanding.parts) or inquiry.text


def _key(run_id: str) -> str:
    return f"private/{run_id}"
