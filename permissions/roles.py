"""Roles: what somebody may do, apart from what they may read. A role never opens a document's text."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, Final, LiteralString, Protocol

from psycopg.rows import class_row
from psycopg_pool import AsyncConnectionPool

from permissions.model import AccessScope, ConversationKind

# What is freshly known of a living person who is no bot; no row for anybody else.
_STANDING: Final = """
SELECT is_full_member, is_guest AND home_team = team AND NOT is_stranger AS is_guest, is_admin,
       array(SELECT g.group_id FROM group_members g
              WHERE g.team = people.team AND g.user_id = people.user_id AND g.confirmed_at >= %(since)s) AS groups
  FROM people
 WHERE team = %(team)s AND user_id = %(user)s AND confirmed_at >= %(since)s AND NOT (is_deleted OR is_bot)
"""

_IS_UPLOADER: Final = """
SELECT EXISTS (SELECT FROM documents
                WHERE document_id = %(document)s AND team = %(team)s AND created_by = %(user)s AND deleted_at IS NULL)
"""

_IS_READER: Final = """
SELECT EXISTS (SELECT FROM documents JOIN grants USING (document_id)
                WHERE document_id = %(document)s AND team = %(team)s AND deleted_at IS NULL
                  AND principal = ANY (%(principals)s))
"""


class Role(StrEnum):
    """Each may what the one before may, and more."""

    READER = "reader"
    CONTRIBUTOR = "contributor"
    CURATOR = "curator"
    ADMINISTRATOR = "administrator"

    def includes(self, other: Role) -> bool:
        """Whether whoever is this may what ``other`` may."""
        return _LADDER.index(self) >= _LADDER.index(other)


_LADDER: Final = tuple(Role)


class Place(StrEnum):
    """Where people who are not full members may ask."""

    NOWHERE = "nowhere"
    OWN_CHANNELS = "own_channels"
    ANYWHERE = "anywhere"


class AskRefusal(StrEnum):
    """Why somebody may not ask where they have asked."""

    GUEST_NOWHERE = "guest_nowhere"
    GUEST_NOT_HERE = "guest_not_here"
    OUTSIDER_NOWHERE = "outsider_nowhere"
    OUTSIDER_NOT_HERE = "outsider_not_here"


@dataclass(frozen=True, slots=True, kw_only=True)
class RoleRules:
    """The settings of roles. ``listed``: ids of people (U…, W…) and user groups (S…) that have a role in any case.

    ``members``, ``guests`` and ``outsiders`` are what everybody of that kind is; ``slack_admins``: whether the
    workspace's owners and administrators are ours too.
    """

    listed: Mapping[Role, frozenset[str]] = field(default_factory=dict)
    members: Role = Role.CONTRIBUTOR
    guests: Role = Role.READER
    outsiders: Role = Role.READER
    slack_admins: bool = True
    guests_ask: Place = Place.OWN_CHANNELS
    outsiders_ask: Place = Place.NOWHERE


@dataclass(frozen=True, slots=True)
class _Standing:
    is_full_member: bool
    is_guest: bool
    is_admin: bool
    groups: list[str]


class Scopes(Protocol):
    """The builder of scopes; without a conversation it is what the asker alone may read."""

    async def scope(self, *, team: str, asker: str, conversation: str | None) -> AccessScope: ...


class Roles:
    """Decides by the rows and rules of now. Of whom nothing fresh is known is a reader, and may nothing else.

    Raises the database's errors: a role is never guessed.
    """

    def __init__(
        self,
        *,
        pool: AsyncConnectionPool,
        scopes: Scopes,
        rules: RoleRules,
        clock: Callable[[], datetime],
        max_age: timedelta,
    ) -> None:
        self._pool = pool
        self._scopes = scopes
        self._rules = rules
        self._clock = clock
        self._max_age = max_age

    async def of(self, team: str, user: str) -> Role:
        """The highest role that the person has."""
        standing = await self._standing(team, user)
        return Role.READER if standing is None else self._role(user, standing)

    async def may(self, team: str, user: str, role: Role) -> bool:
        """Whether the person may what ``role`` may, as to the whole workspace."""
        return (await self.of(team, user)).includes(role)

    async def is_known(self, team: str, user: str) -> bool:
        """Whether something fresh is known of the person."""
        return await self._standing(team, user) is not None

    async def may_curate(self, team: str, user: str, document: str) -> bool:
        """Publish, roll back or delete this document: whoever uploaded it, administrators, and the curators of the
        workspace as far as they may read it."""
        standing = await self._standing(team, user)
        if standing is None:
            return False
        role = self._role(user, standing)
        if role is Role.ADMINISTRATOR or await self._is(_IS_UPLOADER, team=team, user=user, document=document):
            return True
        return role is Role.CURATOR and await self.may_read(team, user, document)

    async def may_read(self, team: str, user: str, document: str) -> bool:
        """Whether the document is open to the person alone: rights, which no role replaces."""
        scope = await self._scopes.scope(team=team, asker=user, conversation=None)
        return await self._is(_IS_READER, team=team, document=document, principals=scope.principal_names())

    async def ask_refusal(self, team: str, user: str, kind: ConversationKind) -> AskRefusal | None:
        """Why the person may not ask in a conversation of this kind; None when they may.

        Somebody unknown may ask: their scope is empty, and they are told why.
        """
        standing = await self._standing(team, user)
        if standing is None or standing.is_full_member:
            return None
        place = self._rules.guests_ask if standing.is_guest else self._rules.outsiders_ask
        if place is Place.ANYWHERE or (place is Place.OWN_CHANNELS and kind is not ConversationKind.DM):
            return None
        if place is Place.NOWHERE:
            return AskRefusal.GUEST_NOWHERE if standing.is_guest else AskRefusal.OUTSIDER_NOWHERE
        return AskRefusal.GUEST_NOT_HERE if standing.is_guest else AskRefusal.OUTSIDER_NOT_HERE

    def _role(self, user: str, standing: _Standing) -> Role:
        names = {user, *standing.groups}
        roles = {role for role, listed in self._rules.listed.items() if not names.isdisjoint(listed)}
        roles.add(self._usual(standing))
        if standing.is_admin and standing.is_full_member and self._rules.slack_admins:
            roles.add(Role.ADMINISTRATOR)
        return max(roles, key=_LADDER.index)

    def _usual(self, standing: _Standing) -> Role:
        if standing.is_full_member:
            return self._rules.members
        return self._rules.guests if standing.is_guest else self._rules.outsiders

    async def _standing(self, team: str, user: str) -> _Standing | None:
        values = {"team": team, "user": user, "since": self._clock() - self._max_age}
        async with self._pool.connection() as connection, connection.cursor(row_factory=class_row(_Standing)) as cursor:
            return await (await cursor.execute(_STANDING, values)).fetchone()

    async def _is(self, statement: LiteralString, **values: Any) -> bool:
        async with self._pool.connection() as connection:
            row = await (await connection.execute(statement, values)).fetchone()
        return row == (True,)
