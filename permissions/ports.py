"""What permissions needs from outside: the rows that say who is where, and the workspace that they come from."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from permissions.model import Conversation, ConversationKind, Person, Principal


class WorkspaceUnavailable(Exception):
    """The workspace could not be asked, or refused to tell; what it would have said stays unknown."""


@dataclass(frozen=True, slots=True)
class AskerFacts:
    """What is known of the asker. ``has_stale`` says that some of their memberships were confirmed too long ago."""

    is_full_member: bool
    has_stale: bool


@dataclass(frozen=True, slots=True)
class PlaceFacts:
    """What is known of a conversation and of who reads it.

    ``members_known``: its list of members is complete and fresh; ``people_known``: so is the workspace's list of
    people. ``has_outsiders``: a reader among its members is known not to be a full member; ``has_unknown``: of a member
    nothing fresh is known; ``readers``: how many of its members read, 2 standing for more.
    """

    kind: ConversationKind
    is_shared: bool
    members_known: bool
    people_known: bool
    asker_is_member: bool
    has_outsiders: bool
    has_unknown: bool
    readers: int


@dataclass(frozen=True, slots=True)
class Standing:
    """One consistent look at the rows. ``asker`` is None when unknown, stale, deleted or a bot; ``place`` when unknown.

    ``principals`` are the asker's channels, groups and own user; when a conversation was asked about, only those that
    each of its readers has too, the conversation's own channel left out. ``is_incomplete``: there may be more of them,
    but who is in those channels was confirmed too long ago.
    """

    asker: AskerFacts | None
    place: PlaceFacts | None
    principals: frozenset[Principal] = frozenset()
    is_incomplete: bool = False


@dataclass(frozen=True, slots=True)
class Covered:
    """One consistent look at a conversation. ``place`` is None when it is unknown.

    ``principals`` are those of the channels, groups and users asked about that each of its readers has.
    """

    place: PlaceFacts | None
    principals: frozenset[Principal] = frozenset()


class Coverage(Protocol):
    """Looks at the rows of rights; rows confirmed before ``since`` never prove that somebody may read."""

    async def look(self, *, team: str, asker: str, conversation: str | None, since: datetime) -> Standing: ...

    async def cover(
        self, *, team: str, conversation: str, principals: Collection[Principal], since: datetime
    ) -> Covered:
        """``principals`` are of ``team``; nobody asks, so that ``asker_is_member`` of the place is false."""
        ...


@dataclass(frozen=True, slots=True)
class Unknowns:
    """What must be asked of the workspace before a scope can be built: names of rows that are missing or stale."""

    asker: bool
    asker_conversations: bool
    conversation: bool
    members: bool
    people: tuple[str, ...]


class Directory(Protocol):
    """The rows of people, conversations and memberships.

    Times are ours: ``as_of`` is when a listing was begun, so that what an event said since then outlives it.
    ``event_at`` is Slack's time of an event, which orders events among themselves.
    """

    async def put_people(self, people: Collection[Person], *, as_of: datetime) -> None: ...

    async def people_listed(self, team: str, *, as_of: datetime) -> None: ...

    async def put_conversation(self, conversation: Conversation, *, as_of: datetime) -> tuple[str, ...]: ...

    async def replace_members(
        self, team: str, conversation: str, members: Collection[str], *, as_of: datetime
    ) -> None: ...

    async def forget_unseen(self, team: str, seen: Collection[str], *, as_of: datetime) -> None: ...

    async def confirm_conversations_of(
        self, team: str, user: str, conversations: Collection[str], *, as_of: datetime
    ) -> None: ...

    async def add_member(self, team: str, conversation: str, user: str, *, event_at: datetime) -> bool: ...

    async def remove_member(self, team: str, conversation: str, user: str, *, event_at: datetime) -> bool: ...

    async def forget_person(self, team: str, user: str) -> None: ...

    async def forget_members(self, team: str, conversation: str) -> None: ...

    async def forget_conversation(self, team: str, conversation: str) -> None: ...

    async def make_private(self, team: str, conversation: str) -> tuple[str, ...]: ...

    async def delete_conversation(self, team: str, conversation: str) -> None: ...

    async def unknowns(
        self, *, team: str, asker: str, conversation: str | None, since: datetime, recheck: datetime
    ) -> Unknowns: ...


class WorkspaceSource(Protocol):
    """The workspace itself. Every method raises :class:`WorkspaceUnavailable` when it gets no usable reply."""

    async def own_user(self, team: str) -> str: ...

    def people(self, team: str) -> AsyncIterator[list[Person]]:
        """All people, page by page."""
        ...

    def conversations(self, team: str) -> AsyncIterator[list[Conversation]]:
        """The channels and group DMs that the bot is in, page by page: only their changes reach it as events."""
        ...

    async def members(self, team: str, conversation: str) -> list[str]: ...

    async def conversations_of(self, team: str, user: str) -> list[str]:
        """The conversations that this person and the bot are both in, public ones of the person as well."""
        ...

    async def conversation(self, team: str, conversation: str) -> Conversation | None:
        """None when it does not exist or the bot may not see it."""
        ...

    async def person(self, team: str, user: str) -> Person | None:
        """None when there is no such person."""
        ...
