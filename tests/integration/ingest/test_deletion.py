"""What is deleted is gone from every store, at once where it is found, and leaves a receipt."""

from __future__ import annotations

import asyncio

from psycopg import sql

from permissions.model import Principal
from tests.integration.ingest.bench import TEAM, WORKSPACE, Bench

SECRET = "Zinnober"
TEXT = f"{SECRET} seals the bath.\n\nLin delivers {SECRET}."


async def rows_with(ingestion: Bench, word: str) -> list[str]:
    """Names of the tables that hold ``word`` anywhere."""
    found = []
    tables = await ingestion.rows("SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1")
    async with ingestion.pool.connection() as connection:
        for (table,) in tables:
            query = sql.SQL("SELECT count(*) FROM {table} AS r WHERE r::text ILIKE %s").format(
                table=sql.Identifier(table)
            )
            row = await (await connection.execute(query, [f"%{word}%"])).fetchone()
            if row and row[0]:
                found.append(table)
    return found


STORES = ("index", "objects", "scratch")


def files_with(ingestion: Bench, word: str, *, stores: tuple[str, ...] = STORES) -> list[str]:
    """Names of the stored files that hold ``word``."""
    stored = [path for name in stores for path in (ingestion.folder / name).rglob("*")]
    return [
        path.name
        for path in stored
        if path.is_file() and word.lower() in path.read_bytes().decode(errors="ignore").lower()
    ]


async def add_answer(ingestion: Bench, document: str, version: str) -> None:
    """An answer that quotes the document."""
    async with ingestion.pool.connection() as connection:
        await connection.execute(
            "INSERT INTO runs (run_id, team, conversation, kind, message_ts, asker, question, state, answer)"
            " VALUES ('R1', %s, 'C1', 'public', '1.0', 'U1', 'What seals it?', 'ended', %s)",
            (TEAM, f"“{SECRET} seals the bath.” [1]"),
        )
        await connection.execute("INSERT INTO evidence_sets VALUES ('S1', 'R1', 1)")
        await connection.execute(
            "INSERT INTO evidence (evidence_id, evidence_set_id, number, document_id, version_id, version_number, unit,"
            " chunk_id, title, excerpt, place, modality, read_by, media_ref, sha256, published_at)"
            " VALUES ('E1', 'S1', 1, %s, %s, 1, 1, 'c', %s, %s, '{}', 'document', 'text_layer', 'm', 'h', '')",
            (document, version, f"{SECRET}.txt", f"{SECRET} seals the bath."),
        )


async def test_deletion_leaves_nothing_but_ids_and_a_receipt(ingestion: Bench) -> None:
    path = ingestion.write(f"{SECRET}.txt", TEXT)
    made = await ingestion.ingest(path)
    path.write_text(TEXT + " Twice.")
    second = await ingestion.ingest(path)
    await add_answer(ingestion, made.document, second.version)
    assert files_with(ingestion, SECRET) != []
    receipt = await ingestion.deletion.delete(made.document, by="U9")
    assert receipt is not None
    assert await ingestion.chunk_texts() == [], "at once"
    assert await ingestion.grants.of(made.document) == frozenset()
    await ingestion.deletion.purge(document=made.document)
    assert await rows_with(ingestion, SECRET) == []
    assert files_with(ingestion, SECRET) == []
    assert await ingestion.index.count(second.version) == 0
    assert await ingestion.rows("SELECT evidence_id, excerpt FROM evidence") == [("E1", "")]
    closed = await ingestion.deletion.receipt(made.document)
    assert closed is not None
    assert closed.purged_at is not None
    assert (closed.requested_by, dict(closed.removed)) == (
        "U9",
        {"versions": 2, "units": 4, "chunks": 2, "grants": 1, "evidence": 1, "answers": 1, "originals": 2},
    )


async def test_the_same_bytes_of_another_document_stay(ingestion: Bench) -> None:
    first = await ingestion.ingest(ingestion.write("a.txt", TEXT), Principal.channel(TEAM, "C1"))
    second = await ingestion.ingest(ingestion.write("b.txt", TEXT), WORKSPACE)
    await ingestion.deletion.delete(first.document, by="U1")
    await ingestion.deletion.purge(document=first.document)
    assert await ingestion.active(second.document) == second.version
    assert await ingestion.index.count(second.version) == 2
    assert files_with(ingestion, SECRET, stores=("objects",)) != [], "the original still is the other's"
    await ingestion.deletion.delete(second.document, by="U1")
    await ingestion.deletion.purge(document=second.document)
    assert files_with(ingestion, SECRET) == []


async def test_a_reading_under_way_leaves_nothing_behind(ingestion: Bench) -> None:
    made = await ingestion.register(ingestion.write("stuck.txt", f"STUCK {SECRET}"))
    async with ingestion.working():
        await ingestion.parser.stuck.wait()
        await ingestion.deletion.delete(made.document, by="U1")
        ingestion.parser.release.set()

        async def purged() -> bool:
            receipt = await ingestion.deletion.receipt(made.document)
            return receipt is not None and receipt.purged_at is not None

        await ingestion.until(purged)
    assert await rows_with(ingestion, SECRET) == []
    assert files_with(ingestion, SECRET) == []
    assert await ingestion.states(made.document) == ["DELETED"]


async def test_chunks_written_while_it_was_deleted_go_with_the_purge(ingestion: Bench) -> None:
    made = await ingestion.register(ingestion.write("case.txt", TEXT))
    replace = ingestion.vectors.replace

    async def deleting_meanwhile(**arguments: object) -> None:
        await ingestion.deletion.delete(made.document, by="U1")
        await replace(**arguments)  # type: ignore[arg-type]  # passed on as they came

    ingestion.vectors.replace = deleting_meanwhile  # type: ignore[method-assign]
    await ingestion.pipeline.run(version=made.version)
    await ingestion.deletion.purge(document=made.document)
    assert await rows_with(ingestion, SECRET) == []
    assert await ingestion.index.count(made.version) == 0


async def test_indexing_again_and_deletion_do_not_lock_each_other_out(ingestion: Bench) -> None:
    for number in range(5):
        made = await ingestion.ingest(ingestion.write(f"{number}.txt", TEXT + f"\n\n{number}."))
        for again in (
            "UPDATE documents SET active_version = NULL WHERE document_id = %s RETURNING 1",
            "UPDATE versions SET state = 'PARSED' WHERE document_id = %s RETURNING 1",
        ):
            await ingestion.rows(again, made.document)
        await asyncio.gather(
            ingestion.pipeline.run(version=made.version), ingestion.deletion.delete(made.document, by="U1")
        )
        await ingestion.deletion.purge(document=made.document)
    assert await rows_with(ingestion, SECRET) == []


async def test_deleting_again_gives_the_same_receipt_and_unknown_gives_none(ingestion: Bench) -> None:
    made = await ingestion.ingest(ingestion.write("case.txt", TEXT))
    first, again = await asyncio.gather(
        ingestion.deletion.delete(made.document, by="U1"), ingestion.deletion.delete(made.document, by="U2")
    )
    assert first == again
    assert await ingestion.deletion.delete("unknown", by="U1") is None


async def test_a_deleted_file_can_be_added_again_as_a_new_document(ingestion: Bench) -> None:
    path = ingestion.write("case.txt", TEXT)
    first = await ingestion.ingest(path)
    await ingestion.deletion.delete(first.document, by="U1")
    second = await ingestion.ingest(path)
    await ingestion.deletion.purge(document=first.document)
    assert second.document != first.document
    assert await ingestion.active(second.document) == second.version
    assert files_with(ingestion, SECRET, stores=("objects",)) != []


async def test_the_trail_says_who_gave_and_who_took_the_rights(ingestion: Bench) -> None:
    added = await ingestion.ingest(ingestion.write("case.txt", TEXT))
    await ingestion.deletion.delete(added.document, by="U7")
    noted = await ingestion.rows("SELECT actor, details FROM audit WHERE action = 'rights' ORDER BY entry_id")
    assert noted == [("U1", {"granted": [str(WORKSPACE)]}), ("U7", {"withdrawn": [str(WORKSPACE)]})]
