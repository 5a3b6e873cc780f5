"""A crash at any moment: what was not noted as done is done again, and nothing half is ever found."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from psycopg import AsyncConnection

from ingest.catalog import Advance, Catalog
from ingest.model import Cause, State, Version
from ingest.publish import Incomplete, Outcome, Publisher
from permissions.model import Principal
from tests.integration.ingest.bench import TEAM, WORKSPACE, Bench

TEXT = "Epoxy seals the bath.\n\nLin & Co deliver it."


class Crash(BaseException):
    """Ends the job where it stands, as a killed process would: nobody handles it."""


def crash_before_noting(monkeypatch: pytest.MonkeyPatch, state: State) -> None:
    """The first time that ``state`` is about to be noted, the process is gone."""
    advance = Catalog.advance
    crashed = False

    async def dying(self: Catalog, connection: AsyncConnection[Any], version: Version, step: Advance) -> bool:
        nonlocal crashed
        if step.after is state and not crashed:
            crashed = True
            raise Crash
        return await advance(self, connection, version, step)

    monkeypatch.setattr(Catalog, "advance", dying)


@pytest.mark.parametrize("state", [State.FETCHED, State.PARSED, State.INDEXED, State.READY])
async def test_a_crash_before_a_stage_is_noted_repeats_that_stage_alone(
    ingestion: Bench, monkeypatch: pytest.MonkeyPatch, state: State
) -> None:
    made = await ingestion.register(ingestion.write("case.txt", TEXT))
    crash_before_noting(monkeypatch, state)
    with pytest.raises(Crash):
        await ingestion.pipeline.run(version=made.version)
    assert await ingestion.active(made.document) is None
    await ingestion.pipeline.run(version=made.version)
    assert await ingestion.states(made.document) == ["PUBLISHED"]
    assert await ingestion.chunk_texts() == [(made.version, part) for part in TEXT.split("\n\n")]
    assert await ingestion.index.count(made.version) == 2
    assert ingestion.parser.calls == (2 if state is State.PARSED else 1)
    assert list((ingestion.folder / "scratch").iterdir()) == []


async def ready(bench: Bench, text: str, monkeypatch: pytest.MonkeyPatch) -> Version:
    """A version of the same file that every store has, and whose publication is still to come."""
    made = await bench.register(bench.write("case.txt", text))

    async def dying(self: Publisher, version: Version) -> Outcome:
        raise Crash

    with monkeypatch.context() as patch:
        patch.setattr(Publisher, "publish", dying)
        with pytest.raises(Crash):
            await bench.pipeline.run(version=made.version)
    version = await bench.catalog.version(made.version)
    assert version is not None
    return version


@pytest.mark.parametrize("is_served", [False, True])
async def test_a_publication_that_waited_for_a_newer_one_gives_way(
    ingestion: Bench, monkeypatch: pytest.MonkeyPatch, is_served: bool
) -> None:
    if is_served:
        await ingestion.ingest(ingestion.write("case.txt", "Old."))
    older = await ready(ingestion, "Newer.", monkeypatch)
    newest = await ready(ingestion, "Newest.", monkeypatch)
    document = older.document.document_id

    async def is_waiting() -> bool:
        ((waiting,),) = await ingestion.rows(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
        )
        return bool(waiting)

    async with ingestion.pool.connection() as connection:
        await connection.execute("SELECT FROM documents WHERE document_id = %s FOR UPDATE", [document])
        publication = asyncio.create_task(ingestion.publisher.publish(older))
        await ingestion.until(is_waiting)
        update = "UPDATE documents SET active_version = %s WHERE document_id = %s"
        await connection.execute(update, [newest.version_id, document])
    assert await publication is Outcome.OUTDATED
    assert await ingestion.active(document) == newest.version_id


async def test_publishing_happens_whole_or_not_at_all(ingestion: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    path = ingestion.write("case.txt", "Old.")
    first = await ingestion.ingest(path)
    path.write_text(TEXT)
    second = await ingestion.register(path)
    move = Publisher._move

    async def dying(self: Publisher, *arguments: Any) -> Outcome:
        await move(self, *arguments)
        raise Crash

    with monkeypatch.context() as patch:
        patch.setattr(Publisher, "_move", dying)
        with pytest.raises(Crash):
            await ingestion.pipeline.run(version=second.version)
    assert await ingestion.states(first.document) == ["PUBLISHED", "READY"]
    assert await ingestion.active(first.document) == first.version
    await ingestion.pipeline.run(version=second.version)
    assert await ingestion.states(first.document) == ["SUPERSEDED", "PUBLISHED"]


async def test_what_a_store_lost_is_indexed_again_not_published(ingestion: Bench) -> None:
    made = await ingestion.register(ingestion.write("case.txt", TEXT))
    publish = ingestion.publisher.publish

    async def losing(version: Version) -> Outcome:
        await ingestion.index.delete_version(version.version_id)
        return await publish(version)

    ingestion.publisher.publish = losing  # type: ignore[method-assign]  # the index folder is lost in between
    with pytest.raises(Incomplete, match="the full-text index has 0 of 2"):
        await ingestion.pipeline.run(version=made.version)
    assert await ingestion.active(made.document) is None
    ingestion.publisher.publish = publish  # type: ignore[method-assign]
    await ingestion.pipeline.run(version=made.version)
    assert await ingestion.states(made.document) == ["PUBLISHED"]


async def test_rows_that_are_missing_are_noticed_too(ingestion: Bench) -> None:
    made = await ingestion.ingest(ingestion.write("case.txt", TEXT))
    await ingestion.rows("UPDATE versions SET state = 'READY' RETURNING 1")
    await ingestion.rows("UPDATE documents SET active_version = NULL RETURNING 1")
    await ingestion.rows("DELETE FROM chunks WHERE ordinal = 1 RETURNING 1")
    version = await ingestion.catalog.version(made.version)
    assert version is not None
    with pytest.raises(Incomplete, match=r"the rows have \(1, 1\) of 2"):
        await ingestion.publisher.publish(version)


async def test_a_version_that_comes_late_does_not_replace_a_newer_one(ingestion: Bench) -> None:
    path = ingestion.write("case.txt", "Old.")
    late = await ingestion.register(path)
    path.write_text("New.")
    newer = await ingestion.ingest(path)
    path.write_text("Old.")
    await ingestion.pipeline.run(version=late.version)
    assert await ingestion.states(late.document) == ["SUPERSEDED", "PUBLISHED"]
    assert await ingestion.active(late.document) == newer.version
    assert await ingestion.chunk_texts() == [(newer.version, "New.")]


async def test_a_job_that_fails_for_good_ends_visibly(ingestion: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    async def full(*_: object) -> None:
        raise OSError("no space left on device")

    monkeypatch.setattr(ingestion.pipeline._objects, "put", full)
    made = await ingestion.register(ingestion.write("case.txt", TEXT))
    async with ingestion.working():
        await ingestion.until(lambda: shown(ingestion, State.FAILED))
    assert ingestion.progress.last.cause is Cause.INTERNAL
    assert await ingestion.states(made.document) == ["FAILED"]


async def shown(ingestion: Bench, state: State) -> bool:
    return bool(ingestion.progress.reports) and ingestion.progress.last.state is state


async def test_one_stuck_file_blocks_nobody(ingestion: Bench) -> None:
    stuck = await ingestion.register(ingestion.write("stuck.txt", "STUCK"))
    async with ingestion.working():
        await ingestion.parser.stuck.wait()
        others = [await ingestion.register(ingestion.write(f"{number}.txt", f"Text {number}.")) for number in range(3)]

        async def published() -> bool:
            return [await ingestion.active(made.document) for made in others] == [made.version for made in others]

        await ingestion.until(published)
        assert await ingestion.states(stuck.document) == ["FETCHED"]
        ingestion.parser.release.set()
        await ingestion.until(lambda: ingestion.active(stuck.document))


async def test_a_second_registration_of_the_same_event_is_none(ingestion: Bench) -> None:
    path = ingestion.write("case.txt", TEXT)
    await ingestion.register(path, keys=("Ev1", "T1/C1/1.0"))
    with pytest.raises(AssertionError):
        await ingestion.register(path, keys=("Ev2", "T1/C1/1.0"))
    assert await ingestion.rows("SELECT count(*) FROM versions") == [(1,)]
    await ingestion.register(path, keys=("Ev2",))
    assert await ingestion.rows("SELECT count(*) FROM versions") == [(2,)], "Ev2 had been taken back"


async def test_nothing_is_registered_when_its_job_cannot_be(ingestion: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    async def refuse(*_: object, **__: object) -> None:
        raise OSError("database gone")

    monkeypatch.setattr(ingestion.jobs, "enqueue", refuse)
    with pytest.raises(OSError, match="database gone"):
        await ingestion.register(ingestion.write("case.txt", TEXT), keys=("Ev1",))
    assert await ingestion.rows("SELECT (SELECT count(*) FROM documents), (SELECT count(*) FROM seen)") == [(0, 0)]


async def test_changed_rights_reach_the_index(ingestion: Bench) -> None:
    path = ingestion.write("case.txt", TEXT)
    made = await ingestion.ingest(path, Principal.channel(TEAM, "C1"))
    await ingestion.rows("DELETE FROM procrastinate_jobs RETURNING 1")
    calls = []
    set_principals = ingestion.index.set_principals

    async def noting(document: str, principals: list[str]) -> None:
        calls.append((document, principals))
        await set_principals(document, principals)

    ingestion.index.set_principals = noting  # type: ignore[method-assign,assignment]  # a look on the way
    async with ingestion.working():
        await ingestion.rights.set(made.document, [WORKSPACE])
        assert await ingestion.grants.of(made.document) == {WORKSPACE}
        await ingestion.until(lambda: asyncio.sleep(0, bool(calls)))
    assert calls == [(made.document, [str(WORKSPACE)])]


async def test_rights_that_change_at_once_are_all_counted(ingestion: Bench) -> None:
    made = await ingestion.ingest(ingestion.write("case.txt", TEXT), WORKSPACE)
    await ingestion.rights.set(made.document, [])
    places = [Principal.channel(TEAM, f"C{number}") for number in range(6)]

    async def share(place: Principal) -> None:
        async with ingestion.pool.connection() as connection:
            await ingestion.rights.widen(connection, made.document, [place])

    await asyncio.gather(*(share(place) for place in places))
    assert await ingestion.grants.of(made.document) == set(places)


async def test_a_deletion_and_a_change_of_rights_do_not_lock_each_other_out(ingestion: Bench) -> None:
    for number in range(5):
        made = await ingestion.ingest(ingestion.write(f"{number}.txt", f"Text {number}."))
        await asyncio.gather(
            ingestion.deletion.delete(made.document, by="U1"),
            *(ingestion.rights.set(made.document, [Principal.channel(TEAM, f"C{n}")]) for n in range(3)),
        )
        assert await ingestion.active(made.document) is None
        assert await ingestion.grants.of(made.document) == frozenset()
