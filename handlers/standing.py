"""What became of an answer, shown in Slack: withdrawn, marked, or making room for another."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Final
from weakref import WeakValueDictionary

import structlog

from handlers.errors import Gone, NotEditable, RateLimited
from handlers.live import Sleep
from handlers.model import GivenAnswer, Outgoing, Post
from handlers.pace import EditBudget
from handlers.ports import Messages
from handlers.render import marked, withdrawn
from handlers.reply import post_name

log = structlog.get_logger()

AWAY: Final = frozenset({"not_in_channel", "channel_not_found", "is_archived"})
"""Slack's words for a place where nothing can be written now; the message may still stand there."""


class OutOfReach(Exception):
    """The bot is not where the answer stands, or nothing can be written there; it may be later."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Standings:
    """Edits answers that were given. ``edits`` is the budget that running answers draw on, in which withdrawals come
    first; Slack counts ``removals`` (chat.delete) apart.

    Every method raises OutOfReach, and other SlackErrors for what may pass; what is not there (any more) is fine.
    """

    messages: Messages
    edits: EditBudget
    removals: EditBudget
    sleep: Sleep
    _turns: WeakValueDictionary[str, asyncio.Lock] = field(default_factory=WeakValueDictionary)

    async def withdraw(self, given: GivenAnswer) -> str | None:
        """Put the notice in the place of the answer, take its other messages away; where the notice stands."""
        shown: str | None = None
        for post in given.posts:
            if post.ordinal == 1:
                shown = await self._replace(given, post)
            else:
                await self._remove(given, post)
        return shown

    async def mark(self, given: GivenAnswer, may: Callable[[], Awaitable[bool]]) -> None:
        """Say below the answer which sources have a newer version, or no more; ``may`` is asked before the edit."""
        for post in [post for post in given.posts if post.message.text and not post.message.attachments][-1:]:
            message = marked(post.message, given.run_id, given.newer, given.language)
            try:
                await self._edit(given, post, message, may=may)
            except NotEditable as error:
                log.warning("answer_not_marked", run_id=given.run_id, error=error.error)

    async def make_room(self, given: GivenAnswer) -> None:
        """Take away what stands beside the message that another answer takes over."""
        for post in given.posts:
            if post.ordinal != 1:
                await self._remove(given, post)

    async def _replace(self, given: GivenAnswer, post: Post) -> str | None:
        notice = withdrawn(given.run_id, given.language, alone=given.alone)
        try:
            return post.ts if await self._edit(given, post, notice) else None
        except NotEditable as error:
            log.warning("answer_not_editable", run_id=given.run_id, error=error.error)
            await self._remove(given, post)
            return await self.messages.post(given.conversation, notice, thread_ts=given.thread_ts)

    async def _edit(
        self, given: GivenAnswer, post: Post, message: Outgoing, *, may: Callable[[], Awaitable[bool]] | None = None
    ) -> bool:
        """False when there is no message, or it may not be edited (any more). Without ``may`` it is urgent."""
        ts = post.ts
        if ts is None:
            return False

        async def edit() -> bool:
            # A mark that was looked at before a withdrawal must not land after it.
            async with self._turns.setdefault(given.run_id, asyncio.Lock()):
                return (may is None or await may()) and await _there(
                    self.messages.edit(given.conversation, ts, message)
                )

        return await self._paced(self.edits, edit, is_urgent=may is None)

    async def _remove(self, given: GivenAnswer, post: Post) -> None:
        ts = post.ts or await self._found(given, post)
        if ts is not None:
            await self._paced(self.removals, lambda: _there(self.messages.delete(given.conversation, ts)))

    async def _found(self, given: GivenAnswer, post: Post) -> str | None:
        """A message that a process posted and died before it could note it."""
        since, name = float(given.asked_ts), post_name(given.run_id, post.ordinal)
        return await self.messages.find(given.conversation, name, thread_ts=given.thread_ts, since=since)

    async def _paced(self, budget: EditBudget, call: Callable[[], Awaitable[bool]], *, is_urgent: bool = True) -> bool:
        """At its turn in the budget; waits out what Slack asks to wait."""
        lane = budget.join(urgent=is_urgent)
        take = budget.take_final if is_urgent else budget.take_progress
        try:
            while True:
                if wait := take(lane):
                    await self.sleep(wait)
                    continue
                try:
                    return await call()
                except RateLimited as error:
                    budget.hold(error.retry_after)
        finally:
            budget.leave(lane)


async def _there(call: Awaitable[None]) -> bool:
    """False when there is no such message. Raises OutOfReach where the bot can't write, else as the call does."""
    try:
        await call
    except Gone as error:
        if error.error in AWAY:
            raise OutOfReach(error.error) from error
        return False
    return True
