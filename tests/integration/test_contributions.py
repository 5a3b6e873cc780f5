"""A reader's file is not learned, and they are told how to become a contributor; who is unknown is asked for first."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import pytest
from psycopg_pool import AsyncConnectionPool

from bot.audit.trail import AuditTrail
from bot.contributions import VET_JOB, UploaderUnknown, VettedContributions
from bot.jobs import Jobs
from bot.uploads import SOURCE
from handlers.model import SharedFile
from ingest.catalog import Catalog
from permissions.adapters.coverage import PgCoverage
from permissions.roles import RoleRules, Roles
from permissions.scopes import ScopeBuilder
from tests import rows
from tests.unit.handlers.slack_double import FakeSlack

FILE = SharedFile(file_id="F1", name="zephyrquartz.md", mimetype="text/markdown", size=9)
ARGUMENTS = "SELECT args FROM procrastinate_jobs WHERE task_name = %s"


@dataclass
class Learned:
    """``handlers.ports.Contributions`` that only remembers."""

    files: list[dict[str, Any]] = field(default_factory=list)

    async def register(self, **upload: Any) -> bool:
        self.files.append(upload)
        return True


@dataclass
class Asked:
    """``Memberships`` that learns who U9 is when it asks; ``says`` is what Slack would tell."""

    pool: AsyncConnectionPool
    says: dict[str, Any] | None = None

    async def ensure_known(self, team: str, conversation: str | None, asker: str) -> None:
        if self.says is not None:
            await rows.add_person(self.pool, asker, **self.says)


@dataclass
class Office:
    pool: AsyncConnectionPool
    vetted: VettedContributions
    learned: Learned
    asked: Asked
    slack: FakeSlack

    async def share(self, user: str, *, ts: str = "1.1") -> bool:
        return await self.vetted.register(
            team=rows.TEAM, conversation="C1", thread_ts=ts, user=user, file=FILE, event_id=None
        )

    async def jobs(self) -> list[dict[str, Any]]:
        async with self.pool.connection() as connection:
            found = await (await connection.execute(ARGUMENTS, (VET_JOB,))).fetchall()
        return [arguments for (arguments,) in found]

    def said(self) -> list[str]:
        return [message.text for message in self.slack.shown.values()]


@pytest.fixture
async def office(pool: AsyncConnectionPool) -> AsyncIterator[Office]:
    age = timedelta(days=1)
    scopes = ScopeBuilder(coverage=PgCoverage(pool=pool), clock=lambda: rows.NOW, max_age=age)
    learned, asked, slack, jobs = Learned(), Asked(pool), FakeSlack(), Jobs(pool=pool)
    vetted = VettedContributions(
        pool=pool,
        uploads=learned,
        catalog=Catalog(pool=pool),
        roles=Roles(pool=pool, scopes=scopes, rules=RoleRules(), clock=lambda: rows.NOW, max_age=age),
        memberships=asked,
        jobs=jobs,
        audit=AuditTrail(pool=pool),
        messages=slack,
    )
    jobs.add(VET_JOB, vetted.vet, queue="notices")
    await jobs.open()
    yield Office(pool, vetted, learned, asked, slack)
    await jobs.aclose()


async def test_a_contributors_file_is_learned_at_once(office: Office) -> None:
    await rows.add_person(office.pool, "U1")
    assert await office.share("U1")
    assert office.learned.files[0]["file"] == FILE
    assert await office.jobs() == []


async def test_a_readers_file_is_not_learned_and_they_are_told_once_in_their_thread(office: Office) -> None:
    await rows.add_person(office.pool, "U9", is_guest=True)
    assert not await office.share("U9")
    assert not await office.share("U9")
    (arguments,) = await office.jobs()
    assert "zephyrquartz" not in str(arguments)
    await office.vetted.vet(**arguments)
    assert office.learned.files == []
    assert [("administrators" in text) for text in office.said()] == [True]
    assert list(office.slack.threads.values()) == ["1.1"]
    noted = [entry async for entry in AuditTrail(pool=office.pool).entries(rows.TEAM)]
    assert noted[-1]["details"] == {"what": "upload", "file": "F1", "reason": "not_a_contributor"}


async def test_who_is_new_is_asked_for_before_their_file_is_refused(office: Office) -> None:
    await office.share("U9")
    (arguments,) = await office.jobs()
    office.asked.says = {}
    await office.vetted.vet(**arguments)
    assert [upload["file"].file_id for upload in office.learned.files] == ["F1"]
    assert office.said() == []


async def test_while_slack_does_not_say_who_somebody_is_the_job_waits_and_then_says_so(office: Office) -> None:
    await office.share("U9")
    (arguments,) = await office.jobs()
    with pytest.raises(UploaderUnknown):
        await office.vetted.vet(**arguments)
    await office.vetted.gave_up(**arguments)
    assert office.learned.files == []
    assert "did not tell me who you are" in office.said()[0]


async def test_a_known_file_may_be_shared_further_by_anybody(office: Office) -> None:
    """It is another place of a file that is learned already: its grants follow."""
    await rows.add_person(office.pool, "U9", is_guest=True)
    await rows.add_document(office.pool, "doc_1", ["text"], principals=[])
    async with office.pool.connection() as connection:
        await connection.execute("UPDATE documents SET source = %s, source_id = 'F1'", (SOURCE,))
    assert await office.share("U9")
    assert len(office.learned.files) == 1
