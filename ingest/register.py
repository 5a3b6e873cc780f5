"""Registers files: what was seen, the document, its new version, its rights and its job, as one transaction."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, LiteralString

from psycopg import AsyncConnection, Rollback
from psycopg.types.json import Jsonb
from psycopg_pool import AsyncConnectionPool

from ingest.model import State
from ingest.ports import Jobs
from ingest.rights import Rights
from permissions.audit import acting
from permissions.model import Principal

INGEST_JOB: Final = "ingest"
"""Name of the job that reads a version; its argument is ``version``, its lock the document."""

ANNOUNCE_JOB: Final = "announce"
"""Name of the job that shows a new version where it was uploaded; its argument is ``version``."""

# Dedupe keys of this intake; the count says how many were new.
MARK_SEEN: Final = "INSERT INTO seen (key) SELECT unnest(%(keys)s::text[]) ON CONFLICT DO NOTHING"

# A file that is known keeps its row. The lock on the row makes two registrations of one file take turns.
UPSERT_DOCUMENT: Final = """
INSERT INTO documents (document_id, team, source, source_id, title, mimetype, permalink, created_by)
VALUES (%(document)s, %(team)s, %(source)s, %(source_id)s, %(title)s, %(mimetype)s, %(permalink)s, %(user)s)
ON CONFLICT (team, source, source_id) WHERE deleted_at IS NULL
DO UPDATE SET permalink = coalesce(excluded.permalink, documents.permalink)
RETURNING document_id
"""

INSERT_VERSION: Final = """
INSERT INTO versions (version_id, document_id, number, state, reply)
SELECT %(document)s || '-v' || number, %(document)s, number, %(state)s, %(reply)s
  FROM (SELECT coalesce(max(number), 0) + 1 AS number FROM versions WHERE document_id = %(document)s) AS next
RETURNING version_id
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Upload:
    """A file to be read. ``keys`` name the event and the message that brought it: any of them seen before means that
    it was registered before. ``reply`` says where progress is shown, in the words of whoever shows it."""

    team: str
    source: str
    source_id: str
    title: str
    mimetype: str
    user: str
    principals: Collection[Principal]
    keys: Sequence[str] = ()
    permalink: str | None = None
    reply: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Registration:
    """What was made of an upload."""

    document: str
    version: str


def _new_document_id() -> str:
    return f"d{uuid.uuid4().hex[:16]}"


class Registrar:
    """Accepts files durably. Raises psycopg's own errors when it cannot: then nothing was accepted."""

    def __init__(
        self,
        *,
        pool: AsyncConnectionPool,
        jobs: Jobs,
        rights: Rights,
        new_id: Callable[[], str] = _new_document_id,
    ) -> None:
        self._pool = pool
        self._jobs = jobs
        self._rights = rights
        self._new_id = new_id

    async def register(self, upload: Upload) -> Registration | None:
        """Register the file with its job; None when one of its keys was seen before.

        A file that is known gets a new version, and ``principals`` are added to those it has: a second place widens
        its rights and never takes the first one away.
        """
        async with self._pool.connection() as connection, connection.transaction() as transaction:
            await acting(connection, upload.user or upload.source)
            if not await _all_new(connection, upload.keys):
                # Takes back those keys that were new: they belong to an upload that is not accepted.
                raise Rollback(transaction)
            return await self._register(connection, upload)
        return None

    async def _register(self, connection: AsyncConnection[Any], upload: Upload) -> Registration:
        document = await _one(
            connection,
            UPSERT_DOCUMENT,
            {
                "document": self._new_id(),
                "team": upload.team,
                "source": upload.source,
                "source_id": upload.source_id,
                "title": upload.title,
                "mimetype": upload.mimetype,
                "permalink": upload.permalink,
                "user": upload.user,
            },
        )
        version = await _one(
            connection,
            INSERT_VERSION,
            {"document": document, "state": State.REGISTERED, "reply": Jsonb(dict(upload.reply or {}))},
        )
        await self._rights.widen(connection, document, upload.principals)
        await self._jobs.enqueue(connection, INGEST_JOB, lock=document, version=version)
        if upload.reply:
            await self._jobs.enqueue(connection, ANNOUNCE_JOB, version=version)
        return Registration(document, version)


async def _all_new(connection: AsyncConnection[Any], keys: Sequence[str]) -> bool:
    wanted = sorted({f"upload/{key}" for key in keys})
    return (await connection.execute(MARK_SEEN, {"keys": wanted})).rowcount == len(wanted)


async def _one(connection: AsyncConnection[Any], statement: LiteralString, arguments: dict[str, Any]) -> str:
    row = await (await connection.execute(statement, arguments)).fetchone()
    assert row is not None  # noqa: S101 - both statements return their row
    return str(row[0])
