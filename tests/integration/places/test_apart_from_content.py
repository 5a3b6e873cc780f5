"""Rights are written apart from content (field-reports.md, onyx PR#7384: a reindex overwrote access rights)."""

from __future__ import annotations

from permissions.model import Principal
from retrieval.adapters.passages import PgPassages
from tests.integration.places.conftest import World
from tests.rows import scope_of


async def found(places: World, *principals: Principal) -> tuple[bool, bool]:
    """Whether the index finds "plan", and whether the recheck lets it be read, under these principals."""
    scope = scope_of(*principals, team=places.team)
    hits = await places.bench.index.match(scope, "plan", limit=5)
    ((chunk,),) = await places.bench.rows("SELECT chunk_id FROM chunks")
    return bool(hits), bool(await PgPassages(pool=places.bench.pool).load(scope, [chunk]))


async def test_a_change_of_rights_reads_and_encodes_nothing_again(places: World) -> None:
    mei, sales = places.person("mei"), places.channel("sales")
    file, ts = await places.upload("mei", places.channel("prices"))
    prices, everyone = Principal.channel(places.team, places.channel("prices")), Principal.workspace(places.team)
    await places.settled(file)
    assert (await found(places, prices), await found(places, everyone)) == ((True, True), (False, False))
    work = (places.bench.parser.calls, len(places.bench.encoder.texts), await places.calls("files.info"))
    rows = await places.bench.rows("SELECT chunk_id, xmin::text FROM chunks")

    await mei.act("share_file", file=file, conversation=sales)
    await places.settled(file)
    await mei.delete(places.channel("prices"), ts)
    await places.settled(file)
    assert (await found(places, prices), await found(places, everyone)) == ((False, False), (True, True))
    assert (places.bench.parser.calls, len(places.bench.encoder.texts)) == work[:2]
    assert await places.bench.rows("SELECT chunk_id, xmin::text FROM chunks") == rows
    assert await places.calls("files.info") > work[2]


async def test_until_the_index_follows_the_recheck_decides(places: World) -> None:
    file, _ = await places.upload("mei", places.channel("prices"))
    prices = Principal.channel(places.team, places.channel("prices"))
    await places.settled(file)
    document = await places.document(file)
    assert document is not None
    # The rows alone, as in the moment before the index's job has run.
    await places.bench.rows("DELETE FROM grants WHERE document_id = %s RETURNING 1", document.document_id)
    assert await found(places, prices) == (True, False)


async def test_a_new_version_keeps_the_rights_of_the_file(places: World) -> None:
    mei, prices = places.person("mei"), places.channel("prices")
    file, _ = await places.upload("mei", prices)
    grants = await places.settled(file)
    before = await places.document(file)
    await mei.send("upload_version", b"the plan, better", file=file)
    await places.settled(file)
    after = await places.document(file)
    assert before is not None
    assert after is not None
    assert (after.document_id, after.active_version) == (before.document_id, f"{before.document_id}-v2")
    assert await places.grants(file) == grants == places.open_to("prices")


async def test_a_reading_cannot_widen_what_was_narrowed_meanwhile(places: World) -> None:
    """The pipeline writes no grants: those of a document that is read again are the ones that it has."""
    path = places.bench.write("page.txt", "the page")
    team = Principal.workspace("T1")
    made = await places.bench.ingest(path, team)
    await places.bench.rights.set(made.document, ())
    path.write_text("the other page")
    again = await places.bench.register(path, Principal.channel("T1", "C1"))
    await places.bench.pipeline.run(version=again.version)
    assert await places.bench.grants.of(made.document) == {Principal.channel("T1", "C1")}
