"""While Slack is away, slow, or says no: what is known to be lost is lost, and nothing is granted on a guess."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

import pytest
from psycopg_pool import AsyncConnectionPool

from bot.places import FilePlaces
from bot.shares import SeenShares
from bot.uploads import PLACE_JOB, PLACES_JOB, SlackSource, SlackUploads
from handlers.errors import Gone, MissingScope, SlackError, Unreachable
from handlers.model import FileInfo, FileShare
from ingest.model import Document
from ingest.register import Registration, Upload
from ingest.rights import Rights
from permissions.adapters.postgres import PgDirectory
from permissions.model import Conversation, ConversationKind, Principal
from tests.integration.ingest.bench import TEAM, WORKSPACE, Bench, bench

SHARED = FileInfo(
    file_id="F1",
    name="page.txt",
    mimetype="text/plain",
    size=5,
    permalink="",
    user="U1",
    url="",
    shares=(FileShare("C1", ConversationKind.PRIVATE),),
)
NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
CHANNEL = Principal.channel(TEAM, "C1")


@dataclass
class Files:
    """``handlers.adapters.files.SlackFiles`` of one file. The first to ask for it gets what it was before ``gate``."""

    now: FileInfo = SHARED
    gate: asyncio.Event | None = None
    asked: asyncio.Event = field(default_factory=asyncio.Event)
    fails: Exception | None = None

    async def info(self, team: str, file_id: str, *, patience_s: float = 0) -> FileInfo:
        if self.fails:
            raise self.fails
        found, gate, self.gate = self.now, self.gate, None
        self.asked.set()
        if gate:
            await gate.wait()
        return found

    async def files_in(self, conversation: str) -> list[str]:
        if self.fails:
            raise self.fails
        return []

    async def is_shown(self, conversation: str, ts: str, file_id: str) -> bool:
        raise Unreachable("timeout")

    async def person_of(self, conversation: str) -> str | None:
        return "U1"

    async def download(self, team: str, file_id: str, to: Path, *, max_bytes: int) -> FileInfo:
        before, self.now = self.now, replace(self.now, shares=())
        return before


@pytest.fixture
async def ingestion(pool: AsyncConnectionPool, tmp_path: Path) -> AsyncIterator[Bench]:
    async with bench(pool, tmp_path) as made:
        made.jobs.add(PLACES_JOB, later, queue="places")
        made.jobs.add(PLACE_JOB, later, queue="places")
        yield made


async def registered(bench: Bench, *principals: Principal) -> tuple[Registration, Document]:
    upload = Upload(
        team=TEAM,
        source="slack",
        source_id="F1",
        title="page.txt",
        mimetype="",
        user="U1",
        principals=principals or [CHANNEL],
    )
    made = await bench.registrar.register(upload)
    document = await bench.catalog.find(team=TEAM, source="slack", source_id="F1")
    assert made is not None
    assert document is not None
    return made, document


class Nobody:
    """Knows no conversation."""

    async def ensure_known(self, team: str, conversation: str | None, asker: str) -> None:
        pass


def places_of(bench: Bench, files: Any) -> FilePlaces:
    return FilePlaces(
        pool=bench.pool,
        files=files,
        shares=SeenShares(pool=bench.pool),
        grants=bench.grants,
        rights=bench.rights,
        memberships=Nobody(),
    )


async def later(*, team: str, file_id: str) -> None:
    raise AssertionError("Slack could be asked")


def uploads(bench: Bench, files: Any) -> SlackUploads:
    return SlackUploads(
        pool=bench.pool,
        registrar=bench.registrar,
        catalog=bench.catalog,
        rights=bench.rights,
        deletion=bench.deletion,
        jobs=bench.jobs,
        files=files,
        shares=SeenShares(pool=bench.pool),
        places=places_of(bench, files),
    )


async def test_a_file_unshared_while_it_is_downloaded_is_nobodys(ingestion: Bench, tmp_path: Path) -> None:
    made, document = await registered(ingestion)
    files: Any = Files()
    source = SlackSource(files=files, places=places_of(ingestion, files), max_bytes=100, look_again=later)
    await source.fetch(document, into=tmp_path)
    assert await ingestion.grants.of(made.document) == frozenset()


async def test_what_was_read_before_does_not_overwrite_what_was_read_since(ingestion: Bench) -> None:
    made, document = await registered(ingestion)
    gate = asyncio.Event()
    files: Any = Files(gate=gate)
    places = places_of(ingestion, files)
    async with asyncio.TaskGroup() as group:
        group.create_task(places.refresh(document))
        await files.asked.wait()
        files.now = replace(SHARED, shares=())
        second = group.create_task(places.refresh(document))
        await asyncio.wait([second], timeout=0.2)
        gate.set()
    assert await ingestion.grants.of(made.document) == frozenset()


async def test_a_file_that_slack_never_tells_of_again_is_closed(ingestion: Bench) -> None:
    made, _ = await registered(ingestion)
    slack: Any = Files(fails=Unreachable("timeout"))
    both = uploads(ingestion, slack)
    with pytest.raises(Unreachable):
        await both.look_again(team=TEAM, file_id="F1")
    assert await ingestion.grants.of(made.document) == {CHANNEL}
    await both.close(team=TEAM, file_id="F1")
    assert await ingestion.grants.of(made.document) == frozenset()


async def test_what_was_verified_before_stays_while_slack_cannot_be_asked(ingestion: Bench) -> None:
    """Answers from it would be emptied for good, for a limit of some seconds."""
    verified, never_seen = Principal.channel(TEAM, "C2"), Principal.channel(TEAM, "C4")
    made, document = await registered(ingestion, CHANNEL, verified, never_seen)
    seen = SeenShares(pool=ingestion.pool)
    await seen.note(team=TEAM, file_id="F1", messages=[("C2", "2.0"), ("C3", "3.0")])
    files: Any = Files(replace(SHARED, has_more_shares=True))
    with pytest.raises(Unreachable):
        await places_of(ingestion, files).refresh(document)
    assert await ingestion.grants.of(made.document) == {CHANNEL, verified}


async def test_a_deletion_does_not_wait_for_slack(ingestion: Bench) -> None:
    made, _ = await registered(ingestion)
    slack: Any = Files(fails=Unreachable("timeout"))
    await uploads(ingestion, slack).deleted(team=TEAM, file_id="F1")
    await uploads(ingestion, slack).deleted(team=TEAM, file_id="unknown")
    assert await ingestion.deletion.receipt(made.document) is not None


def directory(bench: Bench) -> PgDirectory:
    return PgDirectory(pool=bench.pool, clock=lambda: NOW)


async def test_while_slack_is_away_a_deleted_message_takes_its_place_along(ingestion: Bench) -> None:
    """Design §1: loss of rights takes effect at once; what the other message shows stays open."""
    public = Principal.channel(TEAM, "C2")
    made, _ = await registered(ingestion, CHANNEL, public, WORKSPACE)
    await directory(ingestion).put_conversation(Conversation(TEAM, "C2", ConversationKind.PUBLIC), as_of=NOW)
    both = uploads(ingestion, Files(fails=Unreachable("timeout")))
    await both.shown(team=TEAM, conversation="C1", ts="1.0", file_id="F1")
    await both.shown(team=TEAM, conversation="C2", ts="2.0", file_id="F1")
    await both.unshown(team=TEAM, conversation="C1", ts="1.0", files=["F1"], is_gone=True)
    assert await ingestion.grants.of(made.document) == {public, WORKSPACE}
    # Slack need not send the old message along: what it showed is remembered.
    await both.unshown(team=TEAM, conversation="C2", ts="2.0", files=[], is_gone=True)
    assert await ingestion.grants.of(made.document) == frozenset()


async def test_what_was_lost_before_is_withdrawn_by_the_look_that_fails(ingestion: Bench) -> None:
    made, _ = await registered(ingestion)
    both = uploads(ingestion, Files(fails=Unreachable("timeout")))
    seen = SeenShares(pool=ingestion.pool)
    await seen.note_gone(team=TEAM, conversation="C1", ts="1.0", files=["F1"])
    with pytest.raises(Unreachable):
        await both.look_again(team=TEAM, file_id="F1")
    assert await ingestion.grants.of(made.document) == frozenset()


async def test_a_deleted_channel_gives_nothing_while_slack_is_away(ingestion: Bench) -> None:
    made, _ = await registered(ingestion, Principal.channel(TEAM, "C2"), CHANNEL, WORKSPACE)
    await directory(ingestion).put_conversation(Conversation(TEAM, "C2", ConversationKind.PUBLIC), as_of=NOW)
    both = uploads(ingestion, Files(fails=Unreachable("timeout")))
    await both.shown(team=TEAM, conversation="C2", ts="2.0", file_id="F1")
    await both.place_changed(team=TEAM, conversation="C2", is_gone=True)
    with pytest.raises(Unreachable):
        await both.look_around(team=TEAM, conversation="C2")
    assert await ingestion.grants.of(made.document) == {CHANNEL}


async def test_a_message_that_was_deleted_does_not_come_back_with_late_news_or_an_old_list(ingestion: Bench) -> None:
    made, _ = await registered(ingestion)
    listed = replace(SHARED, shares=(FileShare("C1", ConversationKind.PRIVATE, ("1.0",)),))
    both = uploads(ingestion, Files(now=listed))
    await both.unshown(team=TEAM, conversation="C1", ts="1.0", files=["F1"], is_gone=True)
    await both.shown(team=TEAM, conversation="C1", ts="1.0", file_id="F1")
    await both.look_again(team=TEAM, file_id="F1")
    assert await ingestion.grants.of(made.document) == frozenset()
    bare = replace(SHARED, shares=(FileShare("C1", ConversationKind.PRIVATE),))
    await uploads(ingestion, Files(now=bare)).look_again(team=TEAM, file_id="F1")
    assert await ingestion.grants.of(made.document) == frozenset()
    await both.shown(team=TEAM, conversation="C1", ts="2.0", file_id="F1")
    await uploads(ingestion, Files(now=bare)).look_again(team=TEAM, file_id="F1")
    assert await ingestion.grants.of(made.document) == {CHANNEL}


@pytest.mark.parametrize(
    ("listed", "known", "opens_workspace"),
    [
        ("public", "public", True),
        ("public", "private", False),  # became private: our row is newer than Slack's list
        ("private", "public", False),  # became private: Slack's list is newer than our row
        ("public", None, False),
        ("private", None, False),
    ],
)
async def test_a_channel_opens_a_file_to_everyone_only_where_list_and_row_agree(
    ingestion: Bench, listed: str, known: str | None, opens_workspace: bool
) -> None:
    made, _ = await registered(ingestion)
    if known:
        kind = ConversationKind(known)
        await directory(ingestion).put_conversation(Conversation(TEAM, "C1", kind), as_of=NOW)
    now = replace(SHARED, shares=(FileShare("C1", ConversationKind(listed), ("1.0",)),))
    await uploads(ingestion, Files(now=now)).look_again(team=TEAM, file_id="F1")
    assert await ingestion.grants.of(made.document) == {CHANNEL} | ({WORKSPACE} if opens_workspace else set())


@pytest.mark.parametrize(
    "error", [MissingScope(method="files.info", needed="files:read"), Gone("not_visible", method="files.info")]
)
async def test_a_file_that_slack_does_not_show_us_is_nobodys_at_once(ingestion: Bench, error: SlackError) -> None:
    made, _ = await registered(ingestion)
    both = uploads(ingestion, Files(fails=error))
    if isinstance(error, Gone):
        await both.look_again(team=TEAM, file_id="F1")
    else:
        with pytest.raises(MissingScope):
            await both.look_again(team=TEAM, file_id="F1")
    assert await ingestion.grants.of(made.document) == frozenset()


async def test_a_file_is_read_while_its_places_cannot_be(ingestion: Bench, tmp_path: Path) -> None:
    made, document = await registered(ingestion)
    slack: Any = Files()
    asked = []

    async def look_again(*, team: str, file_id: str) -> None:
        asked.append(file_id)

    source = SlackSource(
        files=slack,
        places=places_of(ingestion, Files(fails=Unreachable("timeout"))),
        max_bytes=9,
        look_again=look_again,
    )
    await source.fetch(document, into=tmp_path)
    assert (asked, await ingestion.grants.of(made.document)) == (["F1"], {CHANNEL})


async def test_a_channel_that_becomes_private_while_a_list_is_written_takes_the_workspace_along(
    ingestion: Bench,
) -> None:
    """Whichever comes second sees the first: the row of the channel is held until the grants are written."""
    made, document = await registered(ingestion)
    rows = directory(ingestion)
    await rows.put_conversation(Conversation(TEAM, "C1", ConversationKind.PUBLIC), as_of=NOW)
    now = replace(SHARED, shares=(FileShare("C1", ConversationKind.PUBLIC, ("1.0",)),))
    writes = asyncio.Event()

    class SlowRights:
        """Writes grants, and lets the other be told before the transaction ends."""

        async def replace(self, connection: Any, document: str, principals: Any) -> None:
            await ingestion.rights.replace(connection, document, principals)
            writes.set()
            await asyncio.sleep(0.2)

    places = places_of(ingestion, Files(now=now))
    places._rights = cast("Rights", SlowRights())
    async with asyncio.TaskGroup() as group:
        group.create_task(places.refresh(document))
        await writes.wait()
        group.create_task(rows.make_private(TEAM, "C1"))
    assert await ingestion.grants.of(made.document) == {CHANNEL}
