"""Rows of runs, answers and evidence. A run goes accepted → running → ended, each step by one statement."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Final, LiteralString

from psycopg import AsyncConnection, AsyncCursor
from psycopg.rows import dict_row
from psycopg.types.json import Jsonb
from psycopg_pool import AsyncConnectionPool

import handlers.model as events
from bot.audit.runs import answer_entry, command_entry, end_entry, evidence_entry, question_entry
from handlers.model import Completion, Inquiry, SharedFile
from permissions.audit import Audit, scope_details
from permissions.model import AccessScope, ConversationKind
from retrieval.model import EvidenceSet

# One row per key; the count says how many were new. Keys are 'question/' and an event id or team/conversation/ts.
MARK_SEEN: Final = "INSERT INTO seen (key) SELECT unnest(%(keys)s::text[]) ON CONFLICT DO NOTHING"

WAS_SEEN: Final = "SELECT FROM seen WHERE key = %(key)s"

INSERT_RUN: Final = """
INSERT INTO runs (run_id, team, conversation, kind, message_ts, thread_ts, asker, question, voice, state,
                  placeholder_ts, retry_of)
VALUES (%(run_id)s, %(team)s, %(conversation)s, %(kind)s, %(message_ts)s, %(thread_ts)s, %(asker)s, %(question)s,
        %(voice)s, %(state)s, %(placeholder_ts)s, %(retry_of)s)
ON CONFLICT DO NOTHING
"""

_COLUMNS: Final = (
    "run_id, team, conversation, kind, message_ts, thread_ts, asker, question, voice, state, placeholder_ts, completion"
)

LOAD_RUN: Final = f"SELECT {_COLUMNS} FROM runs WHERE run_id = %(run_id)s"  # noqa: S608 - constants alone

# The one gate through which a run starts: a job that comes twice finds it closed.
CLAIM_RUN: Final = f"""
UPDATE runs SET state = 'running', started_at = now()
WHERE run_id = %(run_id)s AND state = 'accepted'
RETURNING {_COLUMNS}
"""  # noqa: S608 - constants alone

PLACE_RUN: Final = "UPDATE runs SET placeholder_ts = %(placeholder_ts)s WHERE run_id = %(run_id)s"

# A run looks at its scope several times; what is noted is the first, and each that differs from the one before.
NOTE_SCOPE: Final = """
UPDATE runs SET audience_key = %(audience)s, scope_hash = %(scope)s
WHERE run_id = %(run_id)s AND (audience_key, scope_hash) IS DISTINCT FROM (%(audience)s, %(scope)s)
"""

NOTE_QUESTION: Final = "UPDATE runs SET question = %(question)s WHERE run_id = %(run_id)s AND state <> 'ended'"

SAVE_ANSWER: Final = """
UPDATE runs SET answer = %(answer)s, answer_id = %(answer_id)s, language = %(language)s, gaps = %(gaps)s,
       notices = %(notices)s, completion = %(completion)s
WHERE run_id = %(run_id)s AND state = 'running'
"""

END_RUN: Final = """
UPDATE runs SET state = 'ended', completion = %(completion)s, ended_at = now()
WHERE run_id = %(run_id)s AND state <> 'ended'
RETURNING team, conversation, asker
"""

# Ends a run that nobody has begun to work on; one that is running is stopped by its task.
END_ACCEPTED: Final = """
UPDATE runs SET state = 'ended', completion = %(completion)s, ended_at = now()
WHERE run_id = %(run_id)s AND state = 'accepted'
RETURNING team, conversation, asker
"""

# A message has several runs when it was tried again; the latest is the one that counts.
FIND_BY_MESSAGE: Final = f"""
SELECT {_COLUMNS} FROM runs
WHERE team = %(team)s AND conversation = %(conversation)s AND message_ts = %(message_ts)s
ORDER BY created_at DESC, run_id LIMIT 1
"""  # noqa: S608 - constants alone

IS_ENGAGED: Final = """
SELECT EXISTS (SELECT FROM runs WHERE team = %(team)s AND conversation = %(conversation)s AND thread_ts = %(ts)s)
    OR EXISTS (SELECT FROM runs WHERE team = %(team)s AND conversation = %(conversation)s AND message_ts = %(ts)s)
"""

# Follow-ups in a direct message are not always threaded. Only the asker reads it, before as now.
RECENT_IN_DM: Final = """
SELECT question FROM runs
WHERE team = %(team)s AND conversation = %(conversation)s AND kind = 'dm' AND asker = %(asker)s
  AND thread_ts IS NULL AND message_ts < %(message_ts)s AND created_at > now() - interval '30 minutes'
ORDER BY message_ts DESC LIMIT 3
"""

WAITING: Final = "SELECT run_id FROM runs WHERE state = 'accepted' ORDER BY created_at"

UNFINISHED: Final = f"SELECT {_COLUMNS} FROM runs WHERE state = 'running' ORDER BY created_at"  # noqa: S608 - constants

INSERT_SET: Final = """
INSERT INTO evidence_sets (evidence_set_id, run_id, revision) VALUES (%(evidence_set_id)s, %(run_id)s, %(revision)s)
"""

INSERT_EVIDENCE: Final = """
INSERT INTO evidence (evidence_id, evidence_set_id, number, document_id, version_id, version_number, unit, chunk_id,
                      title, excerpt, place, modality, read_by, media_ref, sha256, published_at)
VALUES (%(evidence_id)s, %(evidence_set_id)s, %(number)s, %(document)s, %(version)s, %(version_number)s, %(unit)s,
        %(chunk_id)s, %(title)s, %(excerpt)s, %(place)s, %(modality)s, %(read_by)s, %(media_ref)s, %(sha256)s,
        %(published_at)s)
"""

# The shared lock makes a deletion wait for us, or us see it. Rights and versions are looked at once more with it.
READABLE_NOW: Final = """
SELECT document.document_id FROM documents AS document
WHERE document.document_id = ANY (%(documents)s) AND document.team = %(team)s AND document.deleted_at IS NULL
  AND document.active_version = ANY (%(versions)s)
  AND EXISTS (SELECT FROM grants
              WHERE grants.document_id = document.document_id AND grants.principal = ANY (%(principals)s))
FOR SHARE OF document
"""

CITED: Final = """
SELECT document_id, version_id FROM evidence JOIN evidence_sets USING (evidence_set_id) WHERE run_id = %(run_id)s
"""

# A run that starts anew freezes anew, or finds nothing any more.
DROP_SETS: Final = "DELETE FROM evidence_sets WHERE run_id = %(run_id)s"

COMMAND_KIND: Final = "command"

_WITHOUT_ANSWER: Final = frozenset({Completion.FAILED, Completion.CANCELLED})


class EvidenceGone(Exception):
    """A document was deleted, superseded or closed to the audience while it was being quoted; search again."""


@dataclass(frozen=True, slots=True)
class Run:
    """A run's row. ``inquiry`` is None for a question from the command line, which has no place in Slack.

    ``completion`` is set once the answer is saved, a moment before it is shown and the run ends.
    """

    run_id: str
    asker: str
    question: str
    state: str
    placeholder_ts: str | None
    completion: Completion | None
    inquiry: Inquiry | None


class RunRecords:
    """Runs, their answers and their evidence in PostgreSQL. Raises psycopg's own errors.

    What the audit trail has to know is noted in the same transaction: nothing is answered that is not noted.
    """

    def __init__(self, *, pool: AsyncConnectionPool, audit: Audit) -> None:
        self._pool = pool
        self._audit = audit

    async def mark_seen(self, connection: AsyncConnection[Any], keys: Sequence[str]) -> bool:
        """Remember the keys in the caller's transaction; False when any of them was there before."""
        prefixed = sorted(f"question/{key}" for key in keys)
        cursor = await connection.execute(MARK_SEEN, {"keys": prefixed})
        return cursor.rowcount == len(prefixed)

    async def was_seen(self, key: str) -> bool:
        """Whether a question was accepted under this key."""
        async with self._pool.connection() as connection:
            return await (await connection.execute(WAS_SEEN, {"key": f"question/{key}"})).fetchone() is not None

    async def accept(
        self,
        connection: AsyncConnection[Any],
        run_id: str,
        inquiry: Inquiry,
        *,
        retry_of: str | None = None,
        placeholder_ts: str | None = None,
    ) -> bool:
        """Add an accepted run in the caller's transaction; False when ``retry_of`` is being retried already."""
        row = _inquiry_row(inquiry) | {
            "run_id": run_id,
            "state": "accepted",
            "retry_of": retry_of,
            "placeholder_ts": placeholder_ts,
        }
        cursor = await connection.execute(INSERT_RUN, row)
        return cursor.rowcount == 1

    async def begin_command(self, run_id: str, *, team: str, conversation: str | None, asker: str, text: str) -> None:
        """Add a running run of the command line; that the operator asks in somebody's name is noted."""
        await self._audit.note(command_entry(run_id, team=team, conversation=conversation, asker=asker))
        await self._execute(
            INSERT_RUN,
            run_id=run_id,
            team=team,
            conversation=conversation or "",
            kind=COMMAND_KIND,
            message_ts=run_id,
            thread_ts=None,
            asker=asker,
            question=text,
            voice=None,
            state="running",
            placeholder_ts=None,
            retry_of=None,
        )

    async def claim(self, run_id: str) -> Run | None:
        """Start an accepted run; None when it was started or ended before."""
        return await self._one(CLAIM_RUN, run_id=run_id)

    async def load(self, run_id: str) -> Run | None:
        return await self._one(LOAD_RUN, run_id=run_id)

    async def find(self, team: str, conversation: str, message_ts: str) -> Run | None:
        """The latest run of a message."""
        return await self._one(FIND_BY_MESSAGE, team=team, conversation=conversation, message_ts=message_ts)

    async def unfinished(self) -> list[Run]:
        """Runs that are marked as running."""
        return await self._all(UNFINISHED)

    async def waiting(self) -> list[str]:
        """Ids of accepted runs that nothing has begun to work on."""
        async with self._pool.connection() as connection:
            cursor = await connection.execute(WAITING)
            return [row[0] for row in await cursor.fetchall()]

    async def is_engaged(self, team: str, conversation: str, thread_ts: str) -> bool:
        async with self._pool.connection() as connection:
            cursor = await connection.execute(IS_ENGAGED, {"team": team, "conversation": conversation, "ts": thread_ts})
            row = await cursor.fetchone()
        return bool(row and row[0])

    async def recent_questions(self, inquiry: Inquiry) -> list[str]:
        """The asker's latest questions of the last half hour in this direct message, oldest first."""
        async with self._pool.connection() as connection:
            cursor = await connection.execute(RECENT_IN_DM, _inquiry_row(inquiry))
            rows = await cursor.fetchall()
        return [row[0] for row in reversed(rows)]

    async def place(self, run_id: str, placeholder_ts: str) -> None:
        """Note which message in Slack shows this run."""
        await self._execute(PLACE_RUN, run_id=run_id, placeholder_ts=placeholder_ts)

    async def note_scope(self, run_id: str, scope: AccessScope) -> None:
        """Note under which scope the run looks for an answer."""
        details = scope_details(scope)
        async with self._pool.connection() as connection:
            noted = await connection.execute(NOTE_SCOPE, details | {"run_id": run_id})
            if noted.rowcount:
                await self._audit.note(question_entry(run_id, scope), connection=connection)

    async def note_question(self, run_id: str, question: str) -> bool:
        """Replace the question of a run that has not ended; False when it has."""
        return await self._execute(NOTE_QUESTION, run_id=run_id, question=question) == 1

    async def freeze(self, scope: AccessScope, evidence: EvidenceSet) -> None:
        """Keep a frozen set, in the place of one that an earlier start of the same run had frozen.

        Raises EvidenceGone when the scope may not read all of it any more.
        """
        rows = [
            asdict(item) | {"place": Jsonb(item.place.to_json()), "evidence_set_id": evidence.evidence_set_id}
            for item in evidence.evidence
        ]
        async with self._pool.connection() as connection, connection.cursor() as cursor:
            await _require_readable(cursor, scope, evidence)
            await cursor.execute(DROP_SETS, {"run_id": evidence.run_id})
            await cursor.execute(INSERT_SET, asdict(replace(evidence, evidence=())))
            await cursor.executemany(INSERT_EVIDENCE, rows)
            await self._audit.note(evidence_entry(scope, evidence), connection=connection)

    async def save(self, scope: AccessScope, final: events.Final) -> None:
        """Keep the answer of a running run.

        An answer quotes its evidence: raises EvidenceGone when the scope may not read all of it any more.
        """
        values = {
            "run_id": final.run_id,
            "answer": final.text,
            "answer_id": final.answer_id,
            "language": final.language,
            "gaps": Jsonb(list(final.gaps)),
            "notices": Jsonb(list(final.notices)),
            "completion": final.completion,
        }
        async with self._pool.connection() as connection, connection.cursor() as cursor:
            if final.evidence is not None:
                await _require_readable(cursor, scope, final.evidence)
            else:
                await cursor.execute(DROP_SETS, {"run_id": final.run_id})
            await cursor.execute(SAVE_ANSWER, values)
            await self._audit.note(answer_entry(scope, final), connection=connection)

    async def is_readable(self, run_id: str, scope: AccessScope) -> bool:
        """Whether the scope may read all that the run's answer was taken from, as it is now."""
        async with self._pool.connection() as connection, connection.cursor() as cursor:
            cited = await (await cursor.execute(CITED, {"run_id": run_id})).fetchall()
            return await _are_readable(cursor, scope, dict(cited))

    async def end(self, run_id: str, completion: Completion) -> bool:
        """End a run; False when it had ended."""
        return await self._end(END_RUN, run_id, completion)

    async def end_accepted(self, run_id: str) -> bool:
        """End a run as cancelled before it starts; False when it has started."""
        return await self._end(END_ACCEPTED, run_id, Completion.CANCELLED)

    async def _end(self, statement: LiteralString, run_id: str, completion: Completion) -> bool:
        """The answers themselves were noted when they were saved; here is noted that one was not, or not to its end."""
        async with self._pool.connection() as connection:
            row = await (await connection.execute(statement, {"run_id": run_id, "completion": completion})).fetchone()
            if row is not None and completion in _WITHOUT_ANSWER:
                team, conversation, asker = row
                entry = end_entry(run_id, completion, team=team, conversation=conversation, asker=asker)
                await self._audit.note(entry, connection=connection)
        return row is not None

    async def _execute(self, statement: str, **values: Any) -> int:
        async with self._pool.connection() as connection:
            cursor = await connection.execute(statement, values)
            return cursor.rowcount

    async def _one(self, statement: str, **values: Any) -> Run | None:
        rows = await self._all(statement, **values)
        return rows[0] if rows else None

    async def _all(self, statement: str, **values: Any) -> list[Run]:
        async with self._pool.connection() as connection, connection.cursor(row_factory=dict_row) as cursor:
            await cursor.execute(statement, values)
            return [_run(row) for row in await cursor.fetchall()]


async def _require_readable(cursor: AsyncCursor[Any], scope: AccessScope, evidence: EvidenceSet) -> None:
    if not await _are_readable(cursor, scope, {item.document: item.version for item in evidence.evidence}):
        raise EvidenceGone


async def _are_readable(cursor: AsyncCursor[Any], scope: AccessScope, versions: Mapping[str, str]) -> bool:
    """Whether these versions of documents are current and within the scope."""
    looked_up = {
        "documents": list(versions),
        "versions": list(versions.values()),
        "team": scope.team,
        "principals": scope.principal_names(),
    }
    await cursor.execute(READABLE_NOW, looked_up)
    return {row[0] for row in await cursor.fetchall()} == versions.keys()


def _inquiry_row(inquiry: Inquiry) -> dict[str, Any]:
    return {
        "team": inquiry.team,
        "conversation": inquiry.conversation,
        "kind": inquiry.kind,
        "message_ts": inquiry.message_ts,
        "thread_ts": inquiry.thread_ts,
        "asker": inquiry.asker,
        "question": inquiry.text,
        "voice": Jsonb(asdict(inquiry.voice)) if inquiry.voice else None,
    }


def _run(row: dict[str, Any]) -> Run:
    inquiry = None
    if row["kind"] != COMMAND_KIND:
        inquiry = Inquiry(
            team=row["team"],
            conversation=row["conversation"],
            kind=ConversationKind(row["kind"]),
            message_ts=row["message_ts"],
            thread_ts=row["thread_ts"],
            asker=row["asker"],
            text=row["question"],
            voice=SharedFile(**row["voice"]) if row["voice"] else None,
        )
    return Run(
        run_id=row["run_id"],
        asker=row["asker"],
        question=row["question"],
        state=row["state"],
        placeholder_ts=row["placeholder_ts"],
        completion=Completion(row["completion"]) if row["completion"] else None,
        inquiry=inquiry,
    )
