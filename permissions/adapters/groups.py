"""The rows of user groups. A group's principal is granted by hand alone; who is in it comes from Slack."""

from __future__ import annotations

from collections.abc import Callable, Collection
from datetime import datetime
from typing import Any

from psycopg import AsyncConnection
from psycopg_pool import AsyncConnectionPool

from permissions.adapters.news import note
from permissions.model import Principal, UserGroup
from permissions.ports import EVERYWHERE

# One listing or event of a team's groups after the other.
_LOCK = "SELECT pg_advisory_xact_lock(hashtext('user groups of ' || %(team)s))"

# Groups that are in use no more. What an event said since the listing was begun stays.
_DROP_ABSENT_MEMBERS = """
    DELETE FROM group_members
    WHERE team = %(team)s AND group_id <> ALL (%(groups)s) AND confirmed_at <= %(as_of)s
    RETURNING group_id
"""
_DROP_ABSENT = """
    DELETE FROM user_groups WHERE team = %(team)s AND group_id <> ALL (%(groups)s) AND confirmed_at <= %(as_of)s
"""

# A listing that is older than the last change of the group that an event told says nothing.
_PUT = """
    INSERT INTO user_groups (team, group_id, handle, name, updated, confirmed_at)
    VALUES (%(team)s, %(group)s, %(handle)s, %(name)s, %(updated)s, %(as_of)s)
    ON CONFLICT (team, group_id) DO UPDATE
    SET handle = excluded.handle, name = excluded.name, updated = excluded.updated,
        confirmed_at = excluded.confirmed_at
    WHERE user_groups.updated <= excluded.updated
"""
_REMOVE = """
    DELETE FROM group_members
    WHERE team = %(team)s AND group_id = %(group)s AND user_id = ANY (%(removed)s)
"""
_KEEP = """
    DELETE FROM group_members
    WHERE team = %(team)s AND group_id = %(group)s AND user_id <> ALL (%(members)s)
"""
_ADD = """
    INSERT INTO group_members (team, group_id, user_id, confirmed_at)
    SELECT %(team)s, %(group)s, unnest(%(members)s::text[]), %(as_of)s
    ON CONFLICT (team, group_id, user_id) DO UPDATE SET confirmed_at = excluded.confirmed_at
"""
_UPDATED = "SELECT updated FROM user_groups WHERE team = %(team)s AND group_id = %(group)s"
_SET_UPDATED = """
    UPDATE user_groups SET updated = %(updated)s, confirmed_at = %(as_of)s
    WHERE team = %(team)s AND group_id = %(group)s
"""
_IS_GRANTED = "SELECT EXISTS (SELECT FROM grants WHERE principal = ANY (%(principals)s))"


class PgGroups:
    """:class:`permissions.ports.GroupRows` over PostgreSQL."""

    def __init__(self, *, pool: AsyncConnectionPool, clock: Callable[[], datetime]) -> None:
        self._pool = pool
        self._clock = clock

    async def replace_all(self, team: str, groups: Collection[UserGroup], *, as_of: datetime) -> None:
        """Make ``groups`` all that are in use in the workspace; nobody is left in any other."""
        given: dict[str, Any] = {"team": team, "groups": [group.id for group in groups], "as_of": as_of}
        async with self._pool.connection() as connection, connection.transaction():
            await connection.execute(_LOCK, given)
            shrunk = {name for (name,) in await (await connection.execute(_DROP_ABSENT_MEMBERS, given)).fetchall()}
            await connection.execute(_DROP_ABSENT, given)
            for group in groups:
                if await self._put(connection, group, as_of=as_of):
                    shrunk.add(group.id)
            await _note_shrunk(connection, team, shrunk)

    async def change(
        self, team: str, group: str, *, previous: int, updated: int, added: Collection[str], removed: Collection[str]
    ) -> bool:
        """Apply a delta. False when it does not follow on what is known, so that the group has to be read.

        Whoever was removed goes in any case, unless the delta is older than what is known.
        """
        given: dict[str, Any] = {
            "team": team,
            "group": group,
            "updated": updated,
            "as_of": self._clock(),
            "removed": sorted(set(removed)),
            "members": sorted(set(added)),
        }
        async with self._pool.connection() as connection, connection.transaction():
            await connection.execute(_LOCK, given)
            row = await (await connection.execute(_UPDATED, given)).fetchone()
            if row is not None and updated <= row[0]:
                return True
            if (await connection.execute(_REMOVE, given)).rowcount:
                await _note_shrunk(connection, team, {group})
            if row is None or row[0] != previous:
                return False
            await connection.execute(_ADD, given)
            await connection.execute(_SET_UPDATED, given)
        return True

    async def _put(self, connection: AsyncConnection[Any], group: UserGroup, *, as_of: datetime) -> bool:
        """Write one group; True when it has lost somebody."""
        given: dict[str, Any] = {
            "team": group.team,
            "group": group.id,
            "handle": group.handle,
            "name": group.name,
            "updated": group.updated,
            "members": sorted(group.members),
            "as_of": as_of,
        }
        if not (await connection.execute(_PUT, given)).rowcount:
            return False
        lost = (await connection.execute(_KEEP, given)).rowcount
        await connection.execute(_ADD, given)
        return lost > 0


async def _note_shrunk(connection: AsyncConnection[Any], team: str, groups: Collection[str]) -> None:
    """Whoever left a group may read an answer from what is granted to it; where, only the answers themselves know."""
    principals = [str(Principal.group(team, group)) for group in sorted(groups)]
    row = await (await connection.execute(_IS_GRANTED, {"principals": principals})).fetchone()
    if row is not None and row[0]:
        await note(connection, team, conversations=[EVERYWHERE])
