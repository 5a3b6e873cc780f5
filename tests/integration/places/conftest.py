"""The chain from Slack's events to the grants of files: real events, real rows, real jobs; reading alone is small."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from psycopg_pool import AsyncConnectionPool

from bot.app import SlackApp
from bot.audit.trail import AuditTrail
from bot.places import FilePlaces
from bot.sandbox.server import Sandbox
from bot.shares import SeenShares
from bot.uploads import PLACE_JOB, PLACES_JOB, SOURCE, SlackSource, SlackUploads
from handlers.adapters.files import SlackFiles
from handlers.adapters.slack import SlackMessages, web_client
from handlers.adapters.workspace import SlackWorkspace
from ingest.model import Document
from permissions.adapters.postgres import PgDirectory
from permissions.model import Principal
from permissions.sync import WorkspaceSync
from tests.integration.ingest.bench import Bench, bench
from tests.integration.slack.conftest import Citations, Notes, NothingPrivate, Questions, Shelf
from tests.sandbox_fixtures import Person, populate

MOST_SHARES = 2


@dataclass
class World:
    """A bot that learns files from the office of ``tests.sandbox_fixtures`` and follows where they are."""

    sandbox: Sandbox
    bench: Bench
    app: SlackApp
    uploads: SlackUploads
    files: SlackFiles
    shares: SeenShares
    sync: WorkspaceSync

    @property
    def team(self) -> str:
        return self.app.identity.team

    @property
    def bot(self) -> str:
        return self.app.identity.user

    def person(self, name: str) -> Person:
        return Person(self.sandbox, name)

    def channel(self, name: str) -> str:
        found = self.sandbox.context.workspace.find_channel(name)
        assert found is not None
        return found.id

    def open_to(self, *places: str, everyone: bool = False, people: tuple[str, ...] = ()) -> set[str]:
        """Names of the principals of channels (by name or id), of the workspace, and of people."""
        found = {str(Principal.channel(self.team, self.channel(place))) for place in places}
        found |= {str(Principal.user(self.team, self.person(one).id)) for one in people}
        return found | ({str(Principal.workspace(self.team))} if everyone else set())

    async def document(self, file_id: str) -> Document | None:
        return await self.bench.catalog.find(team=self.team, source=SOURCE, source_id=file_id)

    async def grants(self, file_id: str) -> set[str] | None:
        """None when there is no such document."""
        document = await self.document(file_id)
        if document is None:
            return None
        return {str(principal) for principal in await self.bench.grants.of(document.document_id)}

    async def settled(self, file_id: str) -> set[str] | None:
        """The file's grants once every event has arrived and no job that could change them waits."""

        async def waiting() -> list[tuple[Any, ...]]:
            return await self.bench.rows(
                "SELECT task_name, args FROM procrastinate_jobs WHERE status IN ('todo', 'doing')"
            )

        async def is_still() -> bool:
            return self.sandbox.context.delivery.is_idle and not await waiting()

        await self.until(is_still, waiting)
        return await self.grants(file_id)

    async def until(self, condition: Callable[[], Awaitable[bool]], state: Callable[[], Awaitable[Any]]) -> None:
        try:
            async with asyncio.timeout(20):
                while not await condition():  # noqa: ASYNC110 - rows have no event
                    await asyncio.sleep(0.02)
        except TimeoutError:
            raise AssertionError(f"it stayed {await state()}") from None

    async def upload(self, who: str, place: str, *, name: str = "plan.txt", text: str = "look") -> tuple[str, str]:
        """Share a new file; its id and the message's ts, once it is published."""
        file_id, ts = await self.person(who).upload(place, name, f"the plan {name}".encode(), text=text)
        await self.published(file_id)
        return file_id, ts

    async def published(self, file_id: str) -> None:
        async def is_published() -> bool:
            document = await self.document(file_id)
            return document is not None and document.active_version is not None

        await self.until(is_published, lambda: self.document(file_id))

    async def fault(self, method: str, **how: Any) -> None:
        await self.person("mei").act("faults", method=method, **how)

    async def calls(self, method: str) -> int:
        calls = (await self.person("mei").look("calls"))["calls"]
        return sum(call["method"] == method for call in calls)


def now() -> datetime:
    return datetime.now(UTC)


def _uploads(made: Bench, files: SlackFiles, shares: SeenShares, sync: WorkspaceSync) -> SlackUploads:
    places = FilePlaces(
        pool=made.pool, files=files, shares=shares, grants=made.grants, rights=made.rights, memberships=sync
    )
    uploads = SlackUploads(
        pool=made.pool,
        registrar=made.registrar,
        catalog=made.catalog,
        rights=made.rights,
        deletion=made.deletion,
        jobs=made.jobs,
        files=files,
        shares=shares,
        places=places,
    )
    made.pipeline._sources[SOURCE] = SlackSource(  # type: ignore[index]  # the bench's own has the command line's alone
        files=files, places=places, max_bytes=100_000, look_again=uploads.places_changed
    )
    made.jobs.add(PLACES_JOB, uploads.look_again, queue="places", retries=30, gave_up=uploads.close)
    made.jobs.add(PLACE_JOB, uploads.look_around, queue="places", retries=30)
    return uploads


@asynccontextmanager
async def world(sandbox: Sandbox, pool: AsyncConnectionPool, folder: Path) -> AsyncIterator[World]:
    populate(sandbox)
    client = web_client(token=sandbox.bot_token, base_url=sandbox.api_url)
    files, shares = SlackFiles(client=client), SeenShares(pool=pool)
    await files.open()
    async with bench(pool, folder) as made:
        directory = PgDirectory(pool=pool, clock=now)
        source = SlackWorkspace(client=client)
        sync = WorkspaceSync(
            source=source, directory=directory, clock=now, max_age=timedelta(days=1), on_narrowed=made.rights.follow
        )
        uploads = _uploads(made, files, shares, sync)
        notes = Notes()
        app = SlackApp(
            client=client,
            questions=Questions(notes),
            private=NothingPrivate(),
            contributions=uploads,
            uploads=uploads,
            citations=Citations(notes),
            library=Shelf(notes),
            memberships=sync,
            messages=SlackMessages(client=client),
            audit=AuditTrail(pool=pool),
            now=now,
            app_token=sandbox.app_token,
        )
        await app.open()
        await app.connect()
        async with made.working():
            yield World(sandbox, made, app, uploads, files, shares, sync)
        await app.aclose()
    await files.aclose()


@pytest.fixture
async def places(pool: AsyncConnectionPool, tmp_path: Path) -> AsyncIterator[World]:
    """Slack lists MOST_SHARES shares of a file."""
    async with Sandbox(most_shares=MOST_SHARES) as sandbox, world(sandbox, pool, tmp_path) as made:
        yield made
