"""What permissions needs from outside: the rows that say who is where, and the workspace that they come from."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final, Generic, Protocol, TypeVar

from permissions.model import Conversation, ConversationKind, Person, Principal, Trouble, TroubleKind, UserGroup

_SILENT: Final = Trouble(TroubleKind.SILENT)


class WorkspaceUnavailable(Exception):
    """The workspace could not be asked, or refused to tell; what it would have said stays unknown."""

    def __init__(self, what: str, *, trouble: Trouble = _SILENT) -> None:
        super().__init__(what)
        self.trouble = trouble


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
    nothing fresh is known; ``readers``: how many of its members read.
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


EVERYWHERE: Final = ""
"""The name in news that stands for all conversations of a team."""


@dataclass(frozen=True, slots=True)
class News:
    """Changes of rights in ``team`` that others are to be told of, as (number, name).

    ``conversations``: their audience, or what it holds elsewhere, has changed; an empty name stands for all of the
    team. ``documents`` have lost grants.
    """

    team: str
    conversations: tuple[tuple[int, str], ...] = ()
    documents: tuple[tuple[int, str], ...] = ()


class Stage(StrEnum):
    """What a sweep reads, in this order."""

    PEOPLE = "people"
    GROUPS = "groups"
    CONVERSATIONS = "conversations"
    MEMBERS = "members"
    DONE = "done"


@dataclass(frozen=True, slots=True)
class SweepState:
    """How far a sweep has come. ``cursor`` leads to the next page of the stage that was begun at ``stage_began_at``."""

    team: str
    stage: Stage
    began_at: datetime
    stage_began_at: datetime
    cursor: str = ""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the last sweep is: of ``places`` conversations, the members of ``read`` are known from it.

    ``ended_at`` is when one was last complete. ``trouble`` is why it does not go on, ``groups_trouble`` why user groups
    cannot be read.
    """

    stage: Stage
    began_at: datetime
    ended_at: datetime | None
    read: int
    places: int
    trouble: Trouble | None = None
    groups_trouble: Trouble | None = None


@dataclass(frozen=True, slots=True)
class Unconfirmed:
    """What an event has changed and nobody could read since."""

    people: tuple[str, ...]
    conversations: tuple[str, ...]
    members: tuple[str, ...]


class GroupRows(Protocol):
    """The rows of user groups."""

    async def replace_all(self, team: str, groups: Collection[UserGroup], *, as_of: datetime) -> None: ...

    async def change(
        self, team: str, group: str, *, previous: int, updated: int, added: Collection[str], removed: Collection[str]
    ) -> bool: ...


class SweepRows(Protocol):
    """How far the reading of a whole workspace has come."""

    async def state(self, team: str) -> SweepState | None: ...

    async def put(self, state: SweepState) -> None: ...

    async def note_trouble(self, team: str, trouble: Trouble | None, *, of_groups: bool = False) -> None: ...

    async def seen(self, team: str, conversations: Collection[str], *, at: datetime) -> None: ...

    async def forget_unseen(self, team: str, *, since: datetime, as_of: datetime) -> None: ...

    async def unseen_open(self, team: str, *, since: datetime) -> list[str]: ...

    async def next_place(self, team: str, *, sweep: datetime) -> str | None: ...

    async def tried(self, team: str, conversation: str, *, sweep: datetime) -> None: ...

    async def trouble(self, team: str) -> Trouble | None: ...

    async def progress(self, team: str) -> Progress | None: ...

    async def unconfirmed(self, team: str, *, limit: int, but: Collection[str] = ()) -> Unconfirmed: ...


class NewsRows(Protocol):
    """Changes that are still to be told."""

    async def pending(self, team: str) -> News: ...

    async def told(self, news: News) -> None: ...


class Directory(Protocol):
    """The rows of people, conversations, memberships and user groups, and what is still to be told of their changes.

    Times are ours: ``as_of`` is when a listing was begun, so that what an event said since then outlives it.
    ``event_at`` is Slack's time of an event, which orders events among themselves. Every change of who reads what is
    noted as news in the same transaction.
    """

    @property
    def groups(self) -> GroupRows: ...

    @property
    def sweeps(self) -> SweepRows: ...

    @property
    def news(self) -> NewsRows: ...

    async def put_people(self, people: Collection[Person], *, as_of: datetime) -> None: ...

    async def people_listed(self, team: str, *, as_of: datetime) -> None: ...

    async def drop_person(self, team: str, user: str, *, as_of: datetime) -> None: ...

    async def put_conversation(self, conversation: Conversation, *, as_of: datetime) -> None: ...

    async def replace_members(
        self, team: str, conversation: str, members: Collection[str], *, as_of: datetime
    ) -> None: ...

    async def confirm_conversations_of(
        self, team: str, user: str, conversations: Collection[str], *, as_of: datetime
    ) -> None: ...

    async def add_member(self, team: str, conversation: str, user: str, *, event_at: datetime) -> bool: ...

    async def remove_member(self, team: str, conversation: str, user: str, *, event_at: datetime) -> bool: ...

    async def forget_person(self, team: str, user: str) -> None: ...

    async def forget_members(self, team: str, conversation: str) -> None: ...

    async def hide_conversation(self, team: str, conversation: str) -> None: ...

    async def forget_conversation(self, team: str, conversation: str) -> None: ...

    async def forget_workspace(self, team: str) -> None: ...

    async def make_private(self, team: str, conversation: str) -> None: ...

    async def move_conversation(self, team: str, old: str, new: str) -> None: ...

    async def delete_conversation(self, team: str, conversation: str) -> None: ...

    async def unknowns(
        self, *, team: str, asker: str, conversation: str | None, since: datetime, recheck: datetime
    ) -> Unknowns: ...

    async def asked_in(self, team: str, conversation: str) -> None: ...


Item_co = TypeVar("Item_co", covariant=True)


@dataclass(frozen=True, slots=True)
class Page(Generic[Item_co]):
    """A part of a listing; an empty ``cursor`` says that it was the last one."""

    items: tuple[Item_co, ...]
    cursor: str = ""


class WorkspaceSource(Protocol):
    """The workspace itself. Every method raises :class:`WorkspaceUnavailable` when it gets no usable reply."""

    async def own_user(self, team: str) -> str: ...

    def people(self, team: str, *, cursor: str = "") -> AsyncIterator[Page[Person]]:
        """All people, page by page, from the page of ``cursor`` on."""
        ...

    def conversations(self, team: str, *, cursor: str = "") -> AsyncIterator[Page[Conversation]]:
        """The channels and group DMs that the bot is in, page by page: only their changes reach it as events."""
        ...

    async def members(self, team: str, conversation: str) -> list[str]: ...

    async def groups(self, team: str) -> list[UserGroup]:
        """All user groups that are in use."""
        ...

    async def conversations_of(self, team: str, user: str) -> list[str]:
        """The conversations that this person and the bot are both in, public ones of the person as well."""
        ...

    async def conversation(self, team: str, conversation: str) -> Conversation | None:
        """None when it does not exist or the bot may not see it."""
        ...

    async def person(self, team: str, user: str) -> Person | None:
        """None when there is no such person."""
        ...
