"""Who reads a conversation, and which of the asker's principals each of them has: computed where the rows are."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Sequence
from contextlib import asynccontextmanager
from datetime import datetime
from typing import Any

from psycopg import AsyncConnection
from psycopg.rows import class_row
from psycopg_pool import AsyncConnectionPool

from permissions.model import ConversationKind, Principal, PrincipalKind
from permissions.ports import AskerFacts, Covered, PlaceFacts, Standing

_Row = tuple[str, str, bool, bool]
"""Kind and id of a principal, whether it covers, and whether its members are known."""

# All statements of one look see the same rows.
_ONE_SNAPSHOT = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY"

# The asker, if fresh and a person who can ask. Stale memberships of theirs are looked for, to be told;
# nothing is granted to a DM's principal, so that those do not count.
_ASKER = """
    SELECT p.is_full_member,
           EXISTS (SELECT FROM memberships m
                   WHERE m.team = p.team AND m.user_id = p.user_id AND m.confirmed_at < %(since)s
                     AND NOT EXISTS (SELECT FROM conversations c
                                     WHERE c.team = m.team AND c.conversation_id = m.conversation_id
                                       AND c.kind = 'dm'))
           OR EXISTS (SELECT FROM group_members g
                      WHERE g.team = p.team AND g.user_id = p.user_id AND g.confirmed_at < %(since)s) AS has_stale
    FROM people p
    WHERE p.team = %(team)s AND p.user_id = %(asker)s AND p.confirmed_at >= %(since)s
      AND NOT p.is_bot AND NOT p.is_deleted
"""

# Members of the conversation with what is freshly known of them. Bots and deactivated accounts read nothing;
# somebody of whom nothing fresh is known counts as a reader.
_READING_MEMBERS = """
    SELECT r.user_id, p.is_full_member
    FROM memberships r
    LEFT JOIN people p ON p.team = r.team AND p.user_id = r.user_id AND p.confirmed_at >= %(since)s
    WHERE r.team = %(team)s AND r.conversation_id = %(conversation)s
      AND (p.user_id IS NULL OR NOT (p.is_bot OR p.is_deleted))
"""

# The conversation, if fresh, and what its reading members mean for the workspace principal.
_PLACE = f"""
    WITH readers AS ({_READING_MEMBERS})
    SELECT c.kind, c.is_shared,
           coalesce(c.members_confirmed_at >= %(since)s, false) AS members_known,
           EXISTS (SELECT FROM workspaces w WHERE w.team = c.team AND w.people_listed_at >= %(since)s) AS people_known,
           EXISTS (SELECT FROM memberships m
                   WHERE m.team = c.team AND m.conversation_id = c.conversation_id
                     AND m.user_id = %(asker)s AND m.confirmed_at >= %(since)s) AS asker_is_member,
           EXISTS (SELECT FROM readers WHERE NOT is_full_member) AS has_outsiders,
           EXISTS (SELECT FROM readers WHERE is_full_member IS NULL) AS has_unknown,
           (SELECT count(*) FROM (SELECT FROM readers LIMIT 2) AS two) AS readers
    FROM conversations c
    WHERE c.team = %(team)s AND c.conversation_id = %(conversation)s AND c.confirmed_at >= %(since)s
"""  # noqa: S608 - put together from constants

# Everything that the asker holds, for answers that they alone read.
_HELD = """
    SELECT 'channel', m.conversation_id, true, true FROM memberships m
    WHERE m.team = %(team)s AND m.user_id = %(asker)s AND m.confirmed_at >= %(since)s
    UNION ALL
    SELECT 'group', g.group_id, true, true FROM group_members g
    WHERE g.team = %(team)s AND g.user_id = %(asker)s AND g.confirmed_at >= %(since)s
    UNION ALL
    SELECT 'user', %(asker)s::text, true, true
"""

# What may cover: everything that the asker holds besides the conversation's own channel, or what was asked about.
_OF_ASKER = """
    SELECT 'channel' AS kind, m.conversation_id AS id FROM memberships m
    WHERE m.team = %(team)s AND m.user_id = %(asker)s AND m.confirmed_at >= %(since)s
      AND m.conversation_id <> %(conversation)s
    UNION ALL
    SELECT 'group', g.group_id FROM group_members g
    WHERE g.team = %(team)s AND g.user_id = %(asker)s AND g.confirmed_at >= %(since)s
    UNION ALL
    SELECT 'user', %(asker)s::text
"""
_GIVEN = "SELECT * FROM unnest(%(kinds)s::text[], %(ids)s::text[]) AS given (kind, id)"

# A principal covers the readers when there is no reader without it. NOT EXISTS stops at the first who lacks it,
# where counting would visit all of them. Whether a reader has it is a scalar subquery, which can only be answered by
# the primary key, reader by reader; an inner NOT EXISTS the planner may turn into a join that reads whole channels
# first, a hundred times slower. A public channel is read by every full member besides its members; whoever is not
# freshly known may be one. The last column says whether the principal's own list of members is fresh: one that covers
# nothing might do so if it were.
_COVERING_TEMPLATE = f"""
    WITH readers AS (
        SELECT user_id FROM ({_READING_MEMBERS}) AS members
        UNION ALL
        SELECT p.user_id FROM people p
        WHERE %(public)s AND p.team = %(team)s AND (p.is_full_member OR p.confirmed_at < %(since)s)
    ), candidates AS ({{candidates}})
    SELECT kind, id,
           NOT EXISTS (
               SELECT FROM readers r
               WHERE NOT coalesce((SELECT d.confirmed_at >= %(since)s FROM memberships d
                                   WHERE d.team = %(team)s AND d.conversation_id = candidates.id
                                     AND d.user_id = r.user_id), false)),
           EXISTS (
               SELECT FROM conversations c
               WHERE c.team = %(team)s AND c.conversation_id = candidates.id
                 AND (c.kind = 'dm' OR c.members_confirmed_at >= %(since)s))
    FROM candidates WHERE kind = 'channel'
    UNION ALL
    SELECT kind, id,
           NOT EXISTS (
               SELECT FROM readers r
               WHERE NOT coalesce((SELECT d.confirmed_at >= %(since)s FROM group_members d
                                   WHERE d.team = %(team)s AND d.group_id = candidates.id
                                     AND d.user_id = r.user_id), false)),
           true
    FROM candidates WHERE kind = 'group'
    UNION ALL
    SELECT kind, id, NOT EXISTS (SELECT FROM readers r WHERE r.user_id <> candidates.id), true
    FROM candidates WHERE kind = 'user'
"""  # noqa: S608 - put together from constants
_COVERING = _COVERING_TEMPLATE.format(candidates=_OF_ASKER)
_COVERING_OF_GIVEN = _COVERING_TEMPLATE.format(candidates=_GIVEN)


class PgCoverage:
    """:class:`permissions.ports.Coverage` over PostgreSQL."""

    def __init__(self, *, pool: AsyncConnectionPool) -> None:
        self._pool = pool

    async def look(self, *, team: str, asker: str, conversation: str | None, since: datetime) -> Standing:
        """One consistent look: all statements see the same snapshot."""
        given: dict[str, Any] = {"team": team, "asker": asker, "conversation": conversation, "since": since}
        async with self._snapshot() as connection:
            async with connection.cursor(row_factory=class_row(AskerFacts)) as cursor:
                person = await (await cursor.execute(_ASKER, given)).fetchone()
            place = None if conversation is None else await _place(connection, given)
            if person is None or (conversation is not None and place is None):
                return Standing(person, place)
            if place is None or place.kind is ConversationKind.DM:
                rows = await (await connection.execute(_HELD, given)).fetchall()
            else:
                rows = await _rows_of(connection, _COVERING, given, place)
        is_incomplete = any(not covers and not is_listed for _, _, covers, is_listed in rows)
        return Standing(person, place, _those_that_cover(team, rows), is_incomplete)

    async def cover(
        self, *, team: str, conversation: str, principals: Collection[Principal], since: datetime
    ) -> Covered:
        """One consistent look, as for an asker."""
        asked = sorted(principals)
        given = {
            "team": team,
            "asker": "",
            "conversation": conversation,
            "since": since,
            "kinds": [str(item.kind) for item in asked],
            "ids": [item.id for item in asked],
        }
        async with self._snapshot() as connection:
            place = await _place(connection, given)
            if place is None:
                return Covered(None)
            rows = await _rows_of(connection, _COVERING_OF_GIVEN, given, place)
        return Covered(place, _those_that_cover(team, rows))

    @asynccontextmanager
    async def _snapshot(self) -> AsyncIterator[AsyncConnection[Any]]:
        async with self._pool.connection() as connection, connection.transaction():
            await connection.execute(_ONE_SNAPSHOT)
            yield connection


async def _place(connection: AsyncConnection[Any], given: dict[str, Any]) -> PlaceFacts | None:
    row = await (await connection.execute(_PLACE, given)).fetchone()
    return None if row is None else PlaceFacts(ConversationKind(row[0]), *row[1:])


async def _rows_of(
    connection: AsyncConnection[Any], statement: str, given: dict[str, Any], place: PlaceFacts
) -> list[_Row]:
    public = place.kind is ConversationKind.PUBLIC
    return await (await connection.execute(statement, {**given, "public": public})).fetchall()


def _those_that_cover(team: str, rows: Sequence[_Row]) -> frozenset[Principal]:
    return frozenset(Principal(PrincipalKind(kind), team, name) for kind, name, covers, _ in rows if covers)
