"""Runs of answers: accepted durably, answered once, ended visibly."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

import psycopg
import structlog
from psycopg import AsyncConnection
from psycopg_pool import AsyncConnectionPool

from bot.agent.admission import AskingRoles
from bot.agent.ports import GivenAnswers
from bot.agent.worker import RunWorker, Wish
from bot.answers.evidence import new_id
from bot.answers.records import Run, RunRecords
from handlers.model import Inquiry
from ingest.ports import Jobs

log = structlog.get_logger()

JOB: Final = "answer"
"""The job of a run: ``jobs.add(JOB, worker.answer, queue="questions", …)``."""


class Runs:
    """Satisfies ``handlers.ports.Questions``. Raises the database's errors: what raises was not accepted."""

    def __init__(
        self,
        *,
        pool: AsyncConnectionPool,
        records: RunRecords,
        jobs: Jobs,
        worker: RunWorker,
        given: GivenAnswers,
        roles: AskingRoles,
    ) -> None:
        self._given = given
        self._roles = roles
        self._pool = pool
        self._records = records
        self._jobs = jobs
        self._worker = worker

    async def ask(self, inquiry: Inquiry, *, event_id: str | None) -> bool:
        """Accept durably: dedupe keys, run and job in one transaction. False when it was accepted before."""
        keys = [inquiry.dedupe_key, *([event_id] if event_id else [])]
        run_id = new_id("run")
        async with self._pool.connection() as connection, connection.transaction():
            if not await self._records.mark_seen(connection, keys):
                # What was not accepted must leave no key behind.
                raise psycopg.Rollback
            await self._start(connection, run_id, inquiry)
            log.info("run_accepted", run_id=run_id, team=inquiry.team, conversation=inquiry.conversation)
            return True
        return False

    async def recover(self) -> None:
        """After a start and before jobs work: runs of a dead process end visibly, accepted ones get their job back."""
        await self._worker.recover()
        for run_id in await self._records.waiting():
            async with self._pool.connection() as connection, connection.transaction():
                await self._enqueue(connection, run_id)

    async def cancel(self, run_id: str, *, by: str) -> bool:
        """Stop a run on the wish of its asker; False when it had ended or is not theirs."""
        run = await self._records.load(run_id)
        return run is not None and run.asker == by and await self._cancel(run)

    async def retry(self, run_id: str, *, by: str) -> bool:
        """Ask an ended run's question again, in the message that shows its end.

        False when it is not theirs, unknown, not ended, or already being retried.
        """
        run = await self._records.load(run_id)
        if run is None or run.inquiry is None or run.asker != by:
            return False
        # The button is there a moment before the row says that the run has ended.
        if run.state == "accepted" or self._worker.is_working(run_id):
            return False
        async with self._pool.connection() as connection, connection.transaction():
            return await self._start(
                connection, new_id("run"), run.inquiry, retry_of=run_id, placeholder_ts=run.placeholder_ts
            )

    async def ask_again(self, run_id: str, *, by: str) -> bool:
        """Ask the question of an answer that was withdrawn or marked again, in its message, as a run of ``by``.

        False when it stands, makes room for another already, or ``by`` is not known to read there or may not ask.
        """
        run = await self._records.load(run_id)
        if run is None or run.inquiry is None:
            return False
        # The workspace may be asked here, so it is before the transaction, and before roles, which follow from it.
        if not await self._given.is_read_by(run.inquiry.team, run.inquiry.conversation, by):
            return False
        if await self._roles.ask_refusal(run.inquiry.team, by, run.inquiry.kind) is not None:
            return False
        async with self._pool.connection() as connection, connection.transaction():
            ts = await self._given.give_way(connection, run_id)
            inquiry = replace(run.inquiry, asker=by)
            if ts and await self._start(connection, new_id("run"), inquiry, retry_of=run_id, placeholder_ts=ts):
                return True
            raise psycopg.Rollback
        return False

    async def is_engaged(self, team: str, conversation: str, thread_ts: str) -> bool:
        """Whether the bot has a run in this thread, so that follow-ups need no mention."""
        return await self._records.is_engaged(team, conversation, thread_ts)

    async def question_edited(self, inquiry: Inquiry) -> bool:
        """The asker edited a question: one under way starts anew with the new text; an ended one is left alone."""
        run = await self._records.find(inquiry.team, inquiry.conversation, inquiry.message_ts)
        if run is None or run.asker != inquiry.asker or run.question == inquiry.text:
            return False
        if not await self._records.note_question(run.run_id, inquiry.text):
            return False
        return self._worker.wish(run.run_id, Wish.RESTART) or run.state == "accepted"

    async def question_deleted(self, team: str, conversation: str, message_ts: str) -> bool:
        """The question's message is gone: a run under way is cancelled."""
        run = await self._records.find(team, conversation, message_ts)
        return run is not None and await self._cancel(run)

    async def _cancel(self, run: Run) -> bool:
        return await self._records.end_accepted(run.run_id) or self._worker.wish(run.run_id, Wish.CANCEL)

    async def _start(
        self,
        connection: AsyncConnection[Any],
        run_id: str,
        inquiry: Inquiry,
        *,
        retry_of: str | None = None,
        placeholder_ts: str | None = None,
    ) -> bool:
        accepted = await self._records.accept(
            connection, run_id, inquiry, retry_of=retry_of, placeholder_ts=placeholder_ts
        )
        if accepted:
            await self._enqueue(connection, run_id)
        return accepted

    async def _enqueue(self, connection: AsyncConnection[Any], run_id: str) -> None:
        # The queueing lock: a job that waits already is not doubled.
        await self._jobs.enqueue(connection, JOB, queueing_lock=run_id, run_id=run_id)
