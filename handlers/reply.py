"""The answer of one run in Slack: a placeholder at once, edits while it works, one authoritative end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

import structlog

from handlers import texts
from handlers.citations import citations
from handlers.errors import (
    Gone,
    MissingScope,
    NotAuthorised,
    NotDelivered,
    NotEditable,
    RateLimited,
    Refused,
    SlackError,
    TooLong,
    Unreachable,
)
from handlers.live import LiveMessage, Sleep
from handlers.model import Cancelled, Failed, Final, Inquiry, Outgoing, RunEvent, Status, TextDelta, Transcript
from handlers.pace import EditBudget
from handlers.ports import Messages
from handlers.render import Progress, bare, cancelled, failed, final, progress
from handlers.splitting import MARKDOWN_LIMIT

log = structlog.get_logger()

LIMITS = (MARKDOWN_LIMIT, 5_000, 2_500)
"""Characters of a message, tried in turn when Slack finds one too long; the last also goes without blocks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Replies:
    """Opens the replies of runs. ``now`` is aware UTC."""

    messages: Messages
    budget: EditBudget
    now: Callable[[], datetime]
    sleep: Sleep
    _open: set[Reply] = field(default_factory=set)

    async def begin(self, inquiry: Inquiry, *, run_id: str, language: str) -> Reply:
        """Post the placeholder. When the bot can't write there the asker is told in their DM.

        Raises a SlackError when there is no placeholder.
        """
        shown = progress(Progress(run_id=run_id, language=language))
        try:
            ts = await self.messages.post(
                inquiry.conversation, shown, thread_ts=inquiry.thread_ts, urgent=True, name=run_id
            )
        except SlackError as error:
            await _tell_elsewhere(self.messages, inquiry, language, error)
            raise
        return self._reply(inquiry, run_id, language, ts, shown)

    async def find(self, inquiry: Inquiry, *, run_id: str, language: str) -> Reply | None:
        """The placeholder that a process posted and died before it could note it; None when there is none."""
        since = float(inquiry.message_ts)
        ts = await self.messages.find(inquiry.conversation, run_id, thread_ts=inquiry.thread_ts, since=since)
        return None if ts is None else self._reply(inquiry, run_id, language, ts, None)

    async def resume(self, inquiry: Inquiry, *, run_id: str, language: str, placeholder_ts: str) -> Reply:
        """Take up a placeholder that an earlier process posted; no call to Slack."""
        return self._reply(inquiry, run_id, language, placeholder_ts, None)

    async def aclose(self) -> None:
        """Give up the replies that are still open; their runs are ended visibly at the next start."""
        for reply in list(self._open):
            await reply.abandon()

    def _reply(self, inquiry: Inquiry, run_id: str, language: str, ts: str, shown: Outgoing | None) -> Reply:
        live = LiveMessage(
            messages=self.messages,
            budget=self.budget,
            sleep=self.sleep,
            conversation=inquiry.conversation,
            ts=ts,
            shown=shown,
        )
        reply = Reply(
            inquiry=inquiry,
            state=Progress(run_id=run_id, language=language),
            live=live,
            messages=self.messages,
            now=self.now,
            closed=self._open.discard,
        )
        self._open.add(reply)
        return reply


async def _tell_elsewhere(messages: Messages, inquiry: Inquiry, language: str, error: SlackError) -> None:
    """Tell the asker in their DM that they get nothing, or not all, where they asked."""
    log.warning("reply_refused", conversation=inquiry.conversation, error=error.error)
    if isinstance(error, Unreachable | RateLimited):
        return
    text = texts.CANNOT_WRITE_THERE(language, conversation=inquiry.conversation, reason=error.error)
    try:
        await messages.post(inquiry.asker, Outgoing(text=text))
    except SlackError as second:
        log.warning("asker_not_told", error=second.error)


class Reply:
    """One run's reply. ``show`` returns at once; ``finish`` returns when the end stands in Slack."""

    def __init__(
        self,
        *,
        inquiry: Inquiry,
        state: Progress,
        live: LiveMessage,
        messages: Messages,
        now: Callable[[], datetime],
        closed: Callable[[Reply], None],
    ) -> None:
        self.placeholder_ts = live.ts
        self._inquiry = inquiry
        self._state = state
        self._live = live
        self._messages = messages
        self._now = now
        self._closed = closed
        self._end: Final | Failed | Cancelled | None = None

    async def show(self, event: RunEvent) -> None:
        """Take in an event. What comes after a final, failed or cancelled changes nothing."""
        if self._end is not None:
            return
        if isinstance(event, Final | Failed | Cancelled):
            self._end = event
        elif isinstance(event, Status | TextDelta | Transcript):
            self._state = self._state.after(event)
            self._live.show(lambda: progress(self._state))

    async def finish(self) -> None:
        """Bring the end into Slack: the final edit, what did not fit, the citations.

        A message that can't be edited is posted anew. A run that showed no end is shown as failed. Raises NotDelivered
        when not all of it can be shown; the asker is told in their DM where Slack refuses it.
        """
        if self._end is None:
            message = texts.LEFT_BEFORE_END(self._state.language)
            self._end = Failed(run_id=self._state.run_id, message=message, can_retry=True)
        try:
            await self._deliver(self._end)
        except SlackError as error:
            await _tell_elsewhere(self._messages, self._inquiry, self._state.language, error)
            raise NotDelivered(f"the end of run {self._state.run_id} could not be shown: {error}") from error
        finally:
            self._closed(self)

    async def abandon(self) -> None:
        """Leave the message as it stands (the process stops)."""
        self._closed(self)
        await self._live.aclose()

    async def _deliver(self, end: Final | Failed | Cancelled) -> None:
        first, *rest = self._messages_of(end, MARKDOWN_LIMIT)
        try:
            await self._live.finish(first)
        except TooLong:
            rest = await self._deliver_shorter(end)
        except (Gone, MissingScope, NotAuthorised, NotEditable, Refused) as error:
            log.warning("final_edit_refused", run_id=self._state.run_id, error=error.error)
            await self._post_anew(first)
        for message in rest:
            await self._post(message)
        if isinstance(end, Final):
            for message in citations(end, self._now()):
                await self._post(message)

    async def _deliver_shorter(self, end: Final | Failed | Cancelled) -> list[Outgoing]:
        """Smaller pieces until Slack takes the first; returns the rest. The placeholder is edited, else replaced."""
        for limit in LIMITS[1:]:
            first, *rest = self._messages_of(end, limit)
            try:
                await self._messages.edit(self._inquiry.conversation, self.placeholder_ts, first)
            except TooLong:
                continue
            except SlackError:
                await self._post_anew(first)
            return rest
        first, *rest = [bare(message) for message in self._messages_of(end, LIMITS[-1])]
        await self._post_anew(first)
        return rest

    def _messages_of(self, end: Final | Failed | Cancelled, limit: int) -> list[Outgoing]:
        heard, language = self._state.transcript, self._state.language
        if isinstance(end, Final):
            return final(end, transcript=heard, limit=limit)
        if isinstance(end, Failed):
            return [failed(end, language=language, transcript=heard)]
        return [cancelled(end, language=language, transcript=heard)]

    async def _post_anew(self, first: Outgoing) -> None:
        await self._post(first)
        try:
            await self._messages.delete(self._inquiry.conversation, self.placeholder_ts)
        except SlackError as error:
            log.info("placeholder_left", run_id=self._state.run_id, error=error.error)

    async def _post(self, message: Outgoing) -> None:
        await self._messages.post(self._inquiry.conversation, message, thread_ts=self._inquiry.thread_ts)
