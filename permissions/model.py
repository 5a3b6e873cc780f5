"""The words of access: principals, people, conversations, and the scope of an answer."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final


class PrincipalKind(StrEnum):
    """What a grant can name."""

    WORKSPACE = "workspace"
    CHANNEL = "channel"
    GROUP = "group"
    USER = "user"


@dataclass(frozen=True, slots=True, order=True)
class Principal:
    """One name that a grant can carry: ``workspace:T``, ``channel:T/C``, ``group:T/S`` or ``user:T/U``."""

    kind: PrincipalKind
    team: str
    id: str = ""

    def __post_init__(self) -> None:
        if not self.team or "/" in self.team or ":" in self.team:
            raise ValueError(f"a principal needs a team id without '/' or ':', not {self.team!r}")
        if (self.kind is PrincipalKind.WORKSPACE) != (not self.id):
            raise ValueError(f"a {self.kind} principal {'has no' if not self.id else 'needs an'} id")

    def __str__(self) -> str:
        return f"{self.kind}:{self.team}" + (f"/{self.id}" if self.id else "")

    @classmethod
    def parse(cls, text: str) -> Principal:
        """Read what ``str()`` wrote; raises ValueError for anything else."""
        kind, _, rest = text.partition(":")
        team, _, identifier = rest.partition("/")
        return cls(PrincipalKind(kind), team, identifier)

    @classmethod
    def workspace(cls, team: str) -> Principal:
        return cls(PrincipalKind.WORKSPACE, team)

    @classmethod
    def channel(cls, team: str, conversation: str) -> Principal:
        return cls(PrincipalKind.CHANNEL, team, conversation)

    @classmethod
    def group(cls, team: str, group: str) -> Principal:
        return cls(PrincipalKind.GROUP, team, group)

    @classmethod
    def user(cls, team: str, user: str) -> Principal:
        return cls(PrincipalKind.USER, team, user)


class ConversationKind(StrEnum):
    """Slack's four kinds of conversation."""

    PUBLIC = "public"
    PRIVATE = "private"
    GROUP_DM = "group_dm"
    DM = "dm"


@dataclass(frozen=True, slots=True)
class Person:
    """A user as seen from ``team``; ``home_team`` differs for people of another workspace.

    ``is_admin``: one of the workspace's owners or administrators.
    """

    team: str
    id: str
    name: str
    home_team: str
    is_guest: bool = False
    is_stranger: bool = False
    is_deleted: bool = False
    is_bot: bool = False
    is_admin: bool = False
    locale: str = ""

    @property
    def is_full_member(self) -> bool:
        """True when the workspace principal belongs to this person."""
        return self.home_team == self.team and not (self.is_guest or self.is_stranger or self.is_deleted or self.is_bot)


@dataclass(frozen=True, slots=True)
class Conversation:
    """A channel, group DM or DM; ``is_shared`` covers Connect, pending and org-shared channels."""

    team: str
    id: str
    kind: ConversationKind
    name: str = ""
    is_archived: bool = False
    is_shared: bool = False


@dataclass(frozen=True, slots=True)
class UserGroup:
    """A user group with all of its members. ``updated`` is Slack's time of its last change, in whole seconds."""

    team: str
    id: str
    handle: str
    name: str
    updated: int
    members: frozenset[str]


class TroubleKind(StrEnum):
    """Why the workspace does not tell; what an administrator can do follows from it."""

    SILENT = "silent"
    RATE_LIMITED = "rate_limited"
    MISSING_SCOPE = "missing_scope"
    NOT_INSTALLED = "not_installed"
    NO_GROUPS = "no_groups"
    ENDLESS = "endless"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Trouble:
    """``detail`` is the scope that is missing, or Slack's word for why it refuses."""

    kind: TroubleKind
    detail: str = ""

    def __str__(self) -> str:
        return f"{self.kind} {self.detail}".strip()

    @classmethod
    def parse(cls, text: str) -> Trouble | None:
        """Read what ``str()`` wrote; None for an empty text."""
        kind, _, detail = text.partition(" ")
        return cls(TroubleKind(kind), detail) if kind else None


class ScopeLimit(StrEnum):
    """Why a scope is smaller than the asker might expect; shown to the asker in words."""

    OUTSIDERS_PRESENT = "outsiders_present"
    MEMBERSHIP_UNKNOWN = "membership_unknown"
    ASKER_UNKNOWN = "asker_unknown"
    NOT_A_MEMBER = "not_a_member"


_ISSUED_HERE: Final = object()


@dataclass(frozen=True, slots=True)
class AccessScope:
    """What one answer may draw on: the asker's principals that cover everyone who will read the reply.

    Only :class:`permissions.scopes.ScopeBuilder` makes one. An empty scope finds nothing.
    """

    team: str
    asker: str
    conversation: str | None
    principals: frozenset[Principal]
    audience_key: str
    limits: tuple[ScopeLimit, ...] = ()
    issuer: object = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.issuer is not _ISSUED_HERE:
            raise TypeError("an AccessScope is built by permissions.scopes.ScopeBuilder alone")

    def principal_names(self) -> list[str]:
        """The principals as sorted strings, the form that rows and indices hold."""
        return sorted(str(principal) for principal in self.principals)
