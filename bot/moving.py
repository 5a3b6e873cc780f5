"""A conversation goes on under another id: what was said and shared there is found under the new one."""

from __future__ import annotations

from typing import Final

from psycopg_pool import AsyncConnectionPool

from bot.notices import UploadNotices

# Posts before runs: they know their team through their run alone.
STATEMENTS: Final = (
    """
    UPDATE posts SET conversation = %(new)s FROM runs
     WHERE runs.run_id = posts.run_id AND runs.team = %(team)s AND posts.conversation = %(old)s
    """,
    "UPDATE runs SET conversation = %(new)s WHERE team = %(team)s AND conversation = %(old)s",
    """
    INSERT INTO file_shares (team, file_id, conversation_id, ts, gone_at)
    SELECT team, file_id, %(new)s, ts, gone_at FROM file_shares WHERE team = %(team)s AND conversation_id = %(old)s
    ON CONFLICT DO NOTHING
    """,
    "DELETE FROM file_shares WHERE team = %(team)s AND conversation_id = %(old)s",
    # Where an upload's progress is shown.
    """
    UPDATE versions SET reply = replace(reply::text, '"' || %(old)s || '"', '"' || %(new)s || '"')::jsonb
     WHERE reply ->> 'team' = %(team)s AND reply::text LIKE '%%"' || %(old)s || '"%%'
    """,
)


class Moving:
    """Rows that name a conversation, apart from those of rights, which follow by themselves."""

    def __init__(self, *, pool: AsyncConnectionPool, notices: UploadNotices) -> None:
        self._pool = pool
        self._notices = notices

    async def follow(self, team: str, old: str, new: str) -> None:
        """Let everything follow, in one transaction; a second time there is nothing left to do."""
        async with self._pool.connection() as connection, connection.transaction():
            for statement in STATEMENTS:
                await connection.execute(statement, {"team": team, "old": old, "new": new})
            await self._notices.moved(connection, team, new)
