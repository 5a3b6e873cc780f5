"""Messages that tell how an upload is getting on name its file. They go when their readers may not know it any more."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Final

import structlog
from psycopg import AsyncConnection
from psycopg_pool import AsyncConnectionPool

from handlers.errors import RateLimited, SlackError, Unreachable
from handlers.ports import Messages
from ingest.ports import Answers, Jobs

log = structlog.get_logger()

NOTICE_JOB: Final = "notice"
"""Name of the job that takes back a document's notices; its argument is ``document``."""

NOTICE_RETRIES: Final = 24 * 60
"""A minute apart at most: Slack may be away for about a day."""

# Notices of a document that is deleted, or is not shared where they stand. Not those of a version that is still being
# read: where it is shared is not known before it was fetched, and its end looks again.
_ASTRAY: Final = """
  FROM versions
  JOIN documents AS document USING (document_id),
       jsonb_array_elements(jsonb_build_array(reply) || coalesce(reply -> 'also', '[]')) AS notice
 WHERE notice ->> 'status_ts' IS NOT NULL
   AND (document.deleted_at IS NOT NULL
        OR (state IN ('PUBLISHED', 'SUPERSEDED', 'FAILED')
            AND NOT EXISTS (
                SELECT FROM grants AS given
                 WHERE given.document_id = document.document_id
                   AND (given.principal = 'channel:' || document.team || '/' || (notice ->> 'conversation')
                        OR (notice ->> 'conversation' LIKE 'D%%' AND given.principal LIKE 'user:%%')))))
"""

ASTRAY: Final = f"""
SELECT version_id, notice ->> 'conversation', notice ->> 'status_ts' {_ASTRAY} AND document_id = %(document)s
"""

ASTRAY_AT: Final = f"""
SELECT DISTINCT document_id {_ASTRAY}
   AND document.team = %(team)s AND notice ->> 'conversation' = %(conversation)s
   AND (reply @> jsonb_build_object('conversation', %(conversation)s::text)
        OR reply @> jsonb_build_object('also', jsonb_build_array(
               jsonb_build_object('conversation', %(conversation)s::text))))
"""

FORGET: Final = """
UPDATE versions
   SET reply = CASE WHEN reply ->> 'status_ts' = %(ts)s THEN reply - 'status_ts' ELSE reply END || jsonb_build_object(
           'also', (SELECT coalesce(jsonb_agg(other), '[]')
                      FROM jsonb_array_elements(coalesce(reply -> 'also', '[]')) AS other
                     WHERE other ->> 'status_ts' <> %(ts)s))
 WHERE version_id = %(version)s
"""

NOT_THERE: Final = "message_not_found"


class NotConnected(Exception):
    """There is no Slack in this process; the job waits for one that has."""


class UploadNotices:
    """Hears what answers hear (``ingest.ports.Answers``), and hands it on to them."""

    def __init__(self, *, pool: AsyncConnectionPool, jobs: Jobs, answers: Answers) -> None:
        self._pool = pool
        self._jobs = jobs
        self._answers = answers
        self._messages: Messages | None = None

    def connect(self, messages: Messages) -> None:
        """Where the messages stand."""
        self._messages = messages

    async def documents_changed(self, documents: Collection[str], *, connection: AsyncConnection[Any]) -> None:
        """These documents were deleted or lost grants, in the caller's transaction."""
        await self._answers.documents_changed(documents, connection=connection)
        await self._enqueue(connection, documents)

    async def shown(self, document: str) -> None:
        """The last word on a version of the document stands: it may stand astray already."""
        async with self._pool.connection() as connection, connection.transaction():
            await self._enqueue(connection, [document])

    async def moved(self, connection: AsyncConnection[Any], team: str, conversation: str) -> None:
        """The conversation has this id now: what could not be taken back under the one before can be."""
        cursor = await connection.execute(ASTRAY_AT, {"team": team, "conversation": conversation})
        await self._enqueue(connection, [document for (document,) in await cursor.fetchall()])

    async def audience_changed(self, team: str, conversations: Collection[str]) -> None:
        """The bot may be back in these conversations: what could not be taken back while it was away can be."""
        async with self._pool.connection() as connection, connection.transaction():
            for conversation in sorted(conversations):
                await self.moved(connection, team, conversation)

    async def take_back(self, *, document: str) -> None:
        """The job. Raises SlackError while Slack can't be reached, NotConnected where there is none."""
        async with self._pool.connection() as connection:
            rows = await (await connection.execute(ASTRAY, {"document": document})).fetchall()
        if rows and self._messages is None:
            raise NotConnected
        for version, conversation, ts in rows:
            if await self.delete(conversation, ts):
                async with self._pool.connection() as connection:
                    await connection.execute(FORGET, {"version": version, "ts": ts})

    async def delete(self, conversation: str, ts: str) -> bool:
        """Take one message back; False for one that we can't get at (its conversation may have another id by now, and
        the document's next change finds it there). Raises SlackError as the job does."""
        if self._messages is None:
            raise NotConnected
        try:
            await self._messages.delete(conversation, ts)
        except (RateLimited, Unreachable):
            raise
        except SlackError as error:
            log.warning("notice_left", conversation=conversation, error=error.error)
            return error.error == NOT_THERE
        return True

    async def _enqueue(self, connection: AsyncConnection[Any], documents: Collection[str]) -> None:
        for document in sorted(documents):
            name = f"{NOTICE_JOB}/{document}"
            await self._jobs.enqueue(connection, NOTICE_JOB, queueing_lock=name, document=document)
