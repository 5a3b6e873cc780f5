"""The job that brings into Slack what became of an answer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Protocol

import structlog
from psycopg.rows import class_row
from psycopg_pool import AsyncConnectionPool

from bot.answers.posts import Posts
from handlers.model import GivenAnswer
from handlers.standing import OutOfReach

log = structlog.get_logger()

SHOW_RETRIES: Final = 24 * 60
"""A minute apart at most: Slack may be away for about a day; after that the next start, or news of the place, tries."""

# Titles of the versions that were cited and are not the newest any more: those stand in the answer anyway.
LOAD: Final = """
SELECT standings.state, standings.decided_at, runs.state = 'ended' AS is_over, runs.conversation, runs.thread_ts,
       runs.message_ts AS asked_ts, coalesce(runs.language, 'en') AS language, runs.kind = 'dm' AS alone,
       array(SELECT DISTINCT evidence.title FROM evidence JOIN evidence_sets USING (evidence_set_id)
              WHERE evidence_sets.run_id = runs.run_id AND evidence.document_id = ANY (standings.newer)
                AND evidence.title <> '' ORDER BY 1) AS newer
  FROM standings JOIN runs USING (run_id)
 WHERE run_id = %(run_id)s AND shown_at IS NULL
"""

IS_STILL_SO: Final = """
SELECT FROM standings WHERE run_id = %(run_id)s AND decided_at = %(decided_at)s AND state = %(state)s
"""

SHOWN: Final = """
UPDATE standings SET shown_at = now()
 WHERE run_id = %(run_id)s AND decided_at = %(decided_at)s AND state = %(state)s
"""

# Only the notice is left of a withdrawn answer: its button leads to the answer that takes its place.
KEEP_NOTICE: Final = "DELETE FROM posts WHERE run_id = %(run_id)s AND (ordinal <> 1 OR %(ts)s::text IS NULL)"
MOVE_NOTICE: Final = "UPDATE posts SET ts = %(ts)s WHERE run_id = %(run_id)s"
FORGET_POSTS: Final = "DELETE FROM posts WHERE run_id = %(run_id)s"

LEFT: Final = """
SELECT count(*) FROM standings JOIN runs USING (run_id)
 WHERE shown_at IS NULL AND team = (SELECT team FROM runs WHERE run_id = %(run_id)s)
"""


class NotYet(Exception):
    """The answer is still being shown; the job is tried again in a moment."""


class Board(Protocol):
    """Slack's side; raises OutOfReach and SlackErrors."""

    async def withdraw(self, given: GivenAnswer) -> str | None: ...

    async def mark(self, given: GivenAnswer, may: Callable[[], Awaitable[bool]]) -> None: ...

    async def make_room(self, given: GivenAnswer) -> None: ...


@dataclass(frozen=True, slots=True)
class _Standing:
    """What Slack is to show."""

    state: str
    decided_at: datetime
    is_over: bool
    conversation: str
    thread_ts: str | None
    asked_ts: str
    language: str
    alone: bool
    newer: list[str]


class Showing:
    """Shows standings. A job that comes again finds what it has left: nothing is noted before Slack shows it."""

    def __init__(self, *, pool: AsyncConnectionPool, posts: Posts, board: Board) -> None:
        self._pool = pool
        self._posts = posts
        self._board = board

    async def show(self, *, run_id: str) -> None:
        """The job. Raises NotYet, SlackErrors and the database's errors, to be tried again.

        Where the bot can't write it is left for when the place is heard of again.
        """
        async with self._pool.connection() as connection, connection.cursor(row_factory=class_row(_Standing)) as cursor:
            standing = await (await cursor.execute(LOAD, {"run_id": run_id})).fetchone()
        if standing is None:
            return
        if not standing.is_over:
            raise NotYet(run_id)
        given = GivenAnswer(
            run_id=run_id,
            conversation=standing.conversation,
            thread_ts=standing.thread_ts,
            language=standing.language,
            posts=tuple(await self._posts.of(run_id)),
            newer=tuple(standing.newer),
            alone=standing.alone,
            asked_ts=standing.asked_ts,
        )
        try:
            await self._carry_out(standing, given)
        except OutOfReach as error:
            log.warning("standing_out_of_reach", run_id=run_id, conversation=given.conversation, error=str(error))

    async def _carry_out(self, standing: _Standing, given: GivenAnswer) -> None:
        values: dict[str, Any] = {
            "run_id": given.run_id,
            "decided_at": standing.decided_at,
            "state": standing.state,
            "ts": None,
        }
        statements: tuple[str, ...] = ()
        if standing.state == "withdrawn":
            values["ts"] = await self._board.withdraw(given)
            statements = (KEEP_NOTICE, MOVE_NOTICE)
        elif standing.state == "replaced":
            await self._board.make_room(given)
            statements = (FORGET_POSTS,)
        else:
            await self._board.mark(given, lambda: self._is_still_so(values))
        async with self._pool.connection() as connection, connection.transaction():
            for statement in (SHOWN, *statements):
                await connection.execute(statement, values)
        await self._tell(given.run_id, standing)

    async def _is_still_so(self, values: dict[str, Any]) -> bool:
        async with self._pool.connection() as connection:
            return (await connection.execute(IS_STILL_SO, values)).rowcount == 1

    async def _tell(self, run_id: str, standing: _Standing) -> None:
        async with self._pool.connection() as connection:
            row = await (await connection.execute(LEFT, {"run_id": run_id})).fetchone()
        log.info("standing_shown", run_id=run_id, state=standing.state, waiting=row[0] if row else 0)
