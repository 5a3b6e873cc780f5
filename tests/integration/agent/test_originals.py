"""A link to a file that is not in Slack: for one reader, once, within a minute, under the rights of when it is used."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import aiohttp
import pytest
from obstore.store import MemoryStore

from bot.answers.originals import LINK_SECONDS, OriginalLinks
from bot.audit.trail import AuditTrail
from bot.http import Endpoints
from ingest.adapters.objects import StoredObjects
from permissions.adapters.coverage import PgCoverage
from permissions.model import Principal
from permissions.scopes import ScopeBuilder
from tests import rows
from tests.integration.agent.test_citations import cited, opener
from tests.integration.agent.world import Known, World

NAME = '案例 "A"\r\n.txt'
BYTES = "<script>防水</script>".encode()


@dataclass
class Clock:
    now: float = 1000.0

    def __call__(self) -> float:
        return self.now


@dataclass
class Served:
    """The case as a file of the command line, behind a server that people reach."""

    world: World
    links: OriginalLinks
    clock: Clock
    evidence: str

    async def link(self, reader: str = "U1") -> str | None:
        citations = opener(self.world.pool, self.links)
        return (await citations.open(team=rows.TEAM, reader=reader, evidence_id=self.evidence, language="en")).link

    async def get(self, link: str | None, method: str = "GET") -> tuple[int, bytes, dict[str, str]]:
        assert link is not None
        async with aiohttp.ClientSession() as session, session.request(method, link) as response:
            return response.status, await response.read(), dict(response.headers)

    async def execute(self, statement: str, *arguments: object) -> None:
        async with self.world.pool.connection() as connection:
            await connection.execute(statement, arguments)


@asynccontextmanager
async def serving(world: World, folder: Path) -> AsyncIterator[Served]:
    objects, clock = StoredObjects(store=MemoryStore()), Clock()
    (folder / "original").write_bytes(BYTES)
    await objects.put("T1/case", folder / "original")
    links = OriginalLinks(
        pool=world.pool,
        scopes=ScopeBuilder(coverage=PgCoverage(pool=world.pool), clock=lambda: rows.NOW, max_age=timedelta(days=1)),
        memberships=Known(),
        originals=objects,
        audit=AuditTrail(pool=world.pool),
        clock=clock,
    )
    (folder / "scratch").mkdir()
    endpoints = Endpoints(pool=world.pool, originals=links, scratch=folder / "scratch")
    links.address = f"http://127.0.0.1:{await endpoints.listen('127.0.0.1', 0)}/"
    served = Served(world, links, clock, await cited(world))
    await served.execute("UPDATE versions SET object_key = 'T1/case' WHERE document_id = 'case'")
    await served.execute("UPDATE documents SET title = %s WHERE document_id = 'case'", NAME)
    yield served
    await endpoints.aclose()
    assert list((folder / "scratch").iterdir()) == []


@pytest.fixture
async def served(world: World, tmp_path: Path) -> AsyncIterator[Served]:
    async with serving(world, tmp_path) as made:
        yield made


async def test_the_file_is_saved_and_never_shown_under_our_address(served: Served) -> None:
    status, body, headers = await served.get(await served.link())
    assert (status, body) == (200, BYTES)
    assert headers["Content-Disposition"].startswith("attachment; filename*=UTF-8''%E6%A1%88")
    assert headers["Content-Type"] == "application/octet-stream"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Cache-Control"] == "no-store"


async def test_a_link_is_used_once_and_looking_at_its_head_does_not_count(served: Served) -> None:
    link = await served.link()
    assert (await served.get(link, "HEAD"))[0] == 405
    assert (await served.get(link))[0] == 200
    status, body, _ = await served.get(link)
    assert status == 404
    assert "Open the source again" in body.decode()


async def test_a_link_is_over_after_a_minute(served: Served) -> None:
    early, late = await served.link(), await served.link()
    served.clock.now += LINK_SECONDS - 1
    assert (await served.get(early))[0] == 200
    served.clock.now += 1
    assert (await served.get(late))[0] == 404


async def test_rights_are_checked_again_when_it_is_used(served: Served) -> None:
    link = await served.link("U2")
    async with served.world.pool.connection() as connection:
        await rows.set_grants(connection, "case", [Principal.user(rows.TEAM, "U1")])
    assert (await served.get(link))[0] == 404
    assert (await served.get(await served.link("U1")))[0] == 200
    trail = AuditTrail(pool=served.world.pool).entries(rows.TEAM)
    noted = [(entry["action"], entry["actor"]) async for entry in trail if entry["details"].get("what")]
    assert noted == [("refusal", "U2"), ("click", "U1")]


async def test_a_deleted_document_is_not_served(served: Served) -> None:
    link = await served.link()
    await rows.mark_deleted(served.world.pool, "case")
    assert (await served.get(link))[0] == 404


async def test_a_made_up_link_leads_nowhere(served: Served) -> None:
    assert (await served.get(f"{served.links.address}files/made-up"))[0] == 404


async def test_slacks_own_link_goes_first(served: Served) -> None:
    await served.execute("UPDATE documents SET permalink = 'https://acme.slack.com/files/F1'")
    assert await served.link() == "https://acme.slack.com/files/F1"


async def test_without_an_address_there_is_no_link(served: Served) -> None:
    served.links.address = None
    assert await served.link() is None
