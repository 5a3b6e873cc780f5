"""Who may read a file follows from where Slack says that it is shared now, not from where it was."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from bot.uploads import FilePlaces, SlackSource, SlackUploads
from handlers.errors import Unreachable
from handlers.model import FileInfo, FileShare
from ingest.model import Document
from ingest.register import Registration, Upload
from permissions.model import ConversationKind, Principal
from tests.integration.ingest.bench import TEAM, Bench

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
CHANNEL = Principal.channel(TEAM, "C1")


@dataclass
class Files:
    """``handlers.adapters.files.SlackFiles`` of one file. The first to ask for it gets what it was before ``gate``."""

    now: FileInfo = SHARED
    gate: asyncio.Event | None = None
    asked: asyncio.Event = field(default_factory=asyncio.Event)
    fails: Exception | None = None

    async def info(self, team: str, file_id: str) -> FileInfo:
        if self.fails:
            raise self.fails
        found, gate, self.gate = self.now, self.gate, None
        self.asked.set()
        if gate:
            await gate.wait()
        return found

    async def download(self, team: str, file_id: str, to: Path, *, max_bytes: int) -> FileInfo:
        before, self.now = self.now, replace(self.now, shares=())
        return before


async def registered(bench: Bench) -> tuple[Registration, Document]:
    upload = Upload(
        team=TEAM, source="slack", source_id="F1", title="page.txt", mimetype="", user="U1", principals=[CHANNEL]
    )
    made = await bench.registrar.register(upload)
    document = await bench.catalog.find(team=TEAM, source="slack", source_id="F1")
    assert made is not None
    assert document is not None
    return made, document


def uploads(bench: Bench, files: Any) -> SlackUploads:
    return SlackUploads(
        pool=bench.pool,
        registrar=bench.registrar,
        catalog=bench.catalog,
        rights=bench.rights,
        deletion=bench.deletion,
        jobs=bench.jobs,
        places=FilePlaces(files=files, rights=bench.rights),
    )


async def test_a_file_unshared_while_it_is_downloaded_is_nobodys(ingestion: Bench, tmp_path: Path) -> None:
    made, document = await registered(ingestion)
    files: Any = Files()
    source = SlackSource(files=files, places=FilePlaces(files=files, rights=ingestion.rights), max_bytes=100)
    await source.fetch(document, into=tmp_path)
    assert await ingestion.grants.of(made.document) == frozenset()


async def test_what_was_read_before_does_not_overwrite_what_was_read_since(ingestion: Bench) -> None:
    made, document = await registered(ingestion)
    gate = asyncio.Event()
    files: Any = Files(gate=gate)
    places = FilePlaces(files=files, rights=ingestion.rights)
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


async def test_a_deletion_does_not_wait_for_slack(ingestion: Bench) -> None:
    made, _ = await registered(ingestion)
    slack: Any = Files(fails=Unreachable("timeout"))
    await uploads(ingestion, slack).deleted(team=TEAM, file_id="F1")
    await uploads(ingestion, slack).deleted(team=TEAM, file_id="unknown")
    assert await ingestion.deletion.receipt(made.document) is not None
