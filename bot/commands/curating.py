"""``haitang documents publish``, ``rollback`` and ``delete``: for who looks after a document."""

from __future__ import annotations

import asyncio
from typing import Final

from bot.bootstrap import Core, open_core
from bot.commands.acting import OPERATOR, refused
from bot.commands.documents import POLL_SECONDS, ConsoleProgress, version_line
from bot.commands.names import Names
from bot.commands.output import Console, Declined
from bot.config import load
from bot.ingestion import add_pipeline
from ingest.model import FINAL_STATES, Receipt, State, Version
from ingest.restore import Restorer
from permissions.audit import Action, AuditEntry

NO_DOCUMENT: Final = "there is no document {document!r}; `haitang documents list` names them"


async def restore(document: str, *, number: int | None, asker: str | None, as_json: bool) -> int:
    """Publish an earlier content again, by default the one before the present; 1 when it could not be."""
    console = Console(as_json=as_json)
    async with open_core(load(), purpose="documents publish") as core:
        team, actor = await _curator(core, document, asker, what="publish")
        pipeline = add_pipeline(core, sources={}, progress=ConsoleProgress(console))
        made = await Restorer(pool=core.pool, jobs=core.jobs).restore(document, number=number)
        if made is None:
            await refused(core, team, actor, what="publish", reason="no_such_version", document=document)
            which = f"version {number}" if number is not None else "version before the present one"
            raise Declined(f"{document} has no {which} that was published; `haitang documents show` names its versions")
        if core.database.is_owner:
            await pipeline.run(version=made.version)
        version = await _until_final(core, made.version)
    row = {"document": document, "version": version.version_id, "state": version.state, "cause": version.cause}
    console.result(row, [version_line(version.version_id, row)])
    return 0 if version.state is State.PUBLISHED else 1


async def delete(document: str, *, asker: str | None, as_json: bool) -> int:
    """Delete one document from every store, and print the receipt."""
    console = Console(as_json=as_json)
    async with open_core(load(), purpose="documents delete") as core:
        team, actor = await _curator(core, document, asker, what="delete")
        receipt = await core.deletion.delete(document, by=actor)
        if receipt is None:
            await refused(core, team, actor, what="delete", reason="no_such_document", document=document)
            raise Declined(NO_DOCUMENT.format(document=document))
        if core.database.is_owner:
            await core.deletion.purge(document=document)
        receipt = await _purged(core, document)
    removed = dict(receipt.removed)
    row = {"document": document, "deleted_at": receipt.deleted_at.isoformat(), "removed": removed}
    console.result(row, [f"{document} is gone: " + ", ".join(f"{count} {name}" for name, count in removed.items())])
    return 0


async def _curator(core: Core, document: str, asker: str | None, *, what: str) -> tuple[str, str]:
    """The workspace and who acts there, noted; raises Declined, and notes that, when they may not."""
    names = Names(pool=core.pool)
    team = await names.team()
    actor = OPERATOR if asker is None else await names.person(team, asker)
    if asker is not None and not await core.roles.may_curate(team, actor, document):
        await refused(core, team, actor, what=what, reason="not_its_curator", document=document)
        raise Declined(
            f"{asker} does not look after {document!r}, or there is none: whoever uploaded it does, the curators whom "
            "it is open to, and administrators"
        )
    entry = AuditEntry(action=Action.CURATION, team=team, actor=actor, document=document, details={"what": what})
    await core.audit.note(entry)
    return team, actor


async def _until_final(core: Core, name: str) -> Version:
    """The version once it has reached its end; beside a running bot that is its job."""
    while True:
        version = await core.catalog.version(name)
        if version is None:
            raise Declined("the document was deleted meanwhile")
        if version.state in FINAL_STATES:
            return version
        await asyncio.sleep(POLL_SECONDS)


async def _purged(core: Core, document: str) -> Receipt:
    """The receipt once every store is clean; beside a running bot that is its job."""
    while True:
        receipt = await core.deletion.receipt(document)
        if receipt is not None and receipt.purged_at is not None:
            return receipt
        await asyncio.sleep(POLL_SECONDS)
