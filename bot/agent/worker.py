"""The job of a run: from its row to the last edit of its reply."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto

import structlog

from bot.agent.answering import Answering, NothingSaid
from bot.agent.ports import LiveReply, ReplyFactory
from bot.agent.saying import language_of, say
from bot.agent.texts import (
    BROKEN,
    CLIP_UNREADABLE,
    INTERRUPTED,
    NOTHING_HEARD,
    TIMED_OUT,
    TextByLanguage,
)
from bot.answers.records import Run, RunRecords
from handlers.errors import NotDelivered, SlackError
from handlers.model import Cancelled, Completion, Failed, Inquiry, Restarted
from handlers.trouble import explain
from ingest.model import Unreadable

log = structlog.get_logger()


class Wish(Enum):
    """What somebody wants of a run that is under way."""

    CANCEL = auto()
    RESTART = auto()


@dataclass(slots=True)
class _Live:
    """A run that this process works on. ``task`` is None before its answer has begun and after it has ended."""

    task: asyncio.Task[Completion] | None = None
    wish: Wish | None = None
    is_over: bool = False


class RunWorker:
    """Works runs off. Every accepted run reaches a visible end, whatever happens on the way."""

    def __init__(
        self,
        *,
        records: RunRecords,
        replies: ReplyFactory,
        answering: Answering,
        ended: Callable[[str, Inquiry, Completion], Awaitable[None]] | None = None,
    ) -> None:
        """``ended`` is told of each run that this process has answered, once that is shown and noted."""
        self._ended = ended
        self._records = records
        self._replies = replies
        self._answering = answering
        self._live: dict[str, _Live] = {}

    async def answer(self, run_id: str) -> None:
        """Answer an accepted run. A run that was started before is not answered again.

        Raises the database's errors before the run has started, so that the job is tried again.
        """
        run = await self._records.claim(run_id)
        if run is None or run.inquiry is None:
            await self._settle(run_id)
            return
        live = self._live[run_id] = _Live()
        try:
            await self._answer(run, run.inquiry, live)
        finally:
            del self._live[run_id]

    def wish(self, run_id: str, wish: Wish) -> bool:
        """Cancel or restart a run that is under way; False when it is not, or its answer is already given."""
        live = self._live.get(run_id)
        if live is None or live.is_over:
            return False
        live.wish = wish if live.wish is not Wish.CANCEL else Wish.CANCEL
        if live.task is not None:
            live.task.cancel()
        return True

    def start_over(self, run_id: str) -> bool:
        """Answer anew from what may be read now; what was shown until now goes at once. False as ``wish`` is."""
        return self.wish(run_id, Wish.RESTART)

    def is_working(self, run_id: str) -> bool:
        """Whether the run's answer is still being made; once its end is shown it is not, noted or not."""
        live = self._live.get(run_id)
        return live is not None and not live.is_over

    async def recover(self) -> None:
        """End visibly, with a way to try again, the runs that a dead process left running. Call before jobs work."""
        await self._interrupt([run for run in await self._records.unfinished() if run.run_id not in self._live])

    async def gave_up(self, run_id: str) -> None:
        """The job of a run has failed for good: say so where it was asked."""
        run = await self._records.load(run_id)
        if run is not None and run.state != "ended":
            await self._interrupt([run])

    async def _settle(self, run_id: str) -> None:
        """A job came again. If its earlier attempt died in this very process, its run is still to be ended."""
        run = await self._records.load(run_id)
        if run is None or run.state != "running" or run_id in self._live:
            return
        if run.completion is None:
            await self._interrupt([run])
        elif run.inquiry is None or not await self._completed(run, run.inquiry, run.completion):
            # Its answer was given; only the note that it has ended was lost, with the database's connection.
            await self._records.end(run_id, run.completion)

    async def _interrupt(self, runs: Sequence[Run]) -> None:
        async with asyncio.TaskGroup() as group:
            for run in runs:
                group.create_task(self._end_interrupted(run), name=f"interrupt {run.run_id}")

    async def _end_interrupted(self, run: Run) -> None:
        if run.inquiry and run.completion and await self._completed(run, run.inquiry, run.completion):
            return
        log.warning("run_interrupted", run_id=run.run_id)
        if run.inquiry is not None:
            failed = Failed(run_id=run.run_id, message=say(INTERRUPTED, run.inquiry), can_retry=True)
            await self._deliver(run, run.inquiry, lambda reply: reply.show(failed))
        await self._records.end(run.run_id, Completion.FAILED)

    async def _completed(self, run: Run, inquiry: Inquiry, completion: Completion) -> bool:
        """Show all of an answer that a process had begun to show and died, if it may still be read there."""
        scope = await self._answering.scope(run.run_id, inquiry)
        if not await self._records.is_readable(run.run_id, scope):
            return False
        try:
            if not await self._replies.complete(inquiry, run_id=run.run_id, language=language_of(inquiry)):
                return False
        except NotDelivered:
            log.exception("answer_not_delivered", run_id=run.run_id)
            completion = Completion.FAILED
        return await self._records.end(run.run_id, completion)

    async def _deliver(self, run: Run, inquiry: Inquiry, show: Callable[[LiveReply], Awaitable[None]]) -> None:
        """Show one last state; that Slack can't be reached must not keep the run from ending."""
        try:
            reply = await self._standing(run, inquiry) or await self._reply(run, inquiry)
            await show(reply)
            await reply.finish()
        except (SlackError, NotDelivered):
            log.exception("run_end_not_shown", run_id=run.run_id)

    async def _standing(self, run: Run, inquiry: Inquiry) -> LiveReply | None:
        """The placeholder of a process that died between posting it and noting where."""
        if run.placeholder_ts is not None:
            return None
        return await self._replies.find(inquiry, run_id=run.run_id, language=language_of(inquiry))

    async def _reply(self, run: Run, inquiry: Inquiry) -> LiveReply:
        """The reply's message: the one of an earlier attempt, else a new placeholder, noted at once."""
        language = language_of(inquiry)
        if run.placeholder_ts is not None:
            return await self._replies.resume(
                inquiry, run_id=run.run_id, language=language, placeholder_ts=run.placeholder_ts
            )
        reply = await self._replies.begin(inquiry, run_id=run.run_id, language=language)
        await self._records.place(run.run_id, reply.placeholder_ts)
        return reply

    async def _answer(self, run: Run, inquiry: Inquiry, live: _Live) -> None:
        try:
            reply = await self._reply(run, inquiry)
        except SlackError:
            log.exception("placeholder_not_posted", run_id=run.run_id)
            if not await self._ended_where_it_went(run.run_id, inquiry):
                await self._records.end(run.run_id, Completion.FAILED)
            return
        completion = await self._until_over(run.run_id, inquiry, reply, live)
        live.is_over = True
        try:
            await reply.finish()
        except NotDelivered:
            log.exception("answer_not_delivered", run_id=run.run_id)
            if await self._ended_where_it_went(run.run_id, inquiry):
                return
            completion = Completion.FAILED
        await self._records.end(run.run_id, completion)
        log.info("run_ended", run_id=run.run_id, completion=completion)
        if self._ended is not None:
            await self._ended(run.run_id, inquiry, completion)

    async def _ended_where_it_went(self, run_id: str, inquiry: Inquiry) -> bool:
        """Show the end under the conversation's new id; False when it has none."""
        run = await self._records.load(run_id)
        if run is None or run.inquiry is None or run.inquiry.conversation == inquiry.conversation:
            return False
        await self._end_interrupted(run)
        return True

    async def _until_over(self, run_id: str, inquiry: Inquiry, reply: LiveReply, live: _Live) -> Completion:
        """Answer, and answer again while the question is edited under way."""
        while live.wish is not Wish.CANCEL:
            if live.wish is Wish.RESTART:
                live.wish = None
                await reply.show(Restarted(run_id))
                inquiry = await self._reloaded(run_id, inquiry)
            live.task = asyncio.create_task(self._attempt(run_id, inquiry, reply), name=f"answer {run_id}")
            try:
                return await live.task
            except asyncio.CancelledError:
                # The process is stopping: the run stays marked as running, and the next start ends it visibly.
                if live.wish is None or _is_being_cancelled():
                    raise
            finally:
                live.task = None
        await reply.show(Cancelled(run_id))
        return Completion.CANCELLED

    async def _reloaded(self, run_id: str, inquiry: Inquiry) -> Inquiry:
        run = await self._records.load(run_id)
        return replace(inquiry, text=run.question, voice=None) if run is not None else inquiry

    async def _attempt(self, run_id: str, inquiry: Inquiry, reply: LiveReply) -> Completion:
        """The boundary of a run: whatever goes wrong inside becomes words for the asker."""
        try:
            return await self._answering.answer(run_id, inquiry, reply.show)
        except TimeoutError:
            log.exception("run_timed_out", run_id=run_id)
            failed = Failed(run_id=run_id, message=say(TIMED_OUT, inquiry), can_retry=True)
        except NothingSaid:
            failed = Failed(run_id=run_id, message=say(NOTHING_HEARD, inquiry), can_retry=False)
        except Unreadable as error:
            log.warning("clip_unreadable", run_id=run_id, cause=error.cause, detail=error.detail)
            failed = Failed(run_id=run_id, message=say(CLIP_UNREADABLE, inquiry), can_retry=True)
        except SlackError as error:
            log.exception("slack_refused", run_id=run_id)
            words: TextByLanguage = {"en": explain(error, "en"), "zh": explain(error, "zh")}
            failed = Failed(run_id=run_id, message=say(words, inquiry), can_retry=True)
        except Exception:
            log.exception("run_failed", run_id=run_id)
            failed = Failed(run_id=run_id, message=say(BROKEN, inquiry), can_retry=True)
        await reply.show(failed)
        return Completion.FAILED


def _is_being_cancelled() -> bool:
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
