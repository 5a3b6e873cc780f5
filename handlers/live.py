"""One message that is edited while something goes on: one task owns its edits, the latest wins, the last lands."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable

import structlog

from handlers.errors import NotDelivered, RateLimited, SlackError, Unreachable
from handlers.model import Outgoing
from handlers.pace import EditBudget
from handlers.ports import Messages

log = structlog.get_logger()

Sleep = Callable[[float], Awaitable[None]]
LONGEST_BACKOFF_S = 30.0
GIVE_UP_S = 900.0
"""Seconds that a final edit is tried while Slack can't be reached."""


class Withdrawn(Exception):
    """What was to be shown may not be shown any more."""


class LiveMessage:
    """A message that is already posted. ``show`` and ``finish`` hand in what it should look like; only the task edits.

    An edit under way is always let finish before the final one is sent, so that it can't land after it.
    """

    def __init__(
        self,
        *,
        messages: Messages,
        budget: EditBudget,
        sleep: Sleep,
        conversation: str,
        ts: str,
        shown: Outgoing | None,
    ) -> None:
        self.conversation = conversation
        self.ts = ts
        self._messages = messages
        self._budget = budget
        self._sleep = sleep
        self._shown = shown
        self._wanted: Callable[[], Outgoing] | None = None
        self._final: Outgoing | None = None
        self._may: Callable[[], Awaitable[bool]] | None = None
        self._can_edit = True
        self._changed = asyncio.Event()
        self._pausing: asyncio.Future[None] | None = None
        self._lane = budget.join()
        self._task = asyncio.create_task(self._own(), name=f"edits of {conversation}/{ts}")

    def show(self, wanted: Callable[[], Outgoing], *, urgent: bool = False) -> None:
        """Let the message look like ``wanted()`` soon; it is called when the edit is sent. Ignored after ``finish``.

        ``urgent``: what it shows now must go, before other answers get on.
        """
        if self._final is None:
            self._wanted = wanted
            self._lane.is_urgent = self._lane.is_urgent or urgent
            self._changed.set()
            if self._lane.is_urgent and self._pausing is not None:
                self._pausing.cancel()

    async def finish(self, final: Outgoing, *, may: Callable[[], Awaitable[bool]] | None = None) -> None:
        """Make ``final`` the last state; returns when Slack has it. ``may`` is asked each time before it is sent.

        Raises a SlackError when the message can't be edited (any more), NotDelivered when Slack stays unreachable,
        Withdrawn when it may not be sent.
        """
        if self._final is None:
            self._final, self._may = final, may
            self._changed.set()
            if self._pausing is not None:
                self._pausing.cancel()
        await self._task

    async def aclose(self) -> None:
        """Give up the message as it stands."""
        self._task.cancel()
        with contextlib.suppress(asyncio.CancelledError, SlackError, NotDelivered, Withdrawn):
            await self._task

    async def _own(self) -> None:
        try:
            while self._final is None:
                await self._changed.wait()
                self._changed.clear()
                await self._show_latest()
            await self._land(self._final)
        finally:
            self._budget.leave(self._lane)

    async def _show_latest(self) -> None:
        """One progress edit at the pace of the budget; dropped when it fails, for the next state replaces it."""
        while self._final is None and self._can_edit and self._wanted is not None:
            take = self._budget.take_final if self._lane.is_urgent else self._budget.take_progress
            if wait := take(self._lane):
                await self._pause(wait)
                continue
            message = self._wanted()
            self._wanted, self._lane.is_urgent = None, False
            if message != self._shown:
                await self._try_edit(message)

    async def _try_edit(self, message: Outgoing) -> None:
        try:
            await self._messages.edit(self.conversation, self.ts, message)
            self._shown = message
        except RateLimited as error:
            self._budget.hold(error.retry_after)
        except Unreachable as error:
            log.info("progress_edit_lost", error=error.error)
        except SlackError as error:
            # The final state goes another way; trying this message again would only spend the budget.
            self._can_edit = False
            log.warning("progress_edit_refused", error=error.error)

    async def _land(self, final: Outgoing) -> None:
        backoff, waited = 1.0, 0.0
        while True:
            if wait := self._budget.take_final(self._lane):
                await self._sleep(wait)
                continue
            if self._may is not None and not await self._may():
                raise Withdrawn
            try:
                await self._messages.edit(self.conversation, self.ts, final)
            except RateLimited as error:
                self._budget.hold(error.retry_after)
            except Unreachable as error:
                if waited >= GIVE_UP_S:
                    raise NotDelivered("Slack could not be reached for the final edit") from error
                await self._sleep(backoff)
                waited += backoff
                backoff = min(LONGEST_BACKOFF_S, backoff * 2)
            else:
                return

    async def _pause(self, seconds: float) -> None:
        """Sleep unless ``finish`` cuts it short."""
        self._pausing = asyncio.ensure_future(self._sleep(seconds))
        try:
            await asyncio.wait({self._pausing})
        finally:
            self._pausing.cancel()
            self._pausing = None
