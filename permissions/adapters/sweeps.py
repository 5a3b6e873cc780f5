"""How far the reading of a whole workspace has come, so that a restart goes on, and what is to be read next."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import asdict
from datetime import datetime
from typing import Any

from psycopg_pool import AsyncConnectionPool

from permissions.adapters.news import note
from permissions.model import Trouble
from permissions.ports import Progress, Stage, SweepState, Unconfirmed

_STATE = "SELECT team, stage, began_at, stage_began_at, cursor FROM sweeps WHERE team = %(team)s"
_PUT = """
    INSERT INTO sweeps (team, stage, began_at, stage_began_at, cursor)
    VALUES (%(team)s, %(stage)s, %(began_at)s, %(stage_began_at)s, %(cursor)s)
    ON CONFLICT (team) DO UPDATE
    SET stage = excluded.stage, began_at = excluded.began_at, stage_began_at = excluded.stage_began_at,
        cursor = excluded.cursor,
        ended_at = CASE WHEN excluded.stage = 'done' THEN excluded.stage_began_at ELSE sweeps.ended_at END
"""
_TROUBLE = "SELECT trouble FROM sweeps WHERE team = %(team)s"
_NOTE_TROUBLE = "UPDATE sweeps SET trouble = %(trouble)s WHERE team = %(team)s"
_NOTE_GROUPS_TROUBLE = "UPDATE sweeps SET groups_trouble = %(trouble)s WHERE team = %(team)s"

_SEEN = """
    UPDATE conversations SET seen_at = %(at)s WHERE team = %(team)s AND conversation_id = ANY (%(conversations)s)
"""

# The conversations before their members, as everywhere, so that nobody waits for another in a circle.
_LOCK_UNSEEN = """
    SELECT FROM conversations
    WHERE team = %(team)s AND kind <> 'dm' AND (seen_at IS NULL OR seen_at < %(since)s)
    ORDER BY conversation_id FOR UPDATE
"""

# Channels and group DMs that a listing of all that the bot is in does not name: it sees them no more. What was learned
# since the listing was begun stays.
_DROP_MEMBERS_UNSEEN = """
    DELETE FROM memberships m USING conversations c
    WHERE m.team = %(team)s AND m.confirmed_at <= %(as_of)s
      AND c.team = m.team AND c.conversation_id = m.conversation_id AND c.kind <> 'dm'
      AND (c.seen_at IS NULL OR c.seen_at < %(since)s)
    RETURNING m.conversation_id
"""
_MEMBERS_UNKNOWN_UNSEEN = """
    UPDATE conversations SET members_confirmed_at = NULL
    WHERE team = %(team)s AND kind <> 'dm' AND members_confirmed_at <= %(as_of)s
      AND (seen_at IS NULL OR seen_at < %(since)s)
"""

# Public channels that are not seen and give something to the whole workspace: the bot may have been taken out of them,
# or they are no longer open, or no longer there.
_UNSEEN_OPEN = """
    SELECT conversation_id FROM conversations c
    WHERE team = %(team)s AND kind = 'public' AND (seen_at IS NULL OR seen_at < %(since)s)
      AND EXISTS (SELECT FROM grants WHERE principal = 'channel:' || c.team || '/' || c.conversation_id)
    ORDER BY conversation_id
"""

# Where somebody has asked comes first, then what has been known for the shortest time. What a question has read since
# the sweep began need not be read again.
_NEXT_PLACE = """
    SELECT conversation_id FROM conversations
    WHERE team = %(team)s AND seen_at >= %(sweep)s AND (tried_at IS NULL OR tried_at < %(sweep)s)
      AND (members_confirmed_at IS NULL OR members_confirmed_at < %(sweep)s)
    ORDER BY asked_at DESC NULLS LAST, members_confirmed_at NULLS FIRST, conversation_id
    LIMIT 1
"""
_TRIED = """
    UPDATE conversations SET tried_at = %(sweep)s WHERE team = %(team)s AND conversation_id = %(conversation)s
"""

_PROGRESS = """
    SELECT s.stage, s.began_at, s.ended_at, count(*) FILTER (WHERE c.members_confirmed_at >= s.began_at),
           count(c.conversation_id), s.trouble, s.groups_trouble
    FROM sweeps s LEFT JOIN conversations c ON c.team = s.team AND c.seen_at >= s.began_at
    WHERE s.team = %(team)s
    GROUP BY s.team
"""

_UNCONFIRMED = """
    SELECT ARRAY (SELECT user_id FROM people
                  WHERE team = %(team)s AND confirmed_at = '-infinity' AND user_id <> ALL (%(but)s)
                  ORDER BY user_id LIMIT %(limit)s),
           ARRAY (SELECT conversation_id FROM conversations
                  WHERE team = %(team)s AND confirmed_at = '-infinity' AND conversation_id <> ALL (%(but)s)
                  ORDER BY conversation_id LIMIT %(limit)s),
           ARRAY (SELECT conversation_id FROM conversations
                  WHERE team = %(team)s AND members_confirmed_at IS NULL AND kind <> 'dm'
                    AND seen_at >= (SELECT began_at FROM sweeps WHERE team = %(team)s)
                    AND conversation_id <> ALL (%(but)s)
                  ORDER BY conversation_id LIMIT %(limit)s)
"""


class PgSweeps:
    """:class:`permissions.ports.SweepRows` over PostgreSQL."""

    def __init__(self, *, pool: AsyncConnectionPool) -> None:
        self._pool = pool

    async def state(self, team: str) -> SweepState | None:
        """Where the last sweep stands; None when there never was one."""
        rows = await self._rows(_STATE, team=team)
        return SweepState(rows[0][0], Stage(rows[0][1]), *rows[0][2:]) if rows else None

    async def put(self, state: SweepState) -> None:
        """Note that the sweep has come so far."""
        await self._run(_PUT, **asdict(state))

    async def note_trouble(self, team: str, trouble: Trouble | None, *, of_groups: bool = False) -> None:
        """Why the sweep, or the reading of the user groups, could not go on; None when it could."""
        await self._run(
            _NOTE_GROUPS_TROUBLE if of_groups else _NOTE_TROUBLE, team=team, trouble=str(trouble) if trouble else ""
        )

    async def trouble(self, team: str) -> Trouble | None:
        """Why the last sweep could not go on, if it could not."""
        rows = await self._rows(_TROUBLE, team=team)
        return Trouble.parse(rows[0][0]) if rows else None

    async def seen(self, team: str, conversations: Collection[str], *, at: datetime) -> None:
        """The sweep begun at ``at`` has found the bot in these."""
        await self._run(_SEEN, team=team, conversations=sorted(conversations), at=at)

    async def forget_unseen(self, team: str, *, since: datetime, as_of: datetime) -> None:
        """The bot is in what was seen since ``since`` and in no other channel or group DM: nobody is known there."""
        given = {"team": team, "since": since, "as_of": as_of}
        async with self._pool.connection() as connection, connection.transaction():
            await connection.execute(_LOCK_UNSEEN, given)
            rows = await (await connection.execute(_DROP_MEMBERS_UNSEEN, given)).fetchall()
            await connection.execute(_MEMBERS_UNKNOWN_UNSEEN, given)
            await note(connection, team, conversations={name for (name,) in rows})

    async def unseen_open(self, team: str, *, since: datetime) -> list[str]:
        """Public channels not seen since ``since`` in which files are shared."""
        return [str(name) for (name,) in await self._rows(_UNSEEN_OPEN, team=team, since=since)]

    async def next_place(self, team: str, *, sweep: datetime) -> str | None:
        """The next conversation whose members the sweep begun at ``sweep`` has to read; None when it has read all."""
        rows = await self._rows(_NEXT_PLACE, team=team, sweep=sweep)
        return str(rows[0][0]) if rows else None

    async def tried(self, team: str, conversation: str, *, sweep: datetime) -> None:
        """This sweep has read its members, or has found that it cannot."""
        await self._run(_TRIED, team=team, conversation=conversation, sweep=sweep)

    async def progress(self, team: str) -> Progress | None:
        """How far the last sweep is; None when there never was one."""
        rows = await self._rows(_PROGRESS, team=team)
        if not rows:
            return None
        stage, began_at, ended_at, read, places, trouble, groups_trouble = rows[0]
        return Progress(
            Stage(stage), began_at, ended_at, read, places, Trouble.parse(trouble), Trouble.parse(groups_trouble)
        )

    async def unconfirmed(self, team: str, *, limit: int, but: Collection[str] = ()) -> Unconfirmed:
        """What an event changed and nobody could read since: ``limit`` of each kind at most, none of ``but``."""
        given = {"team": team, "limit": limit, "but": sorted(but)}
        people, conversations, members = (await self._rows(_UNCONFIRMED, **given))[0]
        return Unconfirmed(tuple(people), tuple(conversations), tuple(members))

    async def _rows(self, statement: str, **given: Any) -> list[tuple[Any, ...]]:
        async with self._pool.connection() as connection:
            return await (await connection.execute(statement, given)).fetchall()

    async def _run(self, statement: str, **given: Any) -> None:
        async with self._pool.connection() as connection:
            await connection.execute(statement, given)
