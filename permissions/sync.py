"""Keeps the rows of rights true: a first load, what a question needs, and what events say."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from weakref import WeakValueDictionary

import structlog

from permissions.model import Conversation
from permissions.ports import Directory, Unknowns, WorkspaceSource, WorkspaceUnavailable

_log = structlog.get_logger()

# More unknown people than this are read as one listing of all instead of one by one (slack.md: users.info is Tier 4,
# 100 a minute).
_ONE_BY_ONE = 20

# Seconds for what an event makes us read: Slack redelivers what is not acknowledged within 3 (slack.md, Limits).
_EVENT_PATIENCE = 1.5


class WorkspaceSync:
    """Reads the workspace into the directory. Whatever cannot be read stays unknown, and scopes stay small."""

    def __init__(
        self,
        *,
        source: WorkspaceSource,
        directory: Directory,
        clock: Callable[[], datetime],
        max_age: timedelta,
        recheck_after: timedelta = timedelta(seconds=30),
        patience: float = 5.0,
        on_narrowed: Callable[[tuple[str, ...]], Awaitable[None]] | None = None,
        on_audience: Callable[[str, tuple[str, ...]], Awaitable[None]] | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """``patience``: seconds a question waits for the workspace. ``on_narrowed`` gets documents that lost grants.

        ``on_audience`` gets a team and conversations whose readers, or what these hold elsewhere, have changed; none
        named: any of the team may have.
        """
        self._source = source
        self._directory = directory
        self._clock = clock
        self._max_age = max_age
        self._recheck_after = recheck_after
        self._patience = patience
        self._on_narrowed = on_narrowed
        self._on_audience = on_audience
        self._sleep = sleep
        self._locks: WeakValueDictionary[tuple[str, ...], asyncio.Lock] = WeakValueDictionary()

    async def load(self, team: str) -> None:
        """Read all people and all conversations that the bot is in, with their members.

        Raises :class:`WorkspaceUnavailable` when the lists cannot be read; one conversation whose members cannot be
        read stays unknown and does not stop the others.
        """
        await self._read_people(team)
        as_of = self._clock()
        seen: set[str] = set()
        async for page in self._source.conversations(team):
            for conversation in page:
                seen.add(conversation.id)
                await self._put(conversation, as_of=as_of)
                try:
                    await self._read_members(team, conversation.id)
                except WorkspaceUnavailable as problem:
                    _log.warning("members_unknown", team=team, conversation=conversation.id, problem=str(problem))
        await self._directory.forget_unseen(team, seen, as_of=as_of)

    async def keep_fresh(self, team: str, *, every: timedelta) -> None:
        """Load again and again until cancelled: confirmations stay younger than ``max_age``, missed events are made up.

        A load that fails is tried again at the next turn; until then scopes shrink as confirmations grow old.
        """
        while True:
            try:
                await self.load(team)
            except WorkspaceUnavailable as problem:
                _log.warning("sweep_failed", team=team, problem=str(problem))
            await self._sleep(every.total_seconds())

    async def ensure_known(self, team: str, conversation: str | None, asker: str) -> None:
        """Read what a scope of this question needs and what is missing or stale, within ``patience``.

        Never raises for the workspace's sake: what stays unknown makes the scope smaller. Questions about the same
        place wait for one another, so that a burst reads it once.
        """
        key = (team, conversation or "", asker if conversation is None else "")
        lock = self._locks.setdefault(key, asyncio.Lock())
        try:
            async with asyncio.timeout(self._patience), lock:
                await self._read_unknowns(team, conversation, asker, await self._unknowns(team, conversation, asker))
        except (WorkspaceUnavailable, TimeoutError) as problem:
            _log.warning("rights_unknown", team=team, conversation=conversation, problem=repr(problem))

    async def member_joined(self, team: str, conversation: str, user: str, *, event_at: datetime) -> None:
        """``event_at`` is Slack's time of the event. When it is the bot who joined, the conversation is read."""
        known = await self._directory.add_member(team, conversation, user, event_at=event_at)
        async with self._unknown_at_worst(team, conversation):
            if not known or user == await self._source.own_user(team):
                await self._read_conversation(team, conversation)
                await self._read_members(team, conversation)
        await self._tell_audience(team, conversation)

    async def member_left(self, team: str, conversation: str, user: str, *, event_at: datetime) -> None:
        """Acts on the next question. When it is, or may be, the bot who left, nobody is known to be there."""
        await self._directory.remove_member(team, conversation, user, event_at=event_at)
        try:
            is_ourselves = user == await self._source.own_user(team)
        except WorkspaceUnavailable:
            is_ourselves = True
        if is_ourselves:
            await self._directory.forget_members(team, conversation)
        await self._tell_audience(team, conversation)

    async def person_changed(self, team: str, user: str) -> None:
        """Of a new or changed person nothing is known until they are read again."""
        await self._directory.forget_person(team, user)
        async with self._unknown_at_worst(team, user):
            await self._read_person(team, user)
        await self._tell_audience(team)

    async def conversation_changed(self, team: str, conversation: str) -> None:
        """Created, renamed, archived, shared or unshared: unknown until it is read again."""
        await self._directory.forget_conversation(team, conversation)
        async with self._unknown_at_worst(team, conversation):
            await self._read_conversation(team, conversation)
        await self._tell_audience(team, conversation)

    async def conversation_became_private(self, team: str, conversation: str) -> None:
        """Documents lose the workspace's grant that this channel gave, at once."""
        await self._tell(await self._directory.make_private(team, conversation))
        await self.conversation_changed(team, conversation)

    async def conversation_deleted(self, team: str, conversation: str) -> None:
        """Nobody holds its principal any more."""
        await self._directory.delete_conversation(team, conversation)
        await self._tell_audience(team, conversation)

    @asynccontextmanager
    async def _unknown_at_worst(self, team: str, what: str) -> AsyncIterator[None]:
        """An event is acknowledged in time and needs no redelivery: the next question reads what is missing."""
        try:
            async with asyncio.timeout(_EVENT_PATIENCE):
                yield
        except (WorkspaceUnavailable, TimeoutError) as problem:
            _log.warning("rights_unknown", team=team, what=what, problem=repr(problem))

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
            await self._read_person(team, asker)
        if conversation is not None:
            if unknown.conversation:
                await self._read_conversation(team, conversation)
            if unknown.members:
                await self._read_members(team, conversation)
                unknown = await self._unknowns(team, conversation, asker)
            await self._read_strangers(team, unknown.people)
        if unknown.asker_conversations:
            as_of = self._clock()
            conversations = await self._source.conversations_of(team, asker)
            await self._directory.confirm_conversations_of(team, asker, conversations, as_of=as_of)

    async def _read_strangers(self, team: str, users: tuple[str, ...]) -> None:
        if len(users) > _ONE_BY_ONE:
            await self._read_people(team)
            return
        for user in users:
            await self._read_person(team, user)

    async def _read_people(self, team: str) -> None:
        began = self._clock()
        async for page in self._source.people(team):
            await self._directory.put_people(page, as_of=began)
        await self._directory.people_listed(team, as_of=began)

    async def _read_person(self, team: str, user: str) -> None:
        as_of = self._clock()
        person = await self._source.person(team, user)
        if person is not None:
            await self._directory.put_people([person], as_of=as_of)

    async def _read_conversation(self, team: str, conversation: str) -> None:
        as_of = self._clock()
        found = await self._source.conversation(team, conversation)
        if found is not None:
            await self._put(found, as_of=as_of)

    async def _put(self, conversation: Conversation, *, as_of: datetime) -> None:
        await self._tell(await self._directory.put_conversation(conversation, as_of=as_of))

    async def _read_members(self, team: str, conversation: str) -> None:
        as_of = self._clock()
        await self._directory.replace_members(
            team, conversation, await self._source.members(team, conversation), as_of=as_of
        )

    async def _tell(self, narrowed: tuple[str, ...]) -> None:
        if narrowed and self._on_narrowed is not None:
            await self._on_narrowed(narrowed)

    async def _tell_audience(self, team: str, *conversations: str) -> None:
        if self._on_audience is not None:
            await self._on_audience(team, conversations)
