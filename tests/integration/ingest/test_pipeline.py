"""A file goes its way stage by stage, to an end that people see."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from ingest.model import Cause, State
from permissions.model import Principal
from tests.integration.ingest.bench import TEAM, WORKSPACE, Bench


async def test_a_file_is_read_indexed_and_published(ingestion: Bench) -> None:
    made = await ingestion.ingest(ingestion.write("case.txt", "Epoxy seals the bath.\n\nLin & Co deliver it."))
    assert ingestion.progress.states(made.version) == [
        "REGISTERED",
        "FETCHED",
        "PARSED",
        "INDEXED",
        "READY",
        "PUBLISHED",
    ]
    assert ingestion.progress.last.counts == {"pages": 2, "chunks": 2}
    assert await ingestion.active(made.document) == made.version
    assert await ingestion.index.count(made.version) == 2
    assert await ingestion.grants.of(made.document) == {WORKSPACE}
    assert list((ingestion.folder / "scratch").iterdir()) == []


async def test_what_people_see_of_a_document(ingestion: Bench) -> None:
    made = await ingestion.ingest(ingestion.write("case.txt", "Epoxy seals the bath."))
    assert await ingestion.catalog.show(made.document) == {
        "document": made.document,
        "title": "case.txt",
        "versions": [{"version": made.version, "number": 1, "state": "PUBLISHED", "cause": None}],
        "units": [{"place": {"page": 1}, "how": "text_layer", "text": "Epoxy seals the bath."}],
    }
    (listed,) = await ingestion.catalog.documents(team=TEAM)
    assert (listed["title"], listed["state"], listed["principals"]) == ("case.txt", "PUBLISHED", [f"workspace:{TEAM}"])
    assert await ingestion.catalog.show("unknown") is None


@pytest.mark.parametrize(
    ("text", "cause"),
    [("", Cause.EMPTY), ("\n\n \n", Cause.NO_TEXT), ("ENCRYPTED", Cause.ENCRYPTED), ("x" * 100_001, Cause.TOO_LARGE)],
)
async def test_what_cannot_be_read_fails_with_its_cause(ingestion: Bench, text: str, cause: Cause) -> None:
    made = await ingestion.ingest(ingestion.write("bad.txt", text))
    assert await ingestion.states(made.document) == ["FAILED"]
    assert (ingestion.progress.last.state, ingestion.progress.last.cause) == (State.FAILED, cause)
    assert await ingestion.active(made.document) is None
    assert await ingestion.chunk_texts() == []


async def test_characters_that_the_database_cannot_hold_are_replaced(ingestion: Bench) -> None:
    made = await ingestion.ingest(ingestion.write("odd.txt", "Epoxy\x00seals the bath."))
    assert await ingestion.chunk_texts() == [(made.version, "Epoxy\ufffdseals the bath.")]


async def test_a_path_that_is_not_there_is_not_found(ingestion: Bench) -> None:
    await ingestion.ingest(Path("/nowhere/at-all.txt"))
    assert ingestion.progress.last.cause is Cause.NOT_FOUND


async def test_an_empty_file_takes_nothing_away_from_what_is_known(ingestion: Bench) -> None:
    path = ingestion.write("case.txt", "Epoxy seals the bath.")
    made = await ingestion.ingest(path)
    path.write_text("")
    await ingestion.ingest(path)
    assert await ingestion.active(made.document) == made.version
    assert await ingestion.index.count(made.version) == 1


async def test_a_changed_file_replaces_its_old_version(ingestion: Bench) -> None:
    path = ingestion.write("case.txt", "Epoxy seals the bath.")
    first = await ingestion.ingest(path)
    path.write_text("Bitumen seals the bath.")
    second = await ingestion.ingest(path)
    assert second.document == first.document
    assert await ingestion.states(first.document) == ["SUPERSEDED", "PUBLISHED"]
    assert await ingestion.chunk_texts() == [(second.version, "Bitumen seals the bath.")]
    assert (await ingestion.index.count(first.version), await ingestion.index.count(second.version)) == (0, 1)
    old_units = await ingestion.rows("SELECT text FROM units WHERE version_id = %s", first.version)
    assert old_units == [("Epoxy seals the bath.",)], "old citations still open"


async def test_a_failed_new_version_leaves_the_old_one_serving(ingestion: Bench) -> None:
    path = ingestion.write("case.txt", "Epoxy seals the bath.")
    first = await ingestion.ingest(path)
    path.write_text("ENCRYPTED")
    await ingestion.ingest(path)
    assert await ingestion.states(first.document) == ["PUBLISHED", "FAILED"]
    assert await ingestion.active(first.document) == first.version
    assert await ingestion.index.count(first.version) == 1


async def test_the_old_version_serves_while_the_new_one_is_read(ingestion: Bench) -> None:
    path = ingestion.write("case.txt", "Epoxy seals the bath.")
    first = await ingestion.ingest(path)
    path.write_text("STUCK on page one")
    second = await ingestion.register(path)
    reading = asyncio.create_task(ingestion.pipeline.run(version=second.version))
    await ingestion.parser.stuck.wait()
    assert await ingestion.active(first.document) == first.version
    assert await ingestion.index.count(first.version) == 1
    ingestion.parser.release.set()
    await reading
    assert await ingestion.active(first.document) == second.version


async def test_the_same_bytes_again_are_no_new_version(ingestion: Bench) -> None:
    path = ingestion.write("case.txt", "Epoxy seals the bath.")
    first = await ingestion.ingest(path)
    again = await ingestion.ingest(path, Principal.channel(TEAM, "C2"))
    assert again.document == first.document
    assert await ingestion.states(first.document) == ["PUBLISHED"]
    assert (ingestion.progress.last.unchanged, ingestion.progress.last.state) == (True, State.PUBLISHED)
    assert await ingestion.grants.of(first.document) == {WORKSPACE, Principal.channel(TEAM, "C2")}


async def test_the_same_bytes_elsewhere_are_read_and_encoded_once(ingestion: Bench) -> None:
    text = "Epoxy seals the bath.\n\nLin & Co deliver it."
    first = await ingestion.ingest(ingestion.write("case.txt", text), Principal.channel(TEAM, "C1"))
    second = await ingestion.ingest(ingestion.write("copy of it.txt", text), Principal.channel(TEAM, "C2"))
    assert second.document != first.document
    assert ingestion.parser.calls == 1
    assert len(ingestion.encoder.texts) == 2
    assert await ingestion.active(second.document) == second.version
    assert await ingestion.index.count(second.version) == 2
    stored = await ingestion.rows("SELECT DISTINCT object_key FROM versions")
    assert len(stored) == 1
    same = await ingestion.rows("SELECT count(DISTINCT embedding::text), count(*) FROM chunks")
    assert same == [(2, 4)]


async def test_a_file_whose_copy_is_being_deleted_is_read_itself(ingestion: Bench) -> None:
    first = await ingestion.ingest(ingestion.write("a.txt", "Epoxy."))
    await ingestion.rows("DELETE FROM units WHERE version_id = %s RETURNING 1", first.version)
    second = await ingestion.ingest(ingestion.write("b.txt", "Epoxy."))
    assert await ingestion.active(second.document) == second.version
    assert ingestion.parser.calls == 2


async def test_a_copy_keeps_its_own_name_and_rights(ingestion: Bench) -> None:
    first = await ingestion.ingest(ingestion.write("dismissals.txt", "Epoxy."), Principal.channel(TEAM, "C1"))
    await ingestion.rows(
        "UPDATE documents SET title = 'renamed.txt' WHERE document_id = %s RETURNING 1", first.document
    )
    copy = await ingestion.ingest(ingestion.write("notes.txt", "Epoxy."), WORKSPACE)
    contexts = await ingestion.rows("SELECT context FROM chunks WHERE document_id = %s", copy.document)
    assert contexts == [("notes",)], "the name under which it is shared elsewhere is not for everyone here"
    assert await ingestion.grants.of(copy.document) == {WORKSPACE}


async def test_a_reading_that_is_repeated_changes_nothing(ingestion: Bench) -> None:
    made = await ingestion.ingest(ingestion.write("case.txt", "Epoxy seals the bath."))
    before = await ingestion.rows("SELECT * FROM versions")
    await ingestion.pipeline.run(version=made.version)
    assert await ingestion.rows("SELECT * FROM versions") == before
    assert ingestion.parser.calls == 1


async def test_people_see_how_far_a_long_file_is(ingestion: Bench) -> None:
    made = await ingestion.register(
        ingestion.write("long.txt", "STUCK\n\n" + "\n\n".join(f"Page {n}." for n in range(40)))
    )
    reading = asyncio.create_task(ingestion.pipeline.run(version=made.version))
    await ingestion.parser.stuck.wait()

    async def half_read() -> bool:
        return (ingestion.progress.last.state, ingestion.progress.last.percent) == (State.FETCHED, 50)

    await ingestion.until(half_read)
    ingestion.parser.release.set()
    await reading
    indexing = [report.percent for report in ingestion.progress.reports if report.state is State.PARSED]
    assert indexing == [None, 39, 78, 100]
