"""Messages that tell of an upload name its file: they go when it is deleted or no longer shared where they stand."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Collection
from dataclasses import asdict
from typing import Any

import pytest
from psycopg import AsyncConnection
from psycopg.types.json import Jsonb
from psycopg_pool import AsyncConnectionPool

from bot.jobs import Jobs
from bot.moving import Moving
from bot.notices import NOTICE_JOB, NotConnected, UploadNotices
from bot.uploads import UploadProgress
from handlers.errors import Gone, Unreachable
from handlers.model import Outgoing, UploadPlace
from handlers.pace import EditBudget
from handlers.upload_reply import UploadReplies
from ingest.model import IngestReport, State
from permissions.model import Principal
from tests import rows
from tests.unit.handlers.slack_double import FakeSlack

HERE, ELSEWHERE = Principal.channel(rows.TEAM, "C1"), Principal.channel(rows.TEAM, "C2")
ALONE = Principal.user(rows.TEAM, "U1")


class Nobody:
    """No answers were given."""

    async def documents_changed(self, documents: Collection[str], *, connection: AsyncConnection[Any]) -> None: ...


class Told:
    """A document whose reading was told of in a conversation, and the Slack where that stands."""

    def __init__(self, pool: AsyncConnectionPool, jobs: Jobs) -> None:
        self.pool = pool
        self.jobs = jobs
        self.slack = FakeSlack()
        self.notices = UploadNotices(pool=pool, jobs=jobs, answers=Nobody())
        self.notices.connect(self.slack)
        jobs.add(NOTICE_JOB, self.notices.take_back, queue="notices")

    async def learn(self, *principals: Principal, conversation: str = "C1") -> None:
        await rows.add_document(self.pool, "d", ["text"], principals=principals)
        ts = await self.slack.post(conversation, Outgoing(text="“d” is ready"))
        place = UploadPlace(rows.TEAM, conversation, "1.0", language="en", status_ts=ts)
        async with self.pool.connection() as connection:
            await connection.execute("UPDATE versions SET reply = %s", (Jsonb(asdict(place)),))

    async def grant(self, *principals: Principal) -> None:
        async with self.pool.connection() as connection:
            await rows.set_grants(connection, "d", principals)

    async def waiting(self) -> int:
        async with self.pool.connection() as connection:
            cursor = await connection.execute("SELECT count(*) FROM procrastinate_jobs")
            row = await cursor.fetchone()
        assert row is not None
        return int(row[0])

    async def take_back(self) -> list[str]:
        """Do the job; what stands in Slack afterwards."""
        await self.notices.take_back(document="d")
        return [message.text for message in self.slack.shown.values()]


@pytest.fixture
async def told(pool: AsyncConnectionPool) -> AsyncIterator[Told]:
    jobs = Jobs(pool=pool)
    await jobs.open()
    yield Told(pool, jobs)
    await jobs.aclose()


@pytest.mark.parametrize(("principal", "conversation"), [(HERE, "C1"), (ALONE, "D1")])
async def test_it_stands_while_the_file_is_shared_there(told: Told, principal: Principal, conversation: str) -> None:
    await told.learn(principal, conversation=conversation)
    assert await told.take_back() == ["“d” is ready"]


@pytest.mark.parametrize("left", [(), (ELSEWHERE,), (Principal.workspace(rows.TEAM),)])
async def test_it_goes_when_the_file_is_shared_there_no_more(told: Told, left: tuple[Principal, ...]) -> None:
    await told.learn(HERE)
    await told.grant(*left)
    assert await told.take_back() == []


async def test_it_goes_when_the_file_is_deleted(told: Told) -> None:
    await told.learn(HERE)
    await rows.mark_deleted(told.pool, "d")
    assert await told.take_back() == []


async def test_a_file_that_was_shared_in_two_places_is_told_of_in_both(told: Told) -> None:
    """The second place brings no version of its own; what was told there goes when the file is not there any more."""
    await told.learn(HERE, ELSEWHERE)
    replies = UploadReplies(messages=told.slack, budget=EditBudget(clock=time.monotonic), sleep=asyncio.sleep)
    progress = UploadProgress(pool=told.pool, replies=replies, notices=told.notices)
    second = asdict(UploadPlace(rows.TEAM, "C2", "2.0", language="en"))

    async def report(version: str, state: State, *, unchanged: bool = False) -> None:
        await progress.show(
            IngestReport(
                version_id=version,
                document="d",
                team=rows.TEAM,
                title="d",
                state=state,
                reply=second,
                unchanged=unchanged,
            )
        )

    await rows.add_version(told.pool, "d", ["text"], number=2, publish=False)
    await report("d-v2", State.REGISTERED)
    await report("d-v1", State.PUBLISHED, unchanged=True)
    assert [message.text.splitlines()[0] for message in told.slack.shown.values()] == [
        "“d” is ready",
        "“d” is ready: you can ask about it now.",
    ]
    await told.grant(HERE)
    assert await told.take_back() == ["“d” is ready"]
    await told.grant()
    assert await told.take_back() == []


async def test_whoever_changes_rights_asks_for_it_in_the_same_transaction(told: Told) -> None:
    await told.learn(HERE)
    async with told.pool.connection() as connection:
        await told.notices.documents_changed(["d"], connection=connection)
        await connection.rollback()
    assert await told.waiting() == 0
    async with told.pool.connection() as connection:
        await told.notices.documents_changed(["d"], connection=connection)
    assert await told.waiting() == 1


async def test_slack_that_is_away_is_asked_again(told: Told) -> None:
    await told.learn()
    told.slack.fail("delete", Unreachable("timeout", method="chat.delete"), Gone("channel_not_found", method="x"))
    with pytest.raises(Unreachable):
        await told.take_back()
    assert len(await told.take_back()) == 1  # its channel has another id by now
    assert await told.take_back() == []  # at the next change


async def test_a_process_without_slack_leaves_the_job_to_one_that_has(told: Told) -> None:
    await told.learn()
    with pytest.raises(NotConnected):
        await UploadNotices(pool=told.pool, jobs=told.jobs, answers=Nobody()).take_back(document="d")


async def test_what_was_posted_while_the_file_was_deleted_goes_at_once(told: Told) -> None:
    replies = UploadReplies(messages=told.slack, budget=EditBudget(clock=time.monotonic), sleep=asyncio.sleep)
    progress = UploadProgress(pool=told.pool, replies=replies, notices=told.notices)
    reply = asdict(UploadPlace(rows.TEAM, "C1", "1.0", language="en"))
    await progress.show(
        IngestReport(version_id="gone", document="gone", team=rows.TEAM, title="d", state=State.REGISTERED, reply=reply)
    )
    assert not told.slack.shown


async def test_a_channel_with_another_id_is_looked_at_again(told: Told) -> None:
    """The file was deleted while Slack knew the new id and we the old one: the message could not be got at."""
    await told.learn()
    told.slack.fail("delete", Gone("channel_not_found", method="chat.delete"))
    assert len(await told.take_back()) == 1
    await Moving(pool=told.pool, notices=told.notices).follow(rows.TEAM, "C1", "C9")
    assert await told.waiting() == 1
    assert await told.take_back() == []


async def test_back_in_a_conversation_the_bot_takes_back_what_stands_astray_there(told: Told) -> None:
    await told.learn(HERE)
    await told.notices.audience_changed(rows.TEAM, ["C1"])
    assert await told.waiting() == 0, "it stands where it may"
    await told.grant(ELSEWHERE)
    await told.notices.audience_changed(rows.TEAM, ["C2"])
    assert await told.waiting() == 0
    await told.notices.audience_changed(rows.TEAM, ["C1"])
    assert await told.waiting() == 1
    assert await told.take_back() == []
