"""A first load at Slack's tiers, small; ``python -m tests.benchmarks sweep`` takes a large company."""

from __future__ import annotations

from psycopg_pool import AsyncConnectionPool

from tests.benchmarks.bench_sweep import sweep
from tests.benchmarks.figures import percentile


async def test_a_first_load_trips_no_limit_and_keeps_no_question_waiting(pool: AsyncConnectionPool) -> None:
    """More calls than a minute allows, of every method, with a question every five seconds."""
    found = await sweep(pool, people=120, channels=60, memberships=8, page_cap=5)
    assert found.limited == 0
    assert found.calls["conversations.members"] > 100
    assert found.calls["users.list"] > 20
    assert len(found.waits) > 10
    assert percentile(found.waits, 0.95) < 5
    async with pool.connection() as connection:
        rows = await (await connection.execute("SELECT count(*) FROM memberships")).fetchall()
    assert rows == [(120 * 9 + 61,)]
