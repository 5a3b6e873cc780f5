"""Work that survives a crash: jobs enqueued in the caller's transaction, worked in this process (procrastinate)."""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import structlog
from procrastinate import App, BaseRetryStrategy, JobContext, RetryDecision
from procrastinate.exceptions import AlreadyEnqueued, UniqueViolation
from procrastinate.jobs import Job, Status
from psycopg import AsyncConnection
from psycopg_pool import AsyncConnectionPool

from bot.stores.job_connector import PatientConnector

log = structlog.get_logger()

JobFunction = Callable[..., Awaitable[None]]

CONCURRENCY = {
    "questions": 20,
    "ingest": 2,
    "long": 1,
    "upkeep": 2,
    "places": 2,
    "standing": 4,
    "doubts": 20,
    "withdrawals": 20,
    "marks": 4,
    "notices": 2,
}
"""Jobs of a queue that run at the same time. Parsing is bounded by its own processes; questions mostly wait.

Long texts are indexed beside the short ones, so that nobody's page waits for hours behind somebody's book. What only
tells people something waits for Slack, and nothing else waits for it.

Rights and deletions are upkeep: they never wait behind files that are slow to read, nor for Slack, which is asked for
places. What they mean for answers that were given is decided apart from showing it, which waits for its turn at Slack.
"""

POLL_SECONDS = 0.2
"""New jobs are announced by NOTIFY. The poll catches an announcement that arrives while a worker is looking, jobs whose
lock becomes free, and retries that come due."""

SWEEP_SECONDS = 5.0
GRACE_SECONDS = 5.0
"""What running jobs get to finish in when the process stops; then they are cancelled and wait for the next start."""

RESCUES_ALLOWED = 5
"""A job that takes its process down again and again is given up after this many attempts beyond its retries."""

HEARTBEATS_NEVER_STALE = 10.0 * 365 * 86_400


# Workers pass a job over while its row is held: it starts after the caller's transaction has ended, and sees what that
# wrote. Several callers hold it at once.
_HOLD_WAITING = """
SELECT FROM procrastinate_jobs WHERE queueing_lock = %(queueing_lock)s AND status = 'todo' FOR KEY SHARE
"""


class WorkerDied(Exception):
    """A worker ended though nobody stopped it; the process must not go on as if it worked."""


class JobCancelled(Exception):
    """A job's function ended as cancelled though its worker was not stopped."""


@dataclass(frozen=True, slots=True)
class Task:
    """What runs under a name. ``gave_up`` is called with a job's arguments when it has failed for good."""

    function: JobFunction
    queue: str
    retries: int
    gave_up: JobFunction | None

    def is_last(self, attempts: int) -> bool:
        return attempts >= self.retries


class Backoff(BaseRetryStrategy):
    """1, 2, 4 … 60 seconds between attempts; a job cancelled by a stop is always taken up again."""

    def __init__(self, task: Task) -> None:
        self._task = task

    def get_retry_decision(self, *, exception: BaseException, job: Job) -> RetryDecision | None:
        if isinstance(exception, asyncio.CancelledError):
            return RetryDecision(retry_at=_now())
        if self._task.is_last(job.attempts):
            return None
        return RetryDecision(retry_at=_now() + timedelta(seconds=min(60, 2**job.attempts)))


class Jobs:
    """The job queue. This process is its only worker: a job that is marked as running, but not by us, is stalled.

    Arguments of jobs are ids: they are written to the log. A function may be called again for a job that had run to
    its end (the process was killed before that was noted), so it must be idempotent.
    """

    def __init__(self, *, pool: AsyncConnectionPool) -> None:
        self._pool = pool
        self._app = App(connector=PatientConnector())
        self._tasks: dict[str, Task] = {}
        self._running: set[int] = set()
        self._mark = ""

    def apart(self, mark: str) -> Jobs:
        """The same queue for one more bot in this process: names and locks of its jobs carry ``mark``."""
        other = copy.copy(self)
        other._mark = f"@{mark}"  # noqa: SLF001 - one of us
        return other

    def add(
        self, name: str, function: JobFunction, *, queue: str, retries: int = 0, gave_up: JobFunction | None = None
    ) -> None:
        """Register ``function`` as what jobs called ``name`` run. ``queue`` is a key of CONCURRENCY."""
        if queue not in CONCURRENCY:
            raise ValueError(f"there is no queue {queue!r}")
        name += self._mark
        task = self._tasks[name] = Task(function, queue, retries, gave_up)

        async def run(context: JobContext, /, **arguments: Any) -> None:
            await self._run(task, context, arguments)

        self._app.task(name=name, queue=queue, retry=Backoff(task), pass_context=True)(run)

    async def enqueue(
        self,
        connection: AsyncConnection[Any],
        name: str,
        *,
        lock: str | None = None,
        queueing_lock: str | None = None,
        **arguments: Any,
    ) -> None:
        """Add a job in the caller's transaction: it exists once that commits.

        Jobs of one ``lock`` run one after the other. While a job with the same ``queueing_lock`` waits, nothing is
        added; that job starts after the transaction.
        """
        only_one = queueing_lock and queueing_lock + self._mark
        deferrer = self._app.tasks[name + self._mark].configure(
            connection=connection, lock=lock and lock + self._mark, queueing_lock=only_one
        )
        # The refusal of a queueing lock must not end the caller's transaction, so it happens in a savepoint. Were
        # nothing begun yet, psycopg would make a whole transaction of it and commit: begin first.
        await connection.execute("SELECT 1")
        is_waiting = False
        while not is_waiting:
            try:
                async with connection.transaction():
                    await deferrer.defer_async(**arguments)
                is_waiting = True
            except AlreadyEnqueued:
                # None is held when it was taken up between the two statements.
                is_waiting = (await connection.execute(_HOLD_WAITING, {"queueing_lock": only_one})).rowcount > 0
                log.debug("job_already_waiting", name=name, queueing_lock=queueing_lock)

    async def open(self) -> None:
        """Make ready to enqueue."""
        await self._app.open_async(self._pool)

    async def aclose(self) -> None:
        """The pool belongs to the caller; nothing else is held."""
        await self._app.close_async()

    async def work(self) -> None:
        """Run the workers of all queues until cancelled; what a killed process left unfinished is taken up first.

        Raises WorkerDied (in an ExceptionGroup) when a worker ends by itself.
        """
        await self._app.job_manager.prune_stalled_workers(0)
        await self._rescue({job.id for job in await self._doing()})
        async with asyncio.TaskGroup() as group:
            for queue, concurrency in CONCURRENCY.items():
                group.create_task(self._work(queue, concurrency), name=f"jobs-{queue}")
            group.create_task(self._sweep(), name="jobs-sweep")

    async def _work(self, queue: str, concurrency: int) -> None:
        await self._app.run_worker_async(
            queues=[queue],
            name=queue,
            concurrency=concurrency,
            fetch_job_polling_interval=POLL_SECONDS,
            shutdown_graceful_timeout=GRACE_SECONDS,
            delete_jobs="successful",
            install_signal_handlers=False,
            stalled_worker_timeout=HEARTBEATS_NEVER_STALE,
        )
        raise WorkerDied(f"the worker of the queue {queue!r} ended")

    async def _run(self, task: Task, context: JobContext, arguments: dict[str, Any]) -> None:
        job = context.job
        assert job.id is not None  # noqa: S101 - a fetched job has its id
        self._running.add(job.id)
        try:
            await _uncancelled(task.function(**arguments), context)
        except Exception:
            if task.gave_up and task.is_last(job.attempts):
                await task.gave_up(**arguments)
            raise
        finally:
            self._running.discard(job.id)

    async def _sweep(self) -> None:
        """Find jobs that stay marked as running though they do not: their end, or their start, was lost on its way.

        Seen twice in a row, because a job is marked a moment before it runs and unmarked a moment after.
        """
        suspects: set[int | None] = set()
        while True:
            await asyncio.sleep(SWEEP_SECONDS)
            stalled = {job.id for job in await self._doing()} - self._running
            await self._rescue(stalled & suspects)
            suspects = stalled

    async def _doing(self) -> list[Job]:
        return list(await self._app.job_manager.list_jobs_async(status=Status.DOING.value))

    async def _rescue(self, ids: set[int | None]) -> None:
        for job in await self._doing():
            if job.id in ids:
                await self._take_up(job)

    async def _take_up(self, job: Job) -> None:
        """Put a stalled job back into its queue, or give it up when that has happened too often."""
        manager = self._app.job_manager
        task = self._tasks.get(job.task_name)
        if task is None or task.is_last(job.attempts - RESCUES_ALLOWED):
            log.error("job_given_up", job=job.id, name=job.task_name, attempts=job.attempts)
            if task and task.gave_up:
                await task.gave_up(**job.task_kwargs)
            await manager.finish_job(job, Status.FAILED, delete_job=False)
            return
        log.warning("job_taken_up_again", job=job.id, name=job.task_name, attempts=job.attempts)
        try:
            await manager.retry_job(job, retry_at=_now())
        except UniqueViolation:
            # Another job with its queueing lock waits already and will do the same work.
            await manager.finish_job(job, Status.ABORTED, delete_job=False)


async def _uncancelled(work: Awaitable[None], context: JobContext) -> None:
    """Only a stop of the worker cancels a job; a function cancelled from elsewhere has failed like any other."""
    try:
        await work
    except asyncio.CancelledError as error:
        if context.abort_reason() is None:
            raise JobCancelled(f"{context.job.task_name} was cancelled from inside") from error
        raise


def _now() -> datetime:
    return datetime.now(UTC)
