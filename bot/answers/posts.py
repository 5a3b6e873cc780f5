"""The messages of answers: noted before they are posted, so that each is known when its answer stops standing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, Final

from psycopg import AsyncConnection
from psycopg.types.json import Jsonb
from psycopg_pool import AsyncConnectionPool

from handlers.model import Outgoing, Post
from permissions.model import AccessScope

# A withdrawal locks the run's row as well: it sees what is noted here, or this sees the withdrawal. A second statement
# looks for that, because one that had to wait for the lock would not see what was committed meanwhile.
LOCK_RUN: Final = "SELECT FROM runs WHERE run_id = %(run_id)s FOR NO KEY UPDATE"

IS_WITHDRAWN: Final = """
SELECT EXISTS (SELECT FROM standings WHERE run_id = %(run_id)s AND state IN ('withdrawn', 'replaced'))
"""

DROP: Final = "DELETE FROM posts WHERE run_id = %(run_id)s"

PLAN: Final = """
INSERT INTO posts (run_id, ordinal, conversation, ts, content)
SELECT %(run_id)s, %(ordinal)s, conversation, %(ts)s, %(content)s FROM runs WHERE run_id = %(run_id)s
"""

NOTE: Final = "UPDATE posts SET ts = %(ts)s WHERE run_id = %(run_id)s AND ordinal = %(ordinal)s"

OF_RUN: Final = "SELECT ordinal, ts, content FROM posts WHERE run_id = %(run_id)s ORDER BY ordinal"

# Messages that show, or will in a moment, text of an answer that the scope may not read all of, or that is withdrawn.
# An answer whose message another has taken over shows nothing there.
CLOSED: Final = """
SELECT DISTINCT shown.ts
  FROM (SELECT run_id, ts FROM posts WHERE conversation = %(conversation)s AND ts = ANY (%(ts)s)
        UNION
        SELECT run_id, placeholder_ts FROM runs
         WHERE team = %(team)s AND conversation = %(conversation)s AND placeholder_ts = ANY (%(ts)s)) AS shown
  JOIN evidence_sets USING (run_id)
  JOIN evidence USING (evidence_set_id)
  LEFT JOIN standings USING (run_id)
 WHERE standings.state IS DISTINCT FROM 'replaced'
   AND (standings.state = 'withdrawn'
        OR NOT EXISTS (SELECT FROM documents AS document JOIN grants USING (document_id)
                        WHERE document.document_id = evidence.document_id AND document.team = %(team)s
                          AND document.deleted_at IS NULL AND grants.principal = ANY (%(principals)s)))
"""


class Posts:
    """Rows of the messages that show answers. Raises psycopg's own errors. Satisfies ``handlers.ports.Journal``."""

    def __init__(self, *, pool: AsyncConnectionPool) -> None:
        self._pool = pool

    async def plan(self, run_id: str, first_ts: str, messages: Sequence[Outgoing]) -> list[Post] | None:
        """Note what is about to be shown; the first goes into the message ``first_ts``. None: it was withdrawn.

        Planned anew, because Slack found the first too long, it takes the place of the former plan.
        """
        async with self._pool.connection() as connection, connection.transaction():
            if await _is_withdrawn(connection, run_id):
                return None
            await connection.execute(DROP, {"run_id": run_id})
            posts = [Post(at, first_ts if at == 1 else None, message) for at, message in enumerate(messages, start=1)]
            for post in posts:
                values = {"run_id": run_id, "ordinal": post.ordinal, "ts": post.ts}
                await connection.execute(PLAN, values | {"content": Jsonb(asdict(post.message))})
        return posts

    async def posted(self, run_id: str, ordinal: int, ts: str) -> bool:
        """Note which message it became; False when the answer was withdrawn while Slack took it."""
        async with self._pool.connection() as connection, connection.transaction():
            if await _is_withdrawn(connection, run_id):
                return False
            noted = await connection.execute(NOTE, {"run_id": run_id, "ordinal": ordinal, "ts": ts})
        return noted.rowcount == 1

    async def stands(self, run_id: str) -> bool:
        """Whether the answer may still be shown."""
        async with self._pool.connection() as connection:
            row = await (await connection.execute(IS_WITHDRAWN, {"run_id": run_id})).fetchone()
        return row == (False,)

    async def of(self, run_id: str) -> list[Post]:
        """The answer's messages, in order."""
        async with self._pool.connection() as connection:
            rows = await (await connection.execute(OF_RUN, {"run_id": run_id})).fetchall()
        return [Post(ordinal, ts, _outgoing(content)) for ordinal, ts, content in rows]

    async def closed(self, scope: AccessScope, conversation: str, timestamps: Sequence[str]) -> frozenset[str]:
        """Which of our messages show what the scope may not read (any more)."""
        values = {
            "team": scope.team,
            "conversation": conversation,
            "ts": list(timestamps),
            "principals": scope.principal_names(),
        }
        async with self._pool.connection() as connection:
            rows = await (await connection.execute(CLOSED, values)).fetchall()
        return frozenset(ts for (ts,) in rows)


async def _is_withdrawn(connection: AsyncConnection[Any], run_id: str) -> bool:
    """Whether it is, with the run's row locked until the transaction ends."""
    await connection.execute(LOCK_RUN, {"run_id": run_id})
    return await (await connection.execute(IS_WITHDRAWN, {"run_id": run_id})).fetchone() == (True,)


def _outgoing(content: dict[str, Any]) -> Outgoing:
    return Outgoing(
        text=content.get("text", ""),
        blocks=tuple(content.get("blocks", ())),
        attachments=tuple(content.get("attachments", ())),
    )
