"""The messages that were seen to show a file, and those of them that are gone: ids alone, in PostgreSQL."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Final

from psycopg_pool import AsyncConnectionPool

# What is gone stays gone: the news that a message was there may come after the news that it was deleted.
NOTE: Final = """
INSERT INTO file_shares (team, file_id, conversation_id, ts)
SELECT %(team)s, %(file)s, conversation, ts
  FROM unnest(%(conversations)s::text[], %(messages)s::text[]) AS shown (conversation, ts)
ON CONFLICT DO NOTHING
"""

# The files of a message that is gone, or has dropped them. Files that were not noted are named by the event.
NOTE_GONE: Final = """
INSERT INTO file_shares (team, file_id, conversation_id, ts, gone_at)
SELECT %(team)s, file, %(conversation)s, %(ts)s, now() FROM unnest(%(files)s::text[]) AS file
ON CONFLICT (team, file_id, conversation_id, ts) DO UPDATE SET gone_at = now() WHERE file_shares.gone_at IS NULL
"""

NOTE_ALL_GONE: Final = """
UPDATE file_shares SET gone_at = now()
 WHERE team = %(team)s AND conversation_id = %(conversation)s AND gone_at IS NULL
"""

FILES_OF_MESSAGE: Final = """
SELECT file_id FROM file_shares WHERE team = %(team)s AND conversation_id = %(conversation)s AND ts = %(ts)s
"""

# Newest first: those are the likeliest to stand.
OF_FILE: Final = """
SELECT conversation_id, ts, gone_at IS NOT NULL FROM file_shares
 WHERE team = %(team)s AND file_id = %(file)s ORDER BY ts DESC
"""

FORGET: Final = "DELETE FROM file_shares WHERE team = %(team)s AND file_id = %(file)s"


@dataclass(frozen=True, slots=True)
class SeenShare:
    """A message that showed the file; ``is_gone``: it was deleted, or shows the file no more."""

    conversation: str
    ts: str
    is_gone: bool


class SeenShares:
    """Remembers where files were shown. Everything may be told late, twice and in any order."""

    def __init__(self, *, pool: AsyncConnectionPool) -> None:
        self._pool = pool

    async def note(self, *, team: str, file_id: str, messages: Iterable[tuple[str, str]]) -> None:
        """The file was seen in these messages, as (conversation, ts)."""
        seen = sorted(set(messages))
        given = {"conversations": [one for one, _ in seen], "messages": [ts for _, ts in seen]}
        async with self._pool.connection() as connection:
            await connection.execute(NOTE, {"team": team, "file": file_id, **given})

    async def note_gone(
        self, *, team: str, conversation: str, ts: str, files: Collection[str], is_gone: bool = False
    ) -> frozenset[str]:
        """The message shows these files no more; ``is_gone``: nor any other that is remembered. Returns all of them."""
        message = {"team": team, "conversation": conversation, "ts": ts}
        lost = set(files)
        async with self._pool.connection() as connection, connection.transaction():
            if is_gone:
                rows = await (await connection.execute(FILES_OF_MESSAGE, message)).fetchall()
                lost |= {file for (file,) in rows}
            await connection.execute(NOTE_GONE, {**message, "files": sorted(lost)})
        return frozenset(lost)

    async def note_all_gone(self, *, team: str, conversation: str) -> None:
        """The conversation was deleted with all of its messages."""
        async with self._pool.connection() as connection:
            await connection.execute(NOTE_ALL_GONE, {"team": team, "conversation": conversation})

    async def of(self, *, team: str, file_id: str) -> list[SeenShare]:
        """The newest first."""
        async with self._pool.connection() as connection:
            rows = await (await connection.execute(OF_FILE, {"team": team, "file": file_id})).fetchall()
        return [SeenShare(*row) for row in rows]

    async def forget(self, *, team: str, file_id: str) -> None:
        """The file does not exist any more."""
        async with self._pool.connection() as connection:
            await connection.execute(FORGET, {"team": team, "file": file_id})
