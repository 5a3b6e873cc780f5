"""What was learned before the workspace was known belongs to the workspace from then on."""

from __future__ import annotations

from bot.commands.names import Names
from ingest.adoption import Adoption
from permissions.model import Principal
from tests import rows
from tests.integration.ingest.bench import TEAM, Bench

NEW = "T2"


async def adopt(ingestion: Bench) -> None:
    adoption = Adoption(pool=ingestion.pool, grants=ingestion.grants, rights=ingestion.rights)
    async with ingestion.working():
        await adoption.adopt(old=TEAM, team=NEW)
        await ingestion.until(lambda: nothing_waits(ingestion))


async def nothing_waits(ingestion: Bench) -> bool:
    return not await ingestion.rows("SELECT FROM procrastinate_jobs WHERE task_name = 'rights'")


async def test_its_people_read_it_with_the_rights_it_had(ingestion: Bench) -> None:
    open_, closed = Principal.workspace(TEAM), Principal.group(TEAM, "S1")
    everyones = await ingestion.ingest(ingestion.write("handbook.txt", "Epoxy seals the bath."), open_)
    a_groups = await ingestion.ingest(ingestion.write("prices.txt", "Epoxy costs nine."), closed)
    await adopt(ingestion)

    assert await ingestion.grants.of(everyones.document) == {Principal.workspace(NEW)}
    assert await ingestion.grants.of(a_groups.document) == {Principal.group(NEW, "S1")}
    scope = rows.scope_of(Principal.workspace(NEW), team=NEW)
    found = await ingestion.index.match(scope, "epoxy", limit=5)
    assert [hit.chunk_id.startswith(everyones.version) for hit in found] == [True]
    assert not await ingestion.index.match(rows.scope_of(open_), "epoxy", limit=5)


async def test_a_path_that_the_workspace_knows_already_is_left(ingestion: Bench) -> None:
    path = ingestion.write("handbook.txt", "Epoxy seals the bath.")
    await ingestion.ingest(path)
    await adopt(ingestion)
    again = await ingestion.ingest(path)
    await adopt(ingestion)
    assert await ingestion.rows("SELECT document_id FROM documents WHERE team = %s", TEAM) == [(again.document,)]


async def test_commands_speak_of_the_workspace_once_there_is_one(ingestion: Bench) -> None:
    names = Names(pool=ingestion.pool)
    assert await names.team() == "local"
    await rows.add_document(ingestion.pool, "d1", ["Text."], principals=[], team="local")
    assert await names.team() == "local"
    await rows.add_person(ingestion.pool, "U1", team=NEW)
    assert await names.team() == NEW
