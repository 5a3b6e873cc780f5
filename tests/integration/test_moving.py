"""What names a conversation follows it to its new id, in its own workspace alone, and twice is as good as once."""

from __future__ import annotations

from datetime import timedelta

from psycopg_pool import AsyncConnectionPool

from bot.answers.living import Living
from bot.audit.trail import AuditTrail
from bot.jobs import Jobs
from bot.moving import Moving
from bot.notices import NOTICE_JOB, UploadNotices
from permissions.adapters.coverage import PgCoverage
from permissions.scopes import ScopeBuilder
from tests.rows import NOW

ROWS = """
INSERT INTO documents (document_id, team, source, source_id, title, created_by)
VALUES ('d1', 'T1', 'slack', 'F1', 'd', 'U1'), ('d2', 'T2', 'slack', 'F1', 'd', 'U1');
INSERT INTO versions (version_id, document_id, number, state, reply)
VALUES ('v1', 'd1', 1, 'READY', '{"team": "T1", "conversation": "C1"}'),
       ('v2', 'd2', 1, 'READY', '{"team": "T2", "conversation": "C1"}'),
       ('v3', 'd1', 2, 'READY', '{}');
INSERT INTO file_shares (team, file_id, conversation_id, ts)
VALUES ('T1', 'F1', 'C1', '1.0'), ('T1', 'F1', 'C9', '1.0'), ('T1', 'F1', 'C1', '2.0'), ('T2', 'F1', 'C1', '1.0');
INSERT INTO runs (run_id, team, conversation, kind, message_ts, asker, question, state)
VALUES ('r1', 'T1', 'C1', 'private', '1.0', 'U1', '?', 'ended'),
       ('r2', 'T2', 'C1', 'private', '1.0', 'U1', '?', 'ended');
INSERT INTO posts (run_id, ordinal, conversation, content) VALUES ('r1', 1, 'C1', '{}'), ('r2', 1, 'C1', '{}');
"""
NAMED = """
SELECT version_id || ' ' || coalesce(reply ->> 'conversation', '-') FROM versions
UNION ALL SELECT team || ' ' || conversation_id || ' ' || ts FROM file_shares
UNION ALL SELECT run_id || ' ' || conversation FROM runs
UNION ALL SELECT 'post of ' || run_id || ' ' || conversation FROM posts
ORDER BY 1
"""


async def test_everything_follows(pool: AsyncConnectionPool) -> None:
    async with pool.connection() as connection:
        for statement in ROWS.split(";\n")[:-1]:
            await connection.execute(statement.encode())
    jobs = Jobs(pool=pool)
    scopes = ScopeBuilder(coverage=PgCoverage(pool=pool), clock=lambda: NOW, max_age=timedelta(days=1))
    living = Living(pool=pool, jobs=jobs, scopes=scopes, audit=AuditTrail(pool=pool))
    notices = UploadNotices(pool=pool, jobs=jobs, answers=living)
    jobs.add(NOTICE_JOB, notices.take_back, queue="notices")
    moving = Moving(pool=pool, notices=notices)
    for _ in range(2):
        await moving.follow("T1", "C1", "C9")
    async with pool.connection() as connection:
        rows = await (await connection.execute(NAMED)).fetchall()
    assert [name for (name,) in rows] == [
        "T1 C9 1.0",
        "T1 C9 2.0",
        "T2 C1 1.0",
        "post of r1 C9",
        "post of r2 C1",
        "r1 C9",
        "r2 C1",
        "v1 C9",
        "v2 C1",
        "v3 -",
    ]
