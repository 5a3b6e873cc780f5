"""Runs on a real database, with the offline roles over toy vectors, and replies that are only written down."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any

import numpy as np
from psycopg import sql
from psycopg_pool import AsyncConnectionPool

from bot.agent.admission import Admission
from bot.agent.answering import Answering
from bot.agent.graph import AnswerGraph
from bot.agent.offline.calibration import Calibration, Weights
from bot.agent.offline.checker import CalibratedChecker
from bot.agent.offline.researcher import SearchingResearcher
from bot.agent.offline.understander import RuleUnderstander
from bot.agent.offline.writer import QuotingWriter
from bot.agent.once import OneAnswer
from bot.agent.runs import JOB, Runs
from bot.agent.worker import RunWorker
from bot.answers.living import AUDIENCE_JOB, DOCUMENT_JOB, DOUBT_JOB, MARK_JOB, PLACE_JOB, WITHDRAW_JOB, Living
from bot.answers.posts import Posts
from bot.answers.reading import FilesBeingRead
from bot.answers.records import RunRecords
from bot.audit.trail import AuditTrail
from bot.jobs import Jobs
from handlers.model import Final, Inquiry, RunEvent, SharedFile
from permissions.adapters.coverage import PgCoverage
from permissions.model import AccessScope, ConversationKind, Principal
from permissions.roles import Place as AskPlace
from permissions.roles import RoleRules, Roles
from permissions.scopes import ScopeBuilder
from retrieval.adapters.passages import PgPassages
from retrieval.adapters.pgvector import PgVectorStore
from retrieval.model import Chunk, ChunkVectors, SearchResult
from tests import rows
from tests.unit.agent.toys import ToyEncoder, embed, ranked

_WORDS = Weights(bias=-2, similarity=0, margin=0, covered=6, missing=0, held=0, lacked=0, threshold=0.5)
BY_WORDS = Calibration(usual=_WORDS, few=_WORDS)
CHANNEL = "C1"


class RowSearch:
    """Reads every chunk that the scope may read and ranks them; ``before`` runs before each search."""

    def __init__(self, pool: AsyncConnectionPool) -> None:
        self._pool = pool
        self._passages = PgPassages(pool=pool)
        self.before: Callable[[], Awaitable[None]] | None = None
        self.after: Callable[[], Awaitable[None]] | None = None

    async def search(self, scope: AccessScope, query: str, *, limit: int = 12) -> SearchResult:
        if self.before:
            await self.before()
        async with self._pool.connection() as connection:
            ids = [row[0] for row in await (await connection.execute("SELECT chunk_id FROM chunks")).fetchall()]
        found = ranked(query, await self._passages.load(scope, ids))[:limit]
        if self.after:
            await self.after()
        return SearchResult(found)


@dataclass
class WrittenReply:
    """What was shown of one run."""

    placeholder_ts: str
    events: list[RunEvent] = field(default_factory=list)
    is_finished: bool = False
    fails: Exception | None = None

    async def show(self, event: RunEvent) -> None:
        self.events.append(event)

    async def finish(self) -> None:
        if self.fails:
            raise self.fails
        self.is_finished = True

    @property
    def last(self) -> RunEvent:
        return self.events[-1]


class WrittenReplies:
    """``handlers.reply.Replies`` without Slack."""

    def __init__(self) -> None:
        self.begun: list[WrittenReply] = []
        self.resumed: list[WrittenReply] = []
        self.unnoted: dict[str, str] = {}
        self.fails: Exception | None = None
        self.fails_at_the_end: Exception | None = None

    async def begin(self, inquiry: Inquiry, *, run_id: str, language: str) -> WrittenReply:
        if self.fails:
            raise self.fails
        reply = WrittenReply(f"{inquiry.message_ts}-reply", fails=self.fails_at_the_end)
        self.begun.append(reply)
        return reply

    async def find(self, inquiry: Inquiry, *, run_id: str, language: str) -> WrittenReply | None:
        if run_id not in self.unnoted:
            return None
        reply = WrittenReply(self.unnoted[run_id])
        self.resumed.append(reply)
        return reply

    async def resume(self, inquiry: Inquiry, *, run_id: str, language: str, placeholder_ts: str) -> WrittenReply:
        reply = WrittenReply(placeholder_ts)
        self.resumed.append(reply)
        return reply

    async def complete(self, inquiry: Inquiry, *, run_id: str, language: str) -> bool:
        """Nothing is noted of what was written down here."""
        return False


class Known:
    """``Memberships``: the rows of the test are all there is."""

    async def ensure_known(self, team: str, conversation: str | None, asker: str) -> None: ...


@dataclass
class Thread:
    """``ThreadHistory`` of one thread."""

    said: list[tuple[bool, str] | tuple[bool, str, str]] = field(default_factory=list)
    fails: Exception | None = None

    async def messages(self, team: str, conversation: str, thread_ts: str) -> list[tuple[bool, str, str]]:
        if self.fails:
            raise self.fails
        return [(message[0], message[1], message[2] if len(message) > 2 else "") for message in self.said]


@dataclass
class Clip:
    """``Clips`` that hears the same in every clip."""

    said: str = ""
    fails: Exception | None = None

    async def words(self, team: str, clip: SharedFile) -> str:
        if self.fails:
            raise self.fails
        return self.said


class World:
    """One workspace with a channel of two people, and everything that runs an answer there."""

    def __init__(self, pool: AsyncConnectionPool) -> None:
        self.pool = pool
        self.jobs = Jobs(pool=pool)
        self.search = RowSearch(pool)
        self.replies = WrittenReplies()
        self.thread = Thread()
        self.clip = Clip()
        self.records = RunRecords(pool=pool, audit=AuditTrail(pool=pool))
        self.posts = Posts(pool=pool)
        self.rules = RoleRules()
        self.understander = RuleUnderstander()
        self.paused: list[float] = []
        self.restart()

    def let_guests_ask_nowhere(self) -> None:
        """A setting, which the next start reads."""
        self.rules = replace(self.rules, guests_ask=AskPlace.NOWHERE)
        self.restart()

    async def pauses(self, seconds: float) -> None:
        """No time passes; how long would have been waited is noted."""
        self.paused.append(seconds)

    def restart(self) -> None:
        """A new process over the same database."""
        graph = AnswerGraph(
            understander=self.understander,
            researcher=SearchingResearcher(search=self.search, encoder=ToyEncoder()),
            checker=CalibratedChecker(calibration=BY_WORDS),
            writer=QuotingWriter(),
            store=self.records,
            being_read=FilesBeingRead(pool=self.pool),
        )
        scopes = ScopeBuilder(coverage=PgCoverage(pool=self.pool), clock=lambda: rows.NOW, max_age=timedelta(days=1))
        self.living = Living(
            pool=self.pool, jobs=self.jobs, scopes=scopes, audit=AuditTrail(pool=self.pool), sleep=self.pauses
        )
        self.once = OneAnswer(records=self.records, graph=graph, scopes=scopes, seconds=30)
        self.roles = roles = Roles(
            pool=self.pool, scopes=scopes, rules=self.rules, clock=lambda: rows.NOW, max_age=timedelta(days=1)
        )
        answering = Answering(
            records=self.records,
            graph=graph,
            scopes=scopes,
            memberships=Known(),
            history=self.thread,
            clips=self.clip,
            admission=Admission(roles=roles, memberships=Known(), audit=AuditTrail(pool=self.pool)),
            posts=self.posts,
        )
        self.worker = RunWorker(records=self.records, replies=self.replies, answering=answering)
        self.runs = Runs(
            pool=self.pool,
            records=self.records,
            jobs=self.jobs,
            worker=self.worker,
            given=self.living,
            roles=roles,
        )
        self.living.connect(memberships=Known(), under_way=self.worker)

    async def showing(self, *, run_id: str) -> None:
        """There is no Slack to show it in."""

    async def learn(self, document: str, text: str, *principals: Principal) -> None:
        """A published document that the channel, or those named, may read."""
        chunks = await rows.add_document(
            self.pool,
            document,
            [text],
            principals=principals or [Principal.channel(rows.TEAM, CHANNEL)],
            title=document,
        )
        for chunk in chunks:
            await self.index(chunk)

    async def index(self, chunk: Chunk) -> None:
        """Let it be found."""
        sentences = np.array([embed(chunk.text[span.start : span.end]) for span in chunk.sentences])
        vectors = [ChunkVectors(embed(chunk.text), sentences)]
        store = PgVectorStore(pool=self.pool, encoder="toy")
        await store.replace(version=chunk.version, chunks=[chunk], vectors=vectors, encoder="toy")

    async def ask(self, text: str, *, ts: str = "1.1", **changes: Any) -> str:
        """Accept a question; the id of its run."""
        assert await self.runs.ask(inquiry(text, ts=ts, **changes), event_id=f"Ev{ts}")
        run = await self.records.find(rows.TEAM, changes.get("conversation", CHANNEL), ts)
        assert run is not None
        return run.run_id

    async def answer(self, text: str, *, ts: str = "1.1", **changes: Any) -> WrittenReply:
        """Ask and work the job off; what was shown."""
        run_id = await self.ask(text, ts=ts, **changes)
        await self.worker.answer(run_id=run_id)
        return self.replies.begun[-1]

    async def column(self, name: str, run_id: str) -> Any:
        async with self.pool.connection() as connection:
            cursor = await connection.execute(
                sql.SQL("SELECT {} FROM runs WHERE run_id = %s").format(sql.Identifier(name)), (run_id,)
            )
            row = await cursor.fetchone()
        return row[0] if row else None

    async def count(self, table: str) -> int:
        async with self.pool.connection() as connection:
            row = await (
                await connection.execute(sql.SQL("SELECT count(*) FROM {}").format(sql.Identifier(table)))
            ).fetchone()
        return int(row[0]) if row else -1


@asynccontextmanager
async def open_world(pool: AsyncConnectionPool, world: World | None = None) -> AsyncIterator[World]:
    """A world with its people in their channel."""
    world = world or World(pool)
    await world.jobs.open()
    world.jobs.add(JOB, world.worker.answer, queue="questions")
    world.jobs.add(DOCUMENT_JOB, world.living.look_from, queue="standing")
    world.jobs.add(AUDIENCE_JOB, world.living.look_before, queue="standing")
    world.jobs.add(PLACE_JOB, world.living.judge, queue="standing")
    world.jobs.add(DOUBT_JOB, world.living.doubt, queue="doubts")
    world.jobs.add(WITHDRAW_JOB, world.showing, queue="withdrawals")
    world.jobs.add(MARK_JOB, world.showing, queue="marks")
    for person in ("U1", "U2"):
        await rows.add_person(pool, person)
    await rows.add_conversation(pool, CHANNEL, ["U1", "U2"])
    yield world
    await world.jobs.aclose()


def inquiry(text: str, *, ts: str = "1.1", asker: str = "U1", thread_ts: str | None = None, **changes: Any) -> Inquiry:
    """A question in the channel."""
    asked = Inquiry(
        team=rows.TEAM,
        conversation=CHANNEL,
        kind=ConversationKind.PRIVATE,
        message_ts=ts,
        thread_ts=thread_ts or ts,
        asker=asker,
        text=text,
    )
    return replace(asked, **changes)


def final_of(reply: WrittenReply) -> Final:
    """The authoritative end that was shown."""
    assert isinstance(reply.last, Final)
    return reply.last


class Gate:
    """Holds a search until it is opened, and tells when one has arrived."""

    def __init__(self) -> None:
        self.arrived = asyncio.Event()
        self._open = asyncio.Event()

    async def __call__(self) -> None:
        self.arrived.set()
        await self._open.wait()

    def open(self) -> None:
        self._open.set()
