"""The answer of one run in Slack: a placeholder at once, edits while it works, one authoritative end."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

import structlog

from handlers import texts
from handlers.citations import citations
from handlers.errors import NotDelivered, RateLimited, SlackError, TooLong, Unreachable
from handlers.live import LiveMessage, Sleep, Withdrawn
from handlers.model import (
    Cancelled,
    Failed,
    Final,
    Inquiry,
    Outgoing,
    Post,
    Restarted,
    RunEvent,
    Status,
    TextDelta,
    Transcript,
)
from handlers.pace import EditBudget
from handlers.ports import Journal, Messages
from handlers.render import Progress, bare, cancelled, failed, final, progress
from handlers.splitting import MARKDOWN_LIMIT

log = structlog.get_logger()

LIMITS = (MARKDOWN_LIMIT, 5_000, 2_500)
"""Characters of a message, tried in turn when Slack finds one too long; the last also goes without blocks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Replies:
    """Opens the replies of runs. ``now`` is aware UTC."""

    messages: Messages
    journal: Journal
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

    async def complete(self, inquiry: Inquiry, *, run_id: str, language: str) -> bool:
        """Bring an answer into Slack that a process had begun to show and died; False when none was begun.

        Raises NotDelivered as ``Reply.finish`` does.
        """
        posts = await self.journal.of(run_id)
        if not posts or posts[0].ts is None:
            return False
        reply = self._reply(inquiry, run_id, language, posts[0].ts, None)
        await reply.deliver_rest(posts)
        return True

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
            journal=self.journal,
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
        journal: Journal,
        now: Callable[[], datetime],
        closed: Callable[[Reply], None],
    ) -> None:
        self.placeholder_ts = live.ts
        self._inquiry = inquiry
        self._state = state
        self._live = live
        self._messages = messages
        self._journal = journal
        self._now = now
        self._closed = closed
        self._end: Final | Failed | Cancelled | None = None
        self._quotes = False

    async def show(self, event: RunEvent) -> None:
        """Take in an event. What comes after a final, failed or cancelled changes nothing."""
        if self._end is not None:
            return
        if isinstance(event, Final | Failed | Cancelled):
            self._end = event
        elif isinstance(event, Status | TextDelta | Transcript | Restarted):
            self._state = self._state.after(event)
            self._live.show(lambda: progress(self._state), urgent=isinstance(event, Restarted))

    async def finish(self) -> None:
        """Bring the end into Slack: the final edit, what did not fit, the citations.

        A message that can't be edited is posted anew. A run that showed no end is shown as failed. An answer that is
        withdrawn meanwhile is not shown any further. Raises NotDelivered when not all of it can be shown; the asker is
        told in their DM where Slack refuses it. Raises the journal's errors.
        """
        if self._end is None:
            message = texts.LEFT_BEFORE_END(self._state.language)
            self._end = Failed(run_id=self._state.run_id, message=message, can_retry=True)
        self._quotes = isinstance(self._end, Final) and self._end.evidence is not None
        await self._shown(self._deliver(self._end))

    async def deliver_rest(self, posts: Sequence[Post]) -> None:
        """Show what was planned of an answer and may not stand in Slack yet; raises as ``finish`` does."""
        self._quotes = True
        await self._shown(self._deliver_planned(posts))

    async def _shown(self, delivery: Awaitable[None]) -> None:
        try:
            await delivery
        except Withdrawn:
            log.info("answer_withdrawn_on_its_way", run_id=self._state.run_id)
        except SlackError as error:
            await _tell_elsewhere(self._messages, self._inquiry, self._state.language, error)
            raise NotDelivered(f"the end of run {self._state.run_id} could not be shown: {error}") from error
        finally:
            self._closed(self)
            # A delivery that broke off before its final edit leaves nobody waiting for one.
            await self._live.aclose()

    async def abandon(self) -> None:
        """Leave the message as it stands (the process stops)."""
        self._closed(self)
        await self._live.aclose()

    async def _deliver(self, end: Final | Failed | Cancelled) -> None:
        """Smaller pieces until Slack takes the first; the last attempt goes without blocks. Then what follows it."""
        posts: Sequence[Post] = ()
        for limit in LIMITS:
            posts = await self._planned(end, self._messages_of(end, limit))
            try:
                await self._show_first(posts[0], is_first_attempt=limit == LIMITS[0])
                break
            except TooLong:
                continue
        else:
            posts = await self._planned(end, [bare(message) for message in self._messages_of(end, LIMITS[-1])])
            await self._post_anew(posts[0])
        for post in posts[1:]:
            await self._post(post)

    async def _deliver_planned(self, posts: Sequence[Post]) -> None:
        await self._show_first(posts[0], is_first_attempt=True)
        since = float(self._inquiry.message_ts)
        for post in posts[1:]:
            if post.ts is not None:
                continue
            where, thread_ts = self._inquiry.conversation, self._inquiry.thread_ts
            if ts := await self._messages.find(where, self._name(post), thread_ts=thread_ts, since=since):
                await self._note(post, ts)
            else:
                await self._post(post)

    async def _planned(self, end: Final | Failed | Cancelled, messages: Sequence[Outgoing]) -> Sequence[Post]:
        """The messages in order; those of an answer from evidence are noted before Slack gets them."""
        if not self._quotes or not isinstance(end, Final):
            return [Post(at, None, message) for at, message in enumerate(messages, start=1)]
        all_of_it = [*messages, *citations(end, self._now())]
        posts = await self._journal.plan(self._state.run_id, self.placeholder_ts, all_of_it)
        if posts is None:
            raise Withdrawn
        return posts

    async def _show_first(self, post: Post, *, is_first_attempt: bool) -> None:
        """Edit the placeholder; one that can't be edited is posted anew. Raises TooLong."""
        try:
            if is_first_attempt:
                await self._live.finish(post.message, may=self._may if self._quotes else None)
            elif self._quotes and not await self._may():
                raise Withdrawn
            else:
                await self._messages.edit(self._inquiry.conversation, self.placeholder_ts, post.message)
        except TooLong:
            raise
        except SlackError as error:
            log.warning("final_edit_refused", run_id=self._state.run_id, error=error.error)
            await self._post_anew(post)

    async def _may(self) -> bool:
        return await self._journal.stands(self._state.run_id)

    def _messages_of(self, end: Final | Failed | Cancelled, limit: int) -> list[Outgoing]:
        heard, language = self._state.transcript, self._state.language
        if isinstance(end, Final):
            return final(end, transcript=heard, limit=limit)
        if isinstance(end, Failed):
            return [failed(end, language=language, transcript=heard)]
        return [cancelled(end, language=language, transcript=heard)]

    async def _post_anew(self, first: Post) -> None:
        await self._post(first)
        await self._take_down(self.placeholder_ts)

    async def _post(self, post: Post) -> None:
        if self._quotes and not await self._may():
            raise Withdrawn
        where, thread_ts = self._inquiry.conversation, self._inquiry.thread_ts
        name = self._name(post) if self._quotes else None
        ts = await self._messages.post(where, post.message, thread_ts=thread_ts, name=name)
        await self._note(post, ts)

    async def _note(self, post: Post, ts: str) -> None:
        """An answer that was withdrawn while Slack took the message leaves nothing behind."""
        if self._quotes and not await self._journal.posted(self._state.run_id, post.ordinal, ts):
            await self._take_down(ts)
            raise Withdrawn

    async def _take_down(self, ts: str) -> None:
        try:
            await self._messages.delete(self._inquiry.conversation, ts)
        except SlackError as error:
            log.info("message_left", run_id=self._state.run_id, error=error.error)

    def _name(self, post: Post) -> str:
        return post_name(self._state.run_id, post.ordinal)


def post_name(run_id: str, ordinal: int) -> str:
    """What a message of an answer is found by when nobody has noted its ts."""
    return f"{run_id}/{ordinal}"
