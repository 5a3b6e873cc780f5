"""The job that takes a version from REGISTERED to PUBLISHED, stage by stage, each done once and found done again."""

from __future__ import annotations

import asyncio
import hashlib
import shutil
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path, PurePath
from typing import Final, NoReturn

import structlog
from psycopg_pool import AsyncConnectionPool

from ingest.catalog import Advance, Catalog, storable
from ingest.indexing import Indexer
from ingest.limits import Limits
from ingest.model import FINAL_STATES, Cause, FetchedFile, IngestReport, Parsed, State, Unreadable, Version
from ingest.ports import Jobs, Objects, Parser, Progress, Source
from ingest.progress import shown
from ingest.publish import Incomplete, Outcome, Publisher

log = structlog.get_logger()

READER: Final = "1"
"""The reading configuration. Raise it when parsers read the same bytes differently: old readings then don't serve."""

LONG_JOB: Final = "ingest-long"
"""Name of the job that goes on with a version whose text is long; its argument is ``version``."""

LONG: Final = 200_000
"""Characters of a long text: about 170 chunks of English or 570 of Chinese, half a minute to index on two cores."""

# Held while an original is stored and its row says so; the purge of a deletion takes it before it looks for users.
LOCK_OBJECT: Final = "SELECT pg_advisory_xact_lock(hashtextextended(%(key)s, 0))"


class Gone(Exception):
    """The version was deleted or moved on while it was worked on; there is nothing left to do."""


class Pipeline:
    """Reads one version at a time to its end. A file that cannot be read is FAILED with its cause, which is an end.

    Other errors are raised: the job is tried again and resumes at the stage that had not been noted as done.
    """

    def __init__(
        self,
        *,
        pool: AsyncConnectionPool,
        jobs: Jobs,
        catalog: Catalog,
        sources: Mapping[str, Source],
        objects: Objects,
        parser: Parser,
        indexer: Indexer,
        publisher: Publisher,
        progress: Progress,
        scratch: Path,
        limits: Limits,
    ) -> None:
        self._pool = pool
        self._jobs = jobs
        self._catalog = catalog
        self._sources = sources
        self._objects = objects
        self._parser = parser
        self._indexer = indexer
        self._publisher = publisher
        self._progress = progress
        self._scratch = scratch
        self._limits = limits
        self._stages: dict[State, Callable[[Version], Awaitable[None]]] = {
            State.REGISTERED: self._fetch,
            State.FETCHED: self._parse,
            State.PARSED: self._index,
            State.INDEXED: self._confirm,
            State.READY: self._publish,
        }

    async def run(self, *, version: str) -> None:
        """The job of a long text, and of callers without jobs: go on from wherever the version is, to its end."""
        await self._work(version, hand_over=False)

    async def run_short(self, *, version: str) -> None:
        """The job of a new version: as ``run``, but a text that turns out to be long is handed to LONG_JOB."""
        await self._work(version, hand_over=True)

    async def announce(self, *, version: str) -> None:
        """The job that shows a new version at once, however long it waits to be read."""
        found = await self._catalog.version(version)
        if found is not None and found.state is State.REGISTERED:
            await self._show(found)

    async def _work(self, version: str, *, hand_over: bool) -> None:
        try:
            while (found := await self._load(version)).state not in FINAL_STATES:
                await self._show(found)
                if hand_over and found.state is State.PARSED and found.report.get("characters", 0) >= LONG:
                    await self._hand_over(found)
                    return
                await self._stages[found.state](found)
            await self._publisher.clear_outdated(found.document.document_id)
            await self._show(found)
        except Gone:
            log.info("version_gone", version=version)
        except Unreadable as error:
            log.info("version_unreadable", version=version, cause=error.cause, detail=error.detail)
            await self._fail(version, error.cause)

    async def gave_up(self, *, version: str) -> None:
        """The job failed for good: the version ends visibly."""
        await self._fail(version, Cause.INTERNAL)

    async def _hand_over(self, version: Version) -> None:
        name, document = version.version_id, version.document.document_id
        async with self._pool.connection() as connection, connection.transaction():
            await self._jobs.enqueue(
                connection, LONG_JOB, lock=document, queueing_lock=f"{LONG_JOB}/{name}", version=name
            )

    async def _fetch(self, version: Version) -> None:
        async with self._workspace() as folder:
            source = self._sources[version.document.source]
            file = await source.fetch(version.document, into=folder)
            size = (await asyncio.to_thread(file.path.stat)).st_size
            if size == 0:
                raise Unreadable(Cause.EMPTY)
            if size > self._limits.file_bytes:
                raise Unreadable(Cause.TOO_LARGE, f"{size} bytes")
            sha256 = await asyncio.to_thread(_sha256, file.path)
            if await self._is_published(version, sha256):
                await self._close_unchanged(version, file)
            await self._keep(version, file, sha256=sha256, size=size)

    async def _is_published(self, version: Version, sha256: str) -> bool:
        active = await self._catalog.version(version.document.active_version or "")
        return active is not None and (active.sha256, active.reader) == (sha256, READER)

    async def _close_unchanged(self, version: Version, file: FetchedFile) -> NoReturn:
        """The bytes are those that are found already: the people are told, and there is no new version."""
        active = await self._load(version.document.active_version or "")
        await self._show(replace(active, reply=version.reply), unchanged=True)
        async with self._pool.connection() as connection, connection.transaction():
            await self._catalog.rename(connection, version.document.document_id, file)
            await self._catalog.drop(connection, version)
        raise Gone

    async def _keep(self, version: Version, file: FetchedFile, *, sha256: str, size: int) -> None:
        key = f"{version.document.team}/{sha256}"
        async with self._pool.connection() as connection, connection.transaction():
            await connection.execute(LOCK_OBJECT, {"key": key})
            await self._objects.put(key, file.path)
            # The document's row before the version's, as a deletion takes them.
            await self._catalog.rename(connection, version.document.document_id, file)
            step = Advance(after=State.FETCHED, sha256=sha256, size=size, object_key=key)
            _require(await self._catalog.advance(connection, version, step))

    async def _parse(self, version: Version) -> None:
        parsed = await self._read_before(version) or await self._read(version)
        if not any(unit.text.strip() for unit in parsed.units):
            raise Unreadable(Cause.NO_TEXT)
        report = {
            "title": storable(parsed.title),
            "named_after_file": parsed.title == _stem(version),
            "counts": parsed.counts,
            "characters": sum(len(unit.text) for unit in parsed.units),
            "left_out": [storable(item) for item in parsed.left_out],
        }
        step = Advance(after=State.PARSED, report=report, modality=parsed.modality, reader=READER)
        async with self._pool.connection() as connection, connection.transaction():
            _require(await self._catalog.advance(connection, version, step))
            await self._catalog.store_units(connection, version.version_id, parsed.units)

    async def _read(self, version: Version) -> Parsed:
        async with self._workspace() as folder:
            path = folder / "original"
            await self._objects.fetch(version.object_key or "", path)
            name, mimetype = version.document.title, version.document.mimetype
            async with shown(lambda percent: self._show(version, percent=percent)) as progress:
                return await self._parser.parse(path, name=name, mimetype=mimetype, progress=progress)

    async def _read_before(self, version: Version) -> Parsed | None:
        """What was read from the same bytes before, under this document's own name: a name is not shared by content."""
        twin = await self._catalog.twin(version, reader=READER)
        if twin is None:
            return None
        parsed = await self._catalog.parsed(twin)
        if not parsed.units:
            return None  # deleted between the two questions
        return replace(parsed, title=_stem(version)) if twin.report["named_after_file"] else parsed

    async def _index(self, version: Version) -> None:
        parsed = await self._catalog.parsed(version)
        twin = await self._catalog.twin(version, reader=READER)
        chunks = await self._indexer.index(
            version, parsed, known_from=twin, show=lambda percent: self._show(version, percent=percent)
        )
        if chunks == 0:
            raise Unreadable(Cause.NO_TEXT)
        await self._move(version, Advance(after=State.INDEXED, report={"chunks": chunks}))

    async def _confirm(self, version: Version) -> None:
        await self._move(version, Advance(after=State.READY))

    async def _publish(self, version: Version) -> None:
        try:
            outcome = await self._publisher.publish(version)
        except Incomplete as error:
            # A store lost what it had confirmed, such as an index folder that was replaced: the next try indexes again.
            log.warning("version_incomplete", version=version.version_id, reason=str(error))
            await self._move(version, Advance(after=State.PARSED))
            raise
        if outcome is Outcome.GONE:
            raise Gone

    async def _fail(self, version: str, cause: Cause) -> None:
        found = await self._catalog.version(version)
        if found is None or found.state in FINAL_STATES:
            return
        async with self._pool.connection() as connection:
            failed = await self._catalog.advance(connection, found, Advance(after=State.FAILED, cause=cause))
        if failed:
            await self._publisher.clear_outdated(found.document.document_id)
            await self._show(replace(found, state=State.FAILED, cause=cause))

    async def _move(self, version: Version, step: Advance) -> None:
        async with self._pool.connection() as connection:
            _require(await self._catalog.advance(connection, version, step))

    async def _load(self, version: str) -> Version:
        found = await self._catalog.version(version)
        if found is None or found.state is State.DELETED:
            raise Gone
        return found

    async def _show(self, version: Version, *, percent: int | None = None, unchanged: bool = False) -> None:
        counts = dict(version.report.get("counts", {}))
        if chunks := version.report.get("chunks"):
            counts["chunks"] = chunks
        await self._progress.show(
            IngestReport(
                version_id=version.version_id,
                document=version.document.document_id,
                team=version.document.team,
                title=version.document.title,
                state=version.state,
                reply=version.reply,
                percent=percent,
                counts=counts,
                left_out=tuple(version.report.get("left_out", ())),
                cause=version.cause,
                unchanged=unchanged,
            )
        )

    @asynccontextmanager
    async def _workspace(self) -> AsyncIterator[Path]:
        """A folder that is gone afterwards."""
        folder = Path(await asyncio.to_thread(tempfile.mkdtemp, dir=self._scratch))
        try:
            yield folder
        finally:
            await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)


def _require(moved: bool) -> None:
    if not moved:
        raise Gone


def _stem(version: Version) -> str:
    """The title of a file that has none of its own."""
    name = version.document.title
    return PurePath(name).stem or name


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
