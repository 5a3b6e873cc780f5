"""The bot against Slack: builds the Slack side on top of the core, and runs both until stopped."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Protocol

import psycopg
import structlog

from bot.agent.admission import Admission
from bot.agent.answering import Answering
from bot.agent.offline.assembled import offline_graph
from bot.agent.remainder import REMAINDER_JOB, Remainder
from bot.agent.runs import JOB, Runs
from bot.agent.voice import VoiceClips
from bot.agent.worker import RunWorker
from bot.answers.citations import CitationOpener
from bot.answers.living import MARK_JOB, WITHDRAW_JOB
from bot.answers.originals import OriginalLinks
from bot.answers.reading import FilesBeingRead
from bot.answers.showing import SHOW_RETRIES, Showing
from bot.app import SlackApp
from bot.audit.settings import note_role_settings
from bot.bootstrap import Core, max_age
from bot.config import SettingsError
from bot.contributions import VET_JOB, VET_RETRIES, VettedContributions
from bot.file_sweep import FileSweep
from bot.http import Endpoints
from bot.ingestion import LOCAL_TEAM, add_pipeline
from bot.library import FileLibrary
from bot.moving import Moving
from bot.places import FilePlaces
from bot.shares import SeenShares
from bot.stores.errors import PostgresFailed
from bot.stores.postgres import EmbeddedPostgres
from bot.uploads import (
    PLACE_JOB,
    PLACES_JOB,
    PLACES_RETRIES,
    SOURCE,
    SlackSource,
    SlackUploads,
    UploadProgress,
)
from handlers.adapters.files import SlackFiles
from handlers.adapters.history import SlackHistory
from handlers.adapters.slack import SlackMessages, web_client
from handlers.adapters.workspace import SlackWorkspace
from handlers.pace import EditBudget
from handlers.reading_pace import ReadPace
from handlers.reply import Replies
from handlers.standing import Standings
from handlers.upload_reply import UploadReplies
from ingest.adoption import Adoption
from permissions.sync import WorkspaceSync

log = structlog.get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """The time that calls to Slack are spaced in: monotonic seconds, and the way to wait."""

    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep


SWEEP_AGAIN_SECONDS = 5.0
SWEEPS_PER_AGE = 4
"""How often memberships are confirmed within the time that they count: three sweeps may fail."""

FILES_SWEPT_EVERY = timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """A bot that is ready: Slack knows us, nothing is received yet."""

    core: Core
    app: SlackApp
    runs: Runs
    sync: WorkspaceSync
    file_sweep: FileSweep
    originals: OriginalLinks

    def endpoints(self) -> Endpoints:
        """What it serves to browsers and operators; the caller says where."""
        return Endpoints(pool=self.core.pool, originals=self.originals, scratch=self.core.database.folder.scratch)

    async def run(self) -> None:
        """Work until cancelled: PostgreSQL's watch, the jobs, and the sweeps of the workspace.

        What an earlier process left unfinished is ended visibly first. Raises what keeps the process from working, in
        an ExceptionGroup.
        """
        await self.runs.recover()
        await self.core.living.show_waiting(self.app.identity.team)
        async with asyncio.TaskGroup() as group:
            if self.core.database.server is not None:
                group.create_task(self._watch(self.core.database.server), name="postgres-watch")
            group.create_task(self.core.jobs.work(), name="jobs")
            group.create_task(self.core.retention.keep(), name="audit-retention")
            every = max_age(self.core.settings) / SWEEPS_PER_AGE
            team = self.app.identity.team
            group.create_task(keep_fresh(self.sync, team, every=every), name="workspace-sweeps")
            group.create_task(keep_fresh(self.file_sweep, team, every=FILES_SWEPT_EVERY), name="file-sweeps")

    async def _watch(self, server: EmbeddedPostgres) -> None:
        try:
            await server.watch()
        except PostgresFailed:
            # Workers wait for a database that restarts, and a stop waits for them: this one does not come back.
            await self.core.pool.close()
            raise


class Sweeps(Protocol):
    """What :class:`permissions.sync.WorkspaceSync` and :class:`bot.file_sweep.FileSweep` do."""

    async def keep_fresh(self, team: str, *, every: timedelta) -> None: ...


async def keep_fresh(
    sync: Sweeps, team: str, *, every: timedelta, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
) -> None:
    """Sweep until cancelled. A sweep that loses its database is begun again; the bot answers from what is known."""
    while True:
        try:
            await sync.keep_fresh(team, every=every)
        except psycopg.OperationalError as error:
            log.warning("sweep_broken_off", error=type(error).__name__)
        await sleep(SWEEP_AGAIN_SECONDS)


@asynccontextmanager
async def open_service(core: Core, *, pace: Pace = Pace()) -> AsyncIterator[Service]:
    """Build the Slack side of an owner and ask Slack who we are; closes in reverse order.

    Raises SettingsError without a token, SlackError when Slack does not accept it.
    """
    settings = core.settings
    if settings.slack_bot_token is None:
        raise SettingsError("SLACK_BOT_TOKEN is not set: create the app with `haitang manifest` and install it")
    client = web_client(token=settings.slack_bot_token.get_secret_value(), base_url=settings.slack_api_url)
    async with AsyncExitStack() as stack:
        files = SlackFiles(client=client)
        await files.open()
        stack.push_async_callback(files.aclose)
        messages = SlackMessages(client=client, clock=pace.clock, sleep=pace.sleep)
        budget = EditBudget(clock=pace.clock)
        upload_replies = UploadReplies(messages=messages, budget=budget, sleep=pace.sleep)
        stack.push_async_callback(upload_replies.aclose)
        workspace = SlackWorkspace(client=client, pace=ReadPace(clock=pace.clock, sleep=pace.sleep), sleep=pace.sleep)
        sync = _sync(core, workspace)
        stack.push_async_callback(sync.aclose)
        uploads = _add_uploads(core, files, upload_replies, sync)
        replies = Replies(messages=messages, journal=core.posts, budget=budget, now=core.clock, sleep=pace.sleep)
        stack.push_async_callback(replies.aclose)
        answering = _answering(core, files, SlackHistory(client=client), sync)
        runs, remainder = _add_questions(core, answering, replies, messages, sync)
        core.notices.connect(messages)
        _add_showing(core, messages, budget, pace)
        originals = _originals(core, sync)
        app = SlackApp(
            client=client,
            questions=runs,
            private=remainder,
            contributions=_add_contributions(core, uploads, messages, sync),
            uploads=uploads,
            citations=CitationOpener(
                pool=core.pool, scopes=core.scopes, memberships=sync, surroundings=core.passages, originals=originals
            ),
            library=_library(core, sync),
            memberships=sync,
            messages=messages,
            audit=core.audit,
            now=core.clock,
            team=settings.slack_team_id,
            app_token=settings.slack_app_token.get_secret_value() if settings.slack_app_token else None,
            signing_secret=settings.slack_signing_secret.get_secret_value() if settings.slack_signing_secret else None,
        )
        await app.open()
        stack.push_async_callback(app.aclose)
        adoption = Adoption(pool=core.pool, grants=core.grants, rights=core.rights)
        await adoption.adopt(old=LOCAL_TEAM, team=app.identity.team)
        await note_role_settings(core.pool, core.audit, app.identity.team, settings.roles)
        sweep = FileSweep(pool=core.pool, look_again=uploads.places_changed, clock=core.clock)
        yield Service(core=core, app=app, runs=runs, sync=sync, file_sweep=sweep, originals=originals)


def _sync(core: Core, workspace: SlackWorkspace) -> WorkspaceSync:
    return WorkspaceSync(
        source=workspace,
        background=workspace.behind(),
        directory=core.directory,
        clock=core.clock,
        max_age=max_age(core.settings),
        on_narrowed=core.rights.follow,
        on_audience=_audience_changed(core),
        on_moved=Moving(pool=core.pool, notices=core.notices).follow,
    )


def _audience_changed(core: Core) -> Callable[[str, tuple[str, ...]], Awaitable[None]]:
    """Who hears that the readers of conversations, or our own place there, have changed."""

    async def tell(team: str, conversations: tuple[str, ...]) -> None:
        await core.living.audience_changed(team, conversations)
        await core.notices.audience_changed(team, conversations)

    return tell


def _add_questions(
    core: Core, answering: Answering, replies: Replies, messages: SlackMessages, sync: WorkspaceSync
) -> tuple[Runs, Remainder]:
    """Let the jobs of ``core`` answer, and offer what the asker alone may read."""
    remainder = Remainder(
        roles=core.roles,
        pool=core.pool,
        jobs=core.jobs,
        records=core.records,
        scopes=core.scopes,
        memberships=sync,
        passages=core.passages,
        messages=messages,
    )
    worker = RunWorker(records=core.records, replies=replies, answering=answering, ended=remainder.later)
    runs = Runs(
        pool=core.pool, records=core.records, jobs=core.jobs, worker=worker, given=core.living, roles=core.roles
    )
    remainder.connect(answering=answering, runs=runs)
    core.living.connect(memberships=sync, under_way=worker)
    core.jobs.add(JOB, worker.answer, queue="questions", retries=5, gave_up=worker.gave_up)
    core.jobs.add(REMAINDER_JOB, remainder.offer, queue="notices")
    return runs, remainder


def _originals(core: Core, sync: WorkspaceSync) -> OriginalLinks:
    return OriginalLinks(
        pool=core.pool,
        scopes=core.scopes,
        memberships=sync,
        originals=core.objects,
        audit=core.audit,
        clock=time.monotonic,
        address=core.settings.url,
    )


def _library(core: Core, sync: WorkspaceSync) -> FileLibrary:
    return FileLibrary(
        pool=core.pool,
        catalog=core.catalog,
        deletion=core.deletion,
        scopes=core.scopes,
        roles=core.roles,
        memberships=sync,
        audit=core.audit,
    )


def _add_uploads(core: Core, files: SlackFiles, replies: UploadReplies, sync: WorkspaceSync) -> SlackUploads:
    """Let the jobs of ``core`` read files of Slack, and follow where they are shared."""
    shares = SeenShares(pool=core.pool)
    places = FilePlaces(
        pool=core.pool, files=files, shares=shares, grants=core.grants, rights=core.rights, memberships=sync
    )
    uploads = SlackUploads(
        pool=core.pool,
        registrar=core.registrar,
        catalog=core.catalog,
        rights=core.rights,
        deletion=core.deletion,
        jobs=core.jobs,
        files=files,
        shares=shares,
        places=places,
    )
    source = SlackSource(
        files=files, places=places, max_bytes=core.limits.file_bytes, look_again=uploads.places_changed
    )
    add_pipeline(
        core, sources={SOURCE: source}, progress=UploadProgress(pool=core.pool, replies=replies, notices=core.notices)
    )
    core.jobs.add(PLACES_JOB, uploads.look_again, queue="places", retries=PLACES_RETRIES, gave_up=uploads.close)
    core.jobs.add(PLACE_JOB, uploads.look_around, queue="places", retries=PLACES_RETRIES)
    return uploads


def _add_contributions(
    core: Core, uploads: SlackUploads, messages: SlackMessages, sync: WorkspaceSync
) -> VettedContributions:
    contributions = VettedContributions(
        pool=core.pool,
        uploads=uploads,
        catalog=core.catalog,
        roles=core.roles,
        memberships=sync,
        jobs=core.jobs,
        audit=core.audit,
        messages=messages,
    )
    core.jobs.add(VET_JOB, contributions.vet, queue="notices", retries=VET_RETRIES, gave_up=contributions.gave_up)
    return contributions


def _add_showing(core: Core, messages: SlackMessages, edits: EditBudget, pace: Pace) -> None:
    board = Standings(messages=messages, edits=edits, removals=EditBudget(clock=pace.clock), sleep=pace.sleep)
    showing = Showing(pool=core.pool, posts=core.posts, board=board)
    core.jobs.add(WITHDRAW_JOB, showing.show, queue="withdrawals", retries=SHOW_RETRIES)
    core.jobs.add(MARK_JOB, showing.show, queue="marks", retries=SHOW_RETRIES)


def _answering(core: Core, files: SlackFiles, history: SlackHistory, sync: WorkspaceSync) -> Answering:
    graph = offline_graph(
        search=core.search, encoder=core.encoder, store=core.records, being_read=FilesBeingRead(pool=core.pool)
    )
    return Answering(
        records=core.records,
        graph=graph,
        scopes=core.scopes,
        memberships=sync,
        history=history,
        admission=Admission(roles=core.roles, memberships=sync, audit=core.audit),
        clips=VoiceClips(files=files, hearing=core.parser, folder=core.database.folder.scratch),
        posts=core.posts,
        seconds=core.settings.limits.run_seconds,
    )
