"""``haitang documents add``: learn files from this machine.

Beside a running bot the work is left to its jobs; without one, this process does it itself and leaves the bot's own
jobs alone: it has no Slack to do them with.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any, Final

from bot.bootstrap import Core, open_core
from bot.commands.names import Names
from bot.commands.output import Console, Declined, Misused
from bot.config import load
from bot.ingestion import COMMAND_SOURCE, add_pipeline
from handlers import texts
from ingest.model import FINAL_STATES, IngestReport, State, Version
from ingest.pipeline import Pipeline
from ingest.register import Registration, Upload
from permissions.model import Principal

POLL_SECONDS: Final = 0.3


class ConsoleProgress:
    """``ingest.ports.Progress`` on stderr."""

    def __init__(self, console: Console) -> None:
        self._console = console

    async def show(self, report: IngestReport) -> None:
        percent = "" if report.percent is None else f" {report.percent} %"
        self._console.say(f"{report.title}: {report.state}{percent}")


async def add(paths: list[Path], *, channel: str | None, group: str | None, workspace: bool, as_json: bool) -> int:
    """Learn the files at absolute ``paths``; 0 when all were published, 1 when one could not be read."""
    console = Console(as_json=as_json)
    if (channel is not None) + (group is not None) + workspace != 1:
        raise Misused("say who may read the files with exactly one of --channel, --group and --workspace")
    async with open_core(load(), purpose="documents add") as core:
        team = await Names(pool=core.pool).team()
        principals = await _readers(core, team, channel=channel, group=group)
        pipeline = add_pipeline(core, sources={}, progress=ConsoleProgress(console))
        uploads = [_upload(path, team, principals) for path in paths]
        rows = [await _learn(core, console, pipeline, upload) for upload in uploads]
    console.result(rows, [version_line(row["path"], row) for row in rows])
    return 0 if all(row["state"] == State.PUBLISHED for row in rows) else 1


def version_line(name: str, row: Mapping[str, Any]) -> str:
    """What became of a version, with the cause and its remedy in words."""
    why = texts.CAUSES[row["cause"]]("en") if row["cause"] else ""
    return f"{name}: {row['state']}" + (f": {why}" if why else "")


async def _readers(core: Core, team: str, *, channel: str | None, group: str | None) -> Collection[Principal]:
    if channel is not None:
        return {Principal.channel(team, await Names(pool=core.pool).channel(team, channel))}
    if group is not None:
        return {Principal.group(team, await Names(pool=core.pool).group(team, group))}
    return {Principal.workspace(team)}


def _upload(path: Path, team: str, principals: Collection[Principal]) -> Upload:
    return Upload(
        team=team,
        source=COMMAND_SOURCE,
        source_id=str(path),
        title=path.name,
        mimetype="",
        user="command",
        principals=principals,
    )


async def _learn(core: Core, console: Console, pipeline: Pipeline, upload: Upload) -> dict[str, Any]:
    began = time.monotonic()
    registration = await core.registrar.register(upload)
    assert registration is not None  # noqa: S101 - without dedupe keys nothing was seen before
    if core.database.is_owner:
        await pipeline.run(version=registration.version)
    version = await _until_final(core, console, registration, upload)
    units = await core.catalog.units(version.version_id)
    return {
        "path": upload.source_id,
        "document": registration.document,
        "version": version.version_id,
        "state": version.state,
        "cause": version.cause,
        "units": len(units),
        "chunks": version.report.get("chunks", 0),
        "seconds": round(time.monotonic() - began, 3),
    }


async def _until_final(core: Core, console: Console, registration: Registration, upload: Upload) -> Version:
    """Wait until the version has reached its end. One with the bytes of the published version is dropped for that."""
    shown: State | None = None
    while True:
        version = await core.catalog.version(registration.version)
        if version is None:
            return await _published(core, upload)
        if version.state in FINAL_STATES:
            return version
        if version.state != shown and not core.database.is_owner:
            console.say(f"{version.document.title}: {version.state}")
            shown = version.state
        await asyncio.sleep(POLL_SECONDS)


async def _published(core: Core, upload: Upload) -> Version:
    document = await core.catalog.find(team=upload.team, source=upload.source, source_id=upload.source_id)
    version = await core.catalog.version(document.active_version or "") if document else None
    if version is None:
        raise Declined(f"{upload.source_id} was deleted while it was read")
    return version
