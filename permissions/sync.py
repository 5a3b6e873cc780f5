"""Keeps the rows of rights true: a first load, what a question needs, and what events say."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Collection
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from weakref import WeakValueDictionary

import structlog

from permissions.model import Trouble, TroubleKind
from permissions.ports import EVERYWHERE, Directory, Unknowns, WorkspaceSource, WorkspaceUnavailable
from permissions.reading import REMEDIES, Listings, Reader
from permissions.sweep import Sweep

_log = structlog.get_logger()

# More unknown people than this are read as one listing of all instead of one by one (slack.md: users.info is Tier 4,
# 100 a minute).
_ONE_BY_ONE = 20

# Seconds for what an event makes us read: Slack redelivers what is not acknowledged within 3 (slack.md, Limits).
_EVENT_PATIENCE = 1.5

# Seconds between two looks at what events have changed and nobody could read; how many of each kind at once, and how
# often each is tried until the next sweep.
_REPAIR_EVERY = 60.0
_REPAIRS = 20
_REPAIR_TRIES = 5

# Seconds until a sweep that failed is tried again: doubled from one to the other.
_FIRST_RETRY, _LAST_RETRY = 30.0, 300.0


class WorkspaceSync:
    """Reads the workspace into the directory. Whatever cannot be read stays unknown, and scopes stay small."""

    def __init__(
        self,
        *,
        source: WorkspaceSource,
        directory: Directory,
        clock: Callable[[], datetime],
        max_age: timedelta,
        background: WorkspaceSource | None = None,
        recheck_after: timedelta = timedelta(seconds=30),
        patience: float = 5.0,
        on_narrowed: Callable[[tuple[str, ...]], Awaitable[None]] | None = None,
        on_audience: Callable[[str, tuple[str, ...]], Awaitable[None]] | None = None,
        on_moved: Callable[[str, str, str], Awaitable[None]] | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """``background``: the same workspace, asked only when no question needs it. ``patience``: seconds a question
        waits for the workspace.

        ``on_narrowed`` gets documents that lost grants. ``on_audience`` gets a team and conversations whose readers, or
        what these hold elsewhere, have changed; none named: any of the team may have. ``on_moved`` gets a team, and a
        conversation's old and new id. A change is told after it is written and until the callback has returned, so that
        it may be told twice.
        """
        self._source = source
        self._directory = directory
        self._clock = clock
        self._max_age = max_age
        self._recheck_after = recheck_after
        self._patience = patience
        self._on_narrowed = on_narrowed
        self._on_audience = on_audience
        self._on_moved = on_moved
        self._sleep = sleep
        self._reader = Reader(source=source, directory=directory, clock=clock)
        self._quiet_reader = Reader(source=background or source, directory=directory, clock=clock)
        self._sweep = Sweep(source=background or source, directory=directory, clock=clock, announce=self._announce)
        self._listings = Listings(self._reader.people)
        self._is_due = False
        self._locks: WeakValueDictionary[tuple[str, ...], asyncio.Lock] = WeakValueDictionary()

    async def aclose(self) -> None:
        """Give up what is still being read."""
        await self._listings.aclose()

    async def load(self, team: str) -> None:
        """Read all people, user groups and conversations that the bot is in, with their members.

        Raises :class:`WorkspaceUnavailable` when the lists cannot be read.
        """
        await self._sweep.run(team)

    async def keep_fresh(self, team: str, *, every: timedelta) -> None:
        """Load again and again until cancelled: confirmations stay younger than ``max_age``, missed events are made up.

        What an earlier process broke off is gone on with, and followed by another sweep at once: that process may have
        missed events. A sweep that fails is tried again soon; until then scopes shrink as confirmations grow old.
        """
        failures, is_first = 0, True
        while True:
            self._is_due = False
            began = self._clock()
            try:
                is_resumed = await self._sweep.run(team, resume_since=began - self._max_age / 2)
            except WorkspaceUnavailable as problem:
                wait = min(_FIRST_RETRY * 2**failures, _LAST_RETRY, every.total_seconds())
                failures += 1
                remedy = REMEDIES[problem.trouble.kind]
                _log.warning("sweep_failed", team=team, problem=str(problem), remedy=remedy, again_in_seconds=wait)
            else:
                failures = 0
                spent = (self._clock() - began).total_seconds()
                wait = 0.0 if is_first and is_resumed else max(0.0, every.total_seconds() - spent)
            is_first = False
            await self._rest(team, wait)

    async def _rest(self, team: str, seconds: float) -> None:
        """Wait for the next sweep, and meanwhile read what events have changed and nobody could read."""
        tried: Counter[str] = Counter()
        while seconds > 0 and not self._is_due:
            pause = min(seconds, _REPAIR_EVERY)
            await self._sleep(pause)
            seconds -= pause
            if seconds > 0 and not self._is_due:
                await self._repair(team, tried)

    async def _repair(self, team: str, tried: Counter[str]) -> None:
        # What can't be read takes no turn from the rest.
        given_up = [name for name, times in tried.items() if times >= _REPAIR_TRIES]
        unknown = await self._directory.sweeps.unconfirmed(team, limit=_REPAIRS, but=given_up)
        steps = (
            (self._quiet_reader.person, unknown.people),
            (self._quiet_reader.conversation, unknown.conversations),
            (self._quiet_reader.members, unknown.members),
        )
        for read, names in steps:
            for name in names:
                tried[name] += 1
                try:
                    await read(team, name)
                except WorkspaceUnavailable as problem:
                    _log.warning("rights_unknown", team=team, what=name, problem=str(problem))
                    if problem.trouble.kind is not TroubleKind.REFUSED:
                        return
                await self._announce(team)

    async def ensure_known(self, team: str, conversation: str | None, asker: str) -> Trouble | None:
        """Read what a scope of this question needs and what is missing or stale, within ``patience``.

        Never raises for the workspace's sake: what stays unknown makes the scope smaller, and why is returned; where
        all could be read, why sweeps cannot go on: other places grow unknown meanwhile.
        Questions about the same place wait for one another, so that a burst reads it once.
        """
        key = (team, conversation or "", asker if conversation is None else "")
        lock = self._locks.setdefault(key, asyncio.Lock())
        trouble = None
        try:
            async with asyncio.timeout(self._patience), lock:
                await self._read_unknowns(team, conversation, asker, await self._unknowns(team, conversation, asker))
        except WorkspaceUnavailable as problem:
            trouble = problem.trouble
        except TimeoutError:
            trouble = Trouble(TroubleKind.SILENT)
        if trouble is not None:
            remedy = REMEDIES[trouble.kind]
            _log.warning("rights_unknown", team=team, conversation=conversation, trouble=str(trouble), remedy=remedy)
        if conversation is not None:
            await self._directory.asked_in(team, conversation)
        await self._announce(team)
        return trouble or await self._directory.sweeps.trouble(team)

    async def member_joined(self, team: str, conversation: str, user: str, *, event_at: datetime) -> None:
        """``event_at`` is Slack's time of the event. When it is the bot who joined, the conversation is read."""
        known = await self._directory.add_member(team, conversation, user, event_at=event_at)
        async with self._told(team, conversation):
            if not known or user == await self._source.own_user(team):
                await self._reader.conversation(team, conversation)
                await self._reader.members(team, conversation)

    async def member_left(self, team: str, conversation: str, user: str, *, event_at: datetime) -> None:
        """Acts on the next question. When it is, or may be, the bot who left, nobody is known to be there."""
        await self._directory.remove_member(team, conversation, user, event_at=event_at)
        try:
            is_ourselves = user == await self._source.own_user(team)
        except WorkspaceUnavailable:
            is_ourselves = True
        if is_ourselves:
            await self._directory.forget_members(team, conversation)
        await self._announce(team)

    async def conversation_left(self, team: str, conversation: str) -> None:
        """The bot was removed: it sees the conversation no more, and nobody is known to be there."""
        await self._directory.forget_members(team, conversation)
        await self._announce(team)

    async def person_changed(self, team: str, user: str) -> None:
        """Of a new or changed person nothing is known until they are read again."""
        await self._directory.forget_person(team, user)
        async with self._told(team, user):
            await self._reader.person(team, user)

    async def conversation_changed(self, team: str, conversation: str) -> None:
        """Created, renamed, archived, shared, unshared or opened up: unknown until it is read again."""
        await self._directory.forget_conversation(team, conversation)
        async with self._told(team, conversation):
            await self._reader.conversation(team, conversation)

    async def conversation_unshared(self, team: str, conversation: str) -> None:
        """Sharing with others has ended: their people are gone, and Slack says no word about each of them.

        Who is there is read anew; when it can't be read, nobody is known to be there.
        """
        await self._directory.forget_conversation(team, conversation)
        was_read = False
        async with self._told(team, conversation):
            await self._reader.conversation(team, conversation)
            await self._reader.members(team, conversation)
            was_read = True
        if not was_read:
            await self._directory.forget_members(team, conversation)
            await self._announce(team)

    async def conversation_became_private(self, team: str, conversation: str) -> None:
        """Documents lose the workspace's grant that this channel gave, at once."""
        await self._directory.make_private(team, conversation)
        await self.conversation_changed(team, conversation)

    async def conversation_moved(self, team: str, old: str, new: str) -> None:
        """The conversation goes on under another id: its rows, its principal and what was said there follow.

        Who is there has to be read: that somebody left may have been told under either id before this was.
        """
        await self._directory.move_conversation(team, old, new)
        if self._on_moved is not None:
            await self._on_moved(team, old, new)
        await self._directory.forget_conversation(team, new)
        async with self._told(team, new):
            await self._reader.conversation(team, new)
            await self._reader.members(team, new)

    async def conversation_deleted(self, team: str, conversation: str) -> None:
        """Nobody holds its principal any more, and documents lose the workspace's grant that it gave."""
        await self._directory.delete_conversation(team, conversation)
        await self._announce(team)

    async def groups_changed(self, team: str) -> None:
        """A user group was made, changed or disabled: all of them are one listing."""
        async with self._told(team, "user groups"):
            await self._reader.groups(team)

    async def group_members_changed(
        self, team: str, group: str, *, previous: int, updated: int, added: Collection[str], removed: Collection[str]
    ) -> None:
        """A delta on what was there at ``previous`` (Slack's seconds). When one was missed, the groups are read."""
        follows = await self._directory.groups.change(
            team, group, previous=previous, updated=updated, added=added, removed=removed
        )
        if follows:
            await self._announce(team)
        else:
            await self.groups_changed(team)

    async def app_removed(self, team: str) -> None:
        """The app was uninstalled, or its token revoked: nobody is known until it is there again."""
        await self._directory.forget_workspace(team)
        self._is_due = True
        _log.error("app_not_installed", team=team, remedy=REMEDIES[TroubleKind.NOT_INSTALLED])

    @asynccontextmanager
    async def _told(self, team: str, what: str) -> AsyncIterator[None]:
        """Read what an event is about, then tell of the change. An event is acknowledged in time and needs no
        redelivery: what could not be read stays unknown until it is repaired, or the next question reads it."""
        try:
            async with asyncio.timeout(_EVENT_PATIENCE):
                yield
        except (WorkspaceUnavailable, TimeoutError) as problem:
            _log.warning("rights_unknown", team=team, what=what, problem=repr(problem))
        await self._announce(team)

    async def _announce(self, team: str) -> None:
        """Tell the others what has changed; what they did not take is told again next time."""
        while (news := await self._directory.news.pending(team)).conversations or news.documents:
            if news.documents and self._on_narrowed is not None:
                await self._on_narrowed(tuple(name for _, name in news.documents))
            if news.conversations and self._on_audience is not None:
                names = tuple(name for _, name in news.conversations if name != EVERYWHERE)
                if len(names) < len(news.conversations):
                    await self._on_audience(team, ())
                if names:
                    await self._on_audience(team, names)
            await self._directory.news.told(news)

    async def _unknowns(self, team: str, conversation: str | None, asker: str) -> Unknowns:
        now = self._clock()
        return await self._directory.unknowns(
            team=team,
            asker=asker,
            conversation=conversation,
            since=now - self._max_age,
            recheck=now - self._recheck_after,
        )

    async def _read_unknowns(self, team: str, conversation: str | None, asker: str, unknown: Unknowns) -> None:
        if unknown.asker:
            await self._reader.person(team, asker)
        if conversation is not None:
            if unknown.conversation:
                await self._reader.conversation(team, conversation)
            if unknown.members:
                await self._reader.members(team, conversation)
                unknown = await self._unknowns(team, conversation, asker)
            await self._read_strangers(team, unknown.people)
        if unknown.asker_conversations:
            await self._reader.conversations_of(team, asker)

    async def _read_strangers(self, team: str, users: tuple[str, ...]) -> None:
        if len(users) > _ONE_BY_ONE:
            await self._listings.people(team)
            return
        for user in users:
            await self._reader.person(team, user)
