"""Builds everything, once: the stores, the models, search and ingestion (``open_core``). ``bot.service`` adds Slack.

Nothing else constructs an adapter; the demo, the server, the commands and the tests differ in settings alone.
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from psycopg_pool import AsyncConnectionPool

from bot.answers.living import AUDIENCE_JOB, DOCUMENT_JOB, DOUBT_JOB, PLACE_JOB, Living
from bot.answers.posts import Posts
from bot.answers.records import RunRecords
from bot.audit.retention import RETENTION_JOB, Retention
from bot.audit.trail import AuditTrail
from bot.config import Settings
from bot.jobs import Jobs
from bot.models.e5 import E5Encoder
from bot.notices import NOTICE_JOB, NOTICE_RETRIES, UploadNotices
from bot.stores.database import Database, open_database
from bot.stores.pool import ConnectionPool
from ingest.adapters.objects import StoredObjects
from ingest.catalog import Catalog
from ingest.deletion import PURGE_JOB, Deletion
from ingest.limits import Limits
from ingest.parsing import ParserPool, TranscriberFactory
from ingest.register import Registrar
from ingest.rights import RIGHTS_JOB, Rights
from permissions.adapters.coverage import PgCoverage
from permissions.adapters.postgres import PgDirectory
from permissions.grants import Grants
from permissions.roles import Roles
from permissions.scopes import ScopeBuilder
from retrieval.adapters.index_rows import PgIndexRows
from retrieval.adapters.passages import PgPassages
from retrieval.adapters.pgvector import PgVectorStore
from retrieval.adapters.tantivy_index import TantivyIndex
from retrieval.search import Search, SearchSettings

Clock = Callable[[], datetime]


def utc_now() -> datetime:
    """The clock of everything outside the tests."""
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Core:
    """All that works without Slack: what is stored, who may see it, how it is found and answered."""

    settings: Settings
    clock: Clock
    database: Database
    pool: AsyncConnectionPool
    jobs: Jobs
    audit: AuditTrail
    retention: Retention
    directory: PgDirectory
    scopes: ScopeBuilder
    roles: Roles
    grants: Grants
    rights: Rights
    catalog: Catalog
    registrar: Registrar
    deletion: Deletion
    objects: StoredObjects
    encoder: E5Encoder
    vectors: PgVectorStore
    full_text: TantivyIndex
    passages: PgPassages
    search: Search
    parser: ParserPool
    records: RunRecords
    posts: Posts
    living: Living
    notices: UploadNotices
    limits: Limits


@asynccontextmanager
async def open_core(settings: Settings, *, purpose: str, clock: Clock = utc_now) -> AsyncIterator[Core]:
    """Open the stores and models; closes them in reverse order.

    Without an owner of the data folder this process becomes it, else it works beside it and only reads the index.
    Raises the errors of ``bot.stores.errors`` and ``bot.models.e5_file.WeightsError``.
    """
    async with AsyncExitStack() as stack:
        database = await stack.enter_async_context(open_database(settings.data, purpose=purpose))
        pool = ConnectionPool(database.dsn, min_size=2, max_size=24)
        await stack.enter_async_context(pool)
        jobs = Jobs(pool=pool)
        await jobs.open()
        stack.push_async_callback(jobs.aclose)
        encoder = E5Encoder(threads=len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 2)
        await encoder.open()
        stack.push_async_callback(encoder.aclose)
        full_text = TantivyIndex(folder=database.folder.index, rows=PgIndexRows(pool=pool))
        await full_text.open(read_only=not database.is_owner)
        stack.push_async_callback(full_text.aclose)
        limits = _limits(settings)
        parser = await stack.enter_async_context(ParserPool(transcriber=_SPEECH, limits=limits))
        opened = _Opened(database, pool, jobs, encoder, full_text, parser, limits)
        yield _core(settings, clock, opened)


@dataclass(frozen=True, slots=True)
class _Opened:
    """What had to be opened, in this order."""

    database: Database
    pool: AsyncConnectionPool
    jobs: Jobs
    encoder: E5Encoder
    full_text: TantivyIndex
    parser: ParserPool
    limits: Limits


def _core(settings: Settings, clock: Clock, opened: _Opened) -> Core:
    pool, jobs, encoder, full_text = opened.pool, opened.jobs, opened.encoder, opened.full_text
    grants = Grants(pool=pool)
    audit = AuditTrail(pool=pool)
    scopes = ScopeBuilder(coverage=PgCoverage(pool=pool), clock=clock, max_age=max_age(settings))
    living = Living(pool=pool, jobs=jobs, scopes=scopes, audit=audit)
    notices = UploadNotices(pool=pool, jobs=jobs, answers=living)
    rights = Rights(pool=pool, jobs=jobs, grants=grants, full_text=full_text, answers=notices)
    objects = StoredObjects.in_folder(opened.database.folder.objects)
    deletion = Deletion(pool=pool, jobs=jobs, full_text=full_text, objects=objects, answers=notices)
    jobs.add(DOCUMENT_JOB, living.look_from, queue="standing", retries=8)
    jobs.add(AUDIENCE_JOB, living.look_before, queue="standing", retries=8)
    jobs.add(PLACE_JOB, living.judge, queue="standing", retries=8)
    jobs.add(DOUBT_JOB, living.doubt, queue="doubts", retries=8)
    jobs.add(NOTICE_JOB, notices.take_back, queue="notices", retries=NOTICE_RETRIES)
    jobs.add(RIGHTS_JOB, rights.run, queue="upkeep", retries=8)
    jobs.add(PURGE_JOB, deletion.purge, queue="upkeep", retries=8)
    passages = PgPassages(pool=pool)
    vectors = PgVectorStore(pool=pool, encoder=encoder.name)
    retention = Retention(trail=audit, pool=pool, jobs=jobs, clock=clock, days=settings.audit.retention_days)
    jobs.add(RETENTION_JOB, retention.run, queue="upkeep", retries=8)
    search = Search(
        encoder=encoder, vectors=vectors, full_text=full_text, passages=passages, settings=_search_settings(settings)
    )
    return Core(
        settings=settings,
        clock=clock,
        database=opened.database,
        pool=pool,
        jobs=jobs,
        audit=audit,
        retention=retention,
        directory=PgDirectory(pool=pool, clock=clock),
        scopes=scopes,
        roles=Roles(pool=pool, scopes=scopes, rules=settings.roles.rules(), clock=clock, max_age=max_age(settings)),
        grants=grants,
        rights=rights,
        catalog=Catalog(pool=pool),
        registrar=Registrar(pool=pool, jobs=jobs, rights=rights),
        deletion=deletion,
        objects=objects,
        encoder=encoder,
        vectors=vectors,
        full_text=full_text,
        passages=passages,
        search=search,
        parser=opened.parser,
        records=RunRecords(pool=pool, audit=audit),
        posts=Posts(pool=pool),
        living=living,
        notices=notices,
        limits=opened.limits,
    )


def beside(core: Core, *, settings: Settings, mark: str) -> Core:
    """One more bot on the stores and models of ``core``; ``mark`` keeps its jobs apart from those of the others."""
    opened = _Opened(
        core.database, core.pool, core.jobs.apart(mark), core.encoder, core.full_text, core.parser, core.limits
    )
    return _core(settings, core.clock, opened)


def max_age(settings: Settings) -> timedelta:
    """How long a confirmed membership counts."""
    return timedelta(hours=settings.limits.membership_max_age_hours)


def _limits(settings: Settings) -> Limits:
    return Limits(
        file_bytes=settings.limits.file_bytes,
        wall_seconds=settings.limits.parse_seconds,
        memory_bytes=settings.limits.parse_memory_bytes,
    )


def _search_settings(settings: Settings) -> SearchSettings:
    measured = SearchSettings()
    vectors, full_text = settings.search.vector_weight, settings.search.full_text_weight
    return replace(
        measured,
        vector_weight=measured.vector_weight if vectors is None else vectors,
        full_text_weight=measured.full_text_weight if full_text is None else full_text,
    )


_SPEECH = TranscriberFactory(factory="bot.models.speech:build", arguments={})
"""Parsing processes build their recogniser by this name: only they load its model."""
