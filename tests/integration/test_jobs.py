"""Jobs are neither lost nor stuck: rollbacks, kills, restarts, locks."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import textwrap
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing, asynccontextmanager
from pathlib import Path

import psycopg
import pytest
from psycopg_pool import AsyncConnectionPool

from bot import jobs as jobs_module
from bot.jobs import Jobs, WorkerDied
from bot.stores.migrations import migrate
from bot.stores.pool import ConnectionPool
from bot.stores.postgres import EmbeddedPostgres

STATUS = "SELECT task_name, status::text, attempts FROM procrastinate_jobs ORDER BY id"


@pytest.fixture
async def jobs(pool: AsyncConnectionPool) -> AsyncIterator[Jobs]:
    queue = Jobs(pool=pool)
    await queue.open()
    yield queue
    await queue.aclose()


@asynccontextmanager
async def working(jobs: Jobs) -> AsyncIterator[asyncio.Task[None]]:
    task = asyncio.create_task(jobs.work())
    try:
        yield task
    finally:
        task.cancel()
        await asyncio.wait([task])


async def enqueue(pool: AsyncConnectionPool, jobs: Jobs, name: str, **options: str) -> None:
    async with pool.connection() as connection:
        await jobs.enqueue(connection, name, **options)


async def statuses(pool: AsyncConnectionPool) -> list[tuple[str, str, int]]:
    async with pool.connection() as connection:
        return await (await connection.execute(STATUS)).fetchall()


class Recorder:
    """A job function that notes its calls and may wait or fail."""

    def __init__(self, behaviour: Callable[[int], Awaitable[None]] | None = None) -> None:
        self.calls: list[str] = []
        self.changed = asyncio.Condition()
        self._behaviour = behaviour

    async def __call__(self, *, item: str) -> None:
        async with self.changed:
            self.calls.append(item)
            self.changed.notify_all()
        if self._behaviour:
            await self._behaviour(len(self.calls))

    async def until(self, count: int) -> list[str]:
        async with asyncio.timeout(20), self.changed:
            await self.changed.wait_for(lambda: len(self.calls) >= count)
        return self.calls


async def until_settled(pool: AsyncConnectionPool, expected: list[tuple[str, str, int]]) -> None:
    async with asyncio.timeout(20):
        while await statuses(pool) != expected:  # noqa: ASYNC110 - another connection's commit has no event
            await asyncio.sleep(0.02)


async def test_a_job_exists_only_once_its_transaction_commits(pool: AsyncConnectionPool, jobs: Jobs) -> None:
    jobs.add("note", Recorder(), queue="questions")
    async with pool.connection() as connection:
        await jobs.enqueue(connection, "note", item="a")
        await connection.rollback()
    assert await statuses(pool) == []
    await enqueue(pool, jobs, "note", item="b")
    assert await statuses(pool) == [("note", "todo", 0)]


async def test_an_announced_job_starts_without_waiting_for_a_poll(
    pool: AsyncConnectionPool, jobs: Jobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs_module, "POLL_SECONDS", 3600)
    recorder = Recorder()
    jobs.add("note", recorder, queue="questions")
    async with working(jobs):
        await enqueue(pool, jobs, "note", item="first")
        await recorder.until(1)
        await until_settled(pool, [])
        await enqueue(pool, jobs, "note", item="second")
        assert await recorder.until(2) == ["first", "second"]


async def test_a_waiting_job_with_the_same_queueing_lock_is_enough(pool: AsyncConnectionPool, jobs: Jobs) -> None:
    jobs.add("note", Recorder(), queue="ingest")
    async with pool.connection() as connection:
        await jobs.enqueue(connection, "note", queueing_lock="sweep", item="a")
        await jobs.enqueue(connection, "note", queueing_lock="sweep", item="b")
        await jobs.enqueue(connection, "note", item="c")
    assert len(await statuses(pool)) == 2


async def test_a_waiting_job_starts_after_all_that_it_was_enough_for(pool: AsyncConnectionPool, jobs: Jobs) -> None:
    """Or it would look before they have committed what it was to look at, and nobody would look again."""
    recorder = Recorder()
    jobs.add("note", recorder, queue="ingest")
    await enqueue(pool, jobs, "note", queueing_lock="sweep", item="first")
    async with pool.connection() as connection:
        await jobs.enqueue(connection, "note", queueing_lock="sweep", item="again")
        async with working(jobs):
            await enqueue(pool, jobs, "note", item="later")
            assert await recorder.until(1) == ["later"]
            await connection.commit()
            assert await recorder.until(2) == ["later", "first"]


async def test_one_stuck_document_blocks_only_itself(pool: AsyncConnectionPool, jobs: Jobs) -> None:
    never = asyncio.Event()

    async def behaviour(call: int) -> None:
        if call == 1:
            await never.wait()

    recorder = Recorder(behaviour)
    jobs.add("ingest", recorder, queue="ingest")
    async with working(jobs):
        await enqueue(pool, jobs, "ingest", lock="A", item="stuck")
        await recorder.until(1)
        await enqueue(pool, jobs, "ingest", lock="A", item="behind it")
        await enqueue(pool, jobs, "ingest", lock="B", item="other 1")
        await enqueue(pool, jobs, "ingest", lock="C", item="other 2")
        assert await recorder.until(3) == ["stuck", "other 1", "other 2"]
        never.set()
        assert await recorder.until(4) == ["stuck", "other 1", "other 2", "behind it"]


async def test_a_failing_job_is_tried_again_then_given_up_with_a_word(
    pool: AsyncConnectionPool, jobs: Jobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def behaviour(_: int) -> None:
        raise OSError("no space")

    recorder, gave_up = Recorder(behaviour), Recorder()
    jobs.add("ingest", recorder, queue="ingest", retries=1, gave_up=gave_up)
    async with working(jobs):
        await enqueue(pool, jobs, "ingest", item="x")
        await gave_up.until(1)
        await until_settled(pool, [("ingest", "failed", 2)])
    assert recorder.calls == ["x", "x"]
    assert gave_up.calls == ["x"]


async def test_a_job_cancelled_from_inside_has_failed(pool: AsyncConnectionPool, jobs: Jobs) -> None:
    async def behaviour(_: int) -> None:
        raise asyncio.CancelledError

    recorder, gave_up = Recorder(behaviour), Recorder()
    jobs.add("answer", recorder, queue="questions", gave_up=gave_up)
    async with working(jobs):
        await enqueue(pool, jobs, "answer", item="x")
        await gave_up.until(1)
        await until_settled(pool, [("answer", "failed", 1)])
    assert recorder.calls == ["x"]


async def test_a_graceful_stop_leaves_the_job_for_the_next_start(
    pool: AsyncConnectionPool, jobs: Jobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs_module, "GRACE_SECONDS", 0.0)
    never = asyncio.Event()

    async def behaviour(call: int) -> None:
        if call == 1:
            await never.wait()

    recorder = Recorder(behaviour)
    jobs.add("answer", recorder, queue="questions")
    async with working(jobs):
        await enqueue(pool, jobs, "answer", item="x")
        await recorder.until(1)
    assert await statuses(pool) == [("answer", "todo", 1)]
    async with working(jobs):
        await recorder.until(2)
        await until_settled(pool, [])


WORKER = """
    import asyncio, sys
    from psycopg_pool import AsyncConnectionPool
    from bot.jobs import Jobs

    async def hang(item: str) -> None:
        print("started", item, flush=True)
        await asyncio.Event().wait()

    async def main() -> None:
        async with AsyncConnectionPool(sys.argv[1], open=False) as pool:
            jobs = Jobs(pool=pool)
            jobs.add("ingest", hang, queue="ingest")
            await jobs.open()
            await jobs.work()

    asyncio.run(main())
"""


async def killed_worker(database_url: str) -> None:
    """Let a worker process take a job, then kill it."""
    worker = await asyncio.create_subprocess_exec(
        sys.executable, "-c", textwrap.dedent(WORKER), database_url, stdout=asyncio.subprocess.PIPE
    )
    assert worker.stdout is not None
    assert (await worker.stdout.readline()).startswith(b"started")
    worker.kill()
    await worker.wait()


async def test_a_job_of_a_killed_process_is_taken_up_at_the_start(
    pool: AsyncConnectionPool, jobs: Jobs, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs_module, "SWEEP_SECONDS", 3600)
    recorder = Recorder()
    jobs.add("ingest", recorder, queue="ingest")
    await enqueue(pool, jobs, "ingest", lock="A", item="x")
    await enqueue(pool, jobs, "ingest", lock="A", item="behind it")
    await killed_worker(database_url)
    assert [status for _, status, _ in await statuses(pool)] == ["doing", "todo"]
    async with working(jobs):
        assert await recorder.until(2) == ["x", "behind it"]
        await until_settled(pool, [])


async def test_a_job_that_kills_its_process_every_time_is_given_up(pool: AsyncConnectionPool, jobs: Jobs) -> None:
    recorder, gave_up = Recorder(), Recorder()
    jobs.add("ingest", recorder, queue="ingest", gave_up=gave_up)
    await enqueue(pool, jobs, "ingest", item="poison")
    async with pool.connection() as connection:
        await connection.execute("UPDATE procrastinate_jobs SET status = 'doing', attempts = 5")
    async with working(jobs):
        await gave_up.until(1)
        await until_settled(pool, [("ingest", "failed", 6)])
    assert recorder.calls == []


async def test_a_stalled_job_whose_twin_waits_is_not_run_twice(pool: AsyncConnectionPool, jobs: Jobs) -> None:
    recorder = Recorder()
    jobs.add("grants", recorder, queue="ingest")
    await enqueue(pool, jobs, "grants", queueing_lock="D", item="first")
    async with pool.connection() as connection:
        await connection.execute("UPDATE procrastinate_jobs SET status = 'doing'")
    await enqueue(pool, jobs, "grants", queueing_lock="D", item="second")
    async with working(jobs):
        await until_settled(pool, [("grants", "aborted", 1)])
    assert recorder.calls == ["second"]


async def test_a_job_whose_end_was_lost_is_swept_up(
    pool: AsyncConnectionPool, jobs: Jobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs_module, "SWEEP_SECONDS", 0.1)
    recorder = Recorder()
    jobs.add("note", recorder, queue="questions")
    async with working(jobs):
        async with pool.connection() as connection:
            await jobs.enqueue(connection, "note", item="x")
            await connection.execute("UPDATE procrastinate_jobs SET status = 'doing'")
        assert await recorder.until(1) == ["x"]
        await until_settled(pool, [])


@pytest.fixture
async def own_server(short_folder: Path) -> AsyncIterator[EmbeddedPostgres]:
    """A server of the test's own, brought back when it dies."""
    server = EmbeddedPostgres(short_folder / "own", durable=False)
    async with aclosing(server):
        await server.open()
        await migrate(server.dsn())
        watcher = asyncio.create_task(server.watch())
        yield server
        assert not watcher.done(), watcher.exception()
        watcher.cancel()


async def test_workers_go_on_after_the_database_was_killed(own_server: EmbeddedPostgres) -> None:
    async with ConnectionPool(own_server.dsn(), min_size=1, max_size=6) as pool:
        jobs = Jobs(pool=pool)
        recorder = Recorder()
        jobs.add("note", recorder, queue="questions")
        await jobs.open()
        async with working(jobs) as task:
            await enqueue(pool, jobs, "note", item="before")
            await recorder.until(1)
            first = own_server.pid
            assert first is not None
            os.kill(first, signal.SIGKILL)
            async with asyncio.timeout(60):
                while own_server.pid == first:  # noqa: ASYNC110 - nobody announces the new server
                    await asyncio.sleep(0.05)
            await enqueue(pool, jobs, "note", item="after")
            assert await recorder.until(2) == ["before", "after"]
            assert not task.done()


async def test_a_database_killed_under_load_loses_no_job(own_server: EmbeddedPostgres) -> None:
    async with ConnectionPool(own_server.dsn(), min_size=1, max_size=8) as pool:
        jobs = Jobs(pool=pool)
        halfway = asyncio.Event()

        async def note(*, item: str) -> None:
            async with pool.connection() as connection:
                await connection.execute("INSERT INTO seen (key) VALUES (%s) ON CONFLICT DO NOTHING", [item])
            if item == "30":
                halfway.set()

        jobs.add("note", note, queue="questions", retries=5)
        await jobs.open()
        async with pool.connection() as connection:
            for number in range(60):
                await jobs.enqueue(connection, "note", item=str(number))
        async with working(jobs):
            await halfway.wait()
            assert own_server.pid is not None
            os.kill(own_server.pid, signal.SIGKILL)
            async with asyncio.timeout(100):
                while await left(pool):  # noqa: ASYNC110 - another connection's commit has no event
                    await asyncio.sleep(0.1)
            async with pool.connection() as connection:
                done = await (await connection.execute("SELECT count(*) FROM seen")).fetchone()
        assert done == (60,)


async def left(pool: AsyncConnectionPool) -> bool:
    """Whether jobs are left, as far as the database can be asked."""
    try:
        return bool(await statuses(pool))
    except psycopg.OperationalError:
        return True


async def test_workers_stop_whenever_they_are_told(pool: AsyncConnectionPool, jobs: Jobs) -> None:
    """Also while they wait for a connection: others use all there are."""
    over = asyncio.Event()

    async def others() -> None:
        while not over.is_set():
            await statuses(pool)

    busy = [asyncio.create_task(others()) for _ in range(10)]
    for steps in range(60):
        task = asyncio.create_task(jobs.work())
        for _ in range(steps * 3):
            await asyncio.sleep(0)
        task.cancel()
        done, _ = await asyncio.wait([task], timeout=20)
        assert done, f"still working after {steps} steps"
    over.set()
    await asyncio.wait(busy)


async def test_a_worker_that_ends_by_itself_stops_the_process(jobs: Jobs, monkeypatch: pytest.MonkeyPatch) -> None:
    async def ends(**_: object) -> None:
        return None

    monkeypatch.setattr(jobs._app, "run_worker_async", ends)
    with pytest.raises(ExceptionGroup) as raised:
        await jobs.work()
    assert raised.group_contains(WorkerDied, match="questions")


async def test_two_bots_in_one_process_work_their_own_jobs_alone(pool: AsyncConnectionPool, jobs: Jobs) -> None:
    """Same names, same locks, one queue: a job runs where it was asked for."""
    recorders = {mark: Recorder() for mark in ("T1", "T2")}
    for mark, recorder in recorders.items():
        jobs.apart(mark).add("note", recorder, queue="upkeep")
    for mark in recorders:
        await enqueue(pool, jobs.apart(mark), "note", queueing_lock="one", item=f"of {mark}")
    async with working(jobs):
        for mark, recorder in recorders.items():
            assert await recorder.until(1) == [f"of {mark}"]
