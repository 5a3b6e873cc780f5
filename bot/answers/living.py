"""Answers that were given stay true: what changes about their sources, or their readers, withdraws or marks them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final, Protocol

import structlog
from psycopg import AsyncConnection
from psycopg.rows import class_row
from psycopg_pool import AsyncConnectionPool

from bot.answers import living_sql as sql
from bot.answers.rights import Memberships, Scopes
from ingest.ports import Jobs
from permissions.audit import Action, Audit, AuditEntry
from permissions.model import Principal, ScopeLimit

log = structlog.get_logger()

DOCUMENT_JOB: Final = "answers_from"
"""Looks where a document was quoted; its argument is ``document``."""
AUDIENCE_JOB: Final = "answers_before"
"""Looks what the readers of a conversation concern; its arguments are ``team`` and ``conversation``, '' for all."""
PLACE_JOB: Final = "answers_at"
"""Judges the answers of one place; its arguments are ``team``, ``conversation`` and ``reader``."""
DOUBT_JOB: Final = "answers_in_doubt"
"""Judges the answers of a place whose readers are not known, after asking for them; arguments as PLACE_JOB."""
WITHDRAW_JOB: Final = "withdraw"
"""Takes away in Slack what may not be read any more, or makes room; its argument is ``run_id``."""
MARK_JOB: Final = "mark"
"""Shows below an answer what is newer; its argument is ``run_id``. No withdrawal waits behind marks."""

PAUSES: Final = (1.0, 2.0, 4.0, 8.0, 15.0)
"""Seconds between looks at rights that Slack does not tell: half a minute of silence costs no good answer, and nobody
reads for longer what may not be theirs any more."""

UNSURE: Final = frozenset({ScopeLimit.MEMBERSHIP_UNKNOWN, ScopeLimit.ASKER_UNKNOWN})

STRANGER: Final = frozenset({ScopeLimit.NOT_A_MEMBER, ScopeLimit.ASKER_UNKNOWN})


class Coverage(Scopes, Protocol):
    """Scopes, and what all readers of a conversation have."""

    async def covering(
        self, *, team: str, conversation: str, principals: Collection[Principal]
    ) -> frozenset[Principal]: ...


class UnderWay(Protocol):
    """Runs that this process works on."""

    def start_over(self, run_id: str) -> bool:
        """Answer anew from what may be read now; False when the run is not under way, or its end is given already."""
        ...


@dataclass(frozen=True, slots=True)
class Place:
    """Where answers stand. ``reader``: who alone reads them, where it is no conversation."""

    team: str
    conversation: str
    reader: str


@dataclass(frozen=True, slots=True)
class _Verdict:
    """What was found of one answer."""

    run_id: str
    asker: str
    state: str
    is_gone: bool
    is_closed: bool
    newer: list[str]
    marked: list[str]


class Living:
    """Decides what becomes of answers, in the rows, and enqueues that Slack shows it.

    Everything is decided from the rows as they are when the job runs, so that it may run again, late or twice.
    ``connect`` adds the Slack side; without one jobs only wait.
    """

    def __init__(
        self,
        *,
        pool: AsyncConnectionPool,
        jobs: Jobs,
        scopes: Coverage,
        audit: Audit,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._pool = pool
        self._jobs = jobs
        self._scopes = scopes
        self._audit = audit
        self._sleep = sleep
        self._memberships: Memberships | None = None
        self._under_way: UnderWay | None = None

    def connect(self, *, memberships: Memberships, under_way: UnderWay) -> None:
        """Who can be asked about rights, and what is being answered."""
        self._memberships, self._under_way = memberships, under_way

    async def documents_changed(self, documents: Collection[str], *, connection: AsyncConnection[Any]) -> None:
        """These documents were deleted, superseded, or lost grants, in the caller's transaction."""
        # In one order everywhere, here and below: a waiting job holds up others of its lock until this commits.
        for document in sorted(documents):
            lock = f"{DOCUMENT_JOB}/{document}"
            await self._jobs.enqueue(connection, DOCUMENT_JOB, queueing_lock=lock, document=document)

    async def audience_changed(self, team: str, conversations: Collection[str]) -> None:
        """Who reads these conversations, or what they hold elsewhere, has changed; none named: any of the team."""
        async with self._pool.connection() as connection, connection.transaction():
            for conversation in sorted(conversations) or ("",):
                lock = f"{AUDIENCE_JOB}/{team}/{conversation}"
                await self._jobs.enqueue(
                    connection, AUDIENCE_JOB, queueing_lock=lock, team=team, conversation=conversation
                )

    async def look_from(self, *, document: str) -> None:
        """The job: judge each place where the document was quoted."""
        await self._judge_each(sql.PLACES_OF_DOCUMENT, document=document)

    async def look_before(self, *, team: str, conversation: str) -> None:
        """The job: judge each place that its readers concern, and show what could not be shown there."""
        if conversation:
            principal = str(Principal.channel(team, conversation))
            await self._judge_each(sql.PLACES_OF_AUDIENCE, team=team, conversation=conversation, principal=principal)
        else:
            await self._judge_each(sql.PLACES_OF_TEAM, team=team)
        await self.show_waiting(team, conversation)

    async def show_waiting(self, team: str, conversation: str = "") -> None:
        """Enqueue what Slack does not show yet, withdrawals first; '' means everywhere."""
        async with self._pool.connection() as connection, connection.transaction():
            rows = await (
                await connection.execute(sql.UNSHOWN, {"team": team, "conversation": conversation})
            ).fetchall()
            for run_id, is_mark in rows:
                await self._show(connection, run_id, MARK_JOB if is_mark else WITHDRAW_JOB)
        if rows:
            log.info("standings_waiting", team=team, conversation=conversation, waiting=len(rows))

    async def is_read_by(self, team: str, conversation: str, user: str) -> bool:
        """Whether the user is known to read there now; the workspace is asked when that is not known."""
        await self._ensure_known(team, conversation, user)
        scope = await self._scopes.scope(team=team, asker=user, conversation=conversation)
        return STRANGER.isdisjoint(scope.limits)

    async def give_way(self, connection: AsyncConnection[Any], run_id: str) -> str | None:
        """Let another answer take over the message of this one, which is returned; this one is emptied.

        None when it stands, or has given way before.
        """
        await connection.execute(sql.LOCK_RUNS, {"runs": [run_id]})
        row = await (await connection.execute(sql.GIVE_WAY, {"run_id": run_id})).fetchone()
        if row is None:
            return None
        for statement in sql.EMPTY:
            await connection.execute(statement, {"runs": [run_id]})
        await self._show(connection, run_id, WITHDRAW_JOB)
        return str(row[0])

    async def judge(self, *, team: str, conversation: str, reader: str) -> None:
        """The job: withdraw and mark the answers of one place, as the rows are now.

        It waits for nobody: what is closed because rights may only be unknown is left to a job of its own.
        """
        place = Place(team, conversation, reader)
        closed = await self._settle(place, sure=False)
        if closed and await self._is_unsure(place, closed[0].asker):
            async with self._pool.connection() as connection, connection.transaction():
                await self._enqueue_at(connection, DOUBT_JOB, place)
        elif closed:
            await self._settle(place, sure=True)

    async def doubt(self, *, team: str, conversation: str, reader: str) -> None:
        """The job: ask the workspace for a while who reads there; what is closed after that is withdrawn."""
        place = Place(team, conversation, reader)
        for pause in (0.0, *PAUSES):
            await self._sleep(pause)
            closed = await self._settle(place, sure=False)
            if not closed:
                return
            await self._ensure_known(team, conversation, closed[0].asker)
            if not await self._is_unsure(place, closed[0].asker):
                break
        else:
            log.warning("rights_stay_unknown", team=team, conversation=conversation)
        await self._settle(place, sure=True)

    async def _settle(self, place: Place, *, sure: bool) -> list[_Verdict]:
        """Carry out what is certain; returns what is closed and was left, because it may only be unknown."""
        verdicts = await self._verdicts(place)
        lost = [item for item in verdicts if item.is_gone or (item.is_closed and sure)]
        await self._withdraw(place, [item for item in lost if not self._starts_over(item)])
        kept = [item for item in verdicts if not (item.is_gone or item.is_closed)]
        await self._mark([item for item in kept if item.newer != item.marked and not self._starts_over(item)])
        return [item for item in verdicts if item.is_closed and item not in lost]

    def _starts_over(self, verdict: _Verdict) -> bool:
        if verdict.state == "ended" or self._under_way is None:
            return False
        return self._under_way.start_over(verdict.run_id)

    async def _verdicts(self, place: Place) -> list[_Verdict]:
        here = {"team": place.team, "conversation": place.conversation, "reader": place.reader}
        async with self._pool.connection() as connection:
            rows = await (await connection.execute(sql.PRINCIPALS_HERE, here)).fetchall()
        covering = await self._covering(place, frozenset(Principal.parse(name) for (name,) in rows))
        values = here | {"covering": sorted(str(item) for item in covering)}
        async with self._pool.connection() as connection, connection.cursor(row_factory=class_row(_Verdict)) as cursor:
            return await (await cursor.execute(sql.JUDGE, values)).fetchall()

    async def _covering(self, place: Place, principals: frozenset[Principal]) -> frozenset[Principal]:
        if place.conversation:
            return await self._scopes.covering(team=place.team, conversation=place.conversation, principals=principals)
        return (await self._scopes.scope(team=place.team, asker=place.reader, conversation=None)).principals

    async def _is_unsure(self, place: Place, asker: str) -> bool:
        """Whether it is not known who reads there, so that what seems closed may not be."""
        scope = await self._scopes.scope(team=place.team, asker=asker, conversation=place.conversation or None)
        return not UNSURE.isdisjoint(scope.limits)

    async def _ensure_known(self, team: str, conversation: str, user: str) -> None:
        if self._memberships is not None:
            await self._memberships.ensure_known(team=team, conversation=conversation or None, asker=user)

    async def _withdraw(self, place: Place, lost: Sequence[_Verdict]) -> None:
        """Empty the answers and what is kept of their sources, at once; Slack follows."""
        if not lost:
            return
        runs = {"runs": [item.run_id for item in lost]}
        async with self._pool.connection() as connection, connection.transaction():
            await connection.execute(sql.LOCK_RUNS, runs)
            rows = await (await connection.execute(sql.WITHDRAW, runs)).fetchall()
            for statement in sql.EMPTY:
                await connection.execute(statement, runs)
            withdrawn = {run_id for (run_id,) in rows}
            for item in lost:
                if item.run_id in withdrawn:
                    await self._note(connection, place, item)
                    await self._show(connection, item.run_id, WITHDRAW_JOB)
        log.info("answers_withdrawn", team=place.team, conversation=place.conversation, count=len(withdrawn))

    async def _mark(self, changed: Sequence[_Verdict]) -> None:
        """Note which sources have a newer version; none any more (it was rolled back): the answer stands again."""
        if not changed:
            return
        async with self._pool.connection() as connection, connection.transaction():
            for item in changed:
                values = {"run_id": item.run_id, "state": "marked" if item.newer else "stands", "newer": item.newer}
                await connection.execute(sql.MARK, values)
                await self._show(connection, item.run_id, MARK_JOB)
        log.info("answers_marked", count=len(changed))

    async def _note(self, connection: AsyncConnection[Any], place: Place, item: _Verdict) -> None:
        entry = AuditEntry(
            action=Action.REDACTION,
            team=place.team,
            actor="haitang",
            run=item.run_id,
            conversation=place.conversation or None,
            details={"reason": "deleted" if item.is_gone else "not_readable_by_all"},
        )
        await self._audit.note(entry, connection=connection)

    async def _show(self, connection: AsyncConnection[Any], run_id: str, job: str) -> None:
        await self._jobs.enqueue(connection, job, queueing_lock=f"{job}/{run_id}", run_id=run_id)

    async def _judge_each(self, statement: str, **values: str) -> None:
        async with self._pool.connection() as connection, connection.transaction():
            rows = await (await connection.execute(statement, values)).fetchall()
            for team, conversation, reader in rows:
                await self._enqueue_at(connection, PLACE_JOB, Place(team, conversation, reader))

    async def _enqueue_at(self, connection: AsyncConnection[Any], job: str, place: Place) -> None:
        lock = f"{job}/{place.team}/{place.conversation}/{place.reader}"
        await self._jobs.enqueue(connection, job, lock=lock, queueing_lock=lock, **asdict(place))
