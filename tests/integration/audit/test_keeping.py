"""The trail over time: its retention as a job, what the settings say of roles, and its export."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
import pytest
from psycopg_pool import AsyncConnectionPool

from bot.audit.export import export
from bot.audit.retention import AGAIN_SECONDS, EVERY_SECONDS, RETENTION_JOB, Retention
from bot.audit.settings import note_role_settings
from bot.audit.trail import AuditTrail
from bot.config import RoleSettings
from permissions.audit import Action, AuditEntry
from permissions.roles import Role
from tests import rows


async def everything(pool: AsyncConnectionPool) -> list[dict[str, Any]]:
    return [entry async for entry in AuditTrail(pool=pool).entries(rows.TEAM)]


class JobNames:
    """``ingest.ports.Jobs`` that notes what is enqueued; the first ``failures`` find no database."""

    def __init__(self, failures: int = 0) -> None:
        self.names: list[str] = []
        self.failures = failures

    async def enqueue(self, connection: Any, name: str, **_: Any) -> None:
        if self.failures:
            self.failures -= 1
            raise psycopg.OperationalError
        self.names.append(name)


async def test_the_job_keeps_as_many_days_as_the_setting_says(pool: AsyncConnectionPool) -> None:
    now = datetime.now(UTC)
    async with pool.connection() as connection:
        for days in (9, 11):
            await connection.execute(
                "INSERT INTO audit (team, action, actor, noted_at) VALUES (%s, 'click', %s, %s)",
                (rows.TEAM, str(days), now - timedelta(days=days)),
            )
    trail = AuditTrail(pool=pool)
    await Retention(trail=trail, pool=pool, jobs=JobNames(), clock=lambda: now, days=10).run()
    assert [entry["actor"] for entry in await everything(pool)] == ["9", "retention"]


async def test_the_job_is_asked_for_every_day_also_when_the_database_is_away_for_a_while(
    pool: AsyncConnectionPool,
) -> None:
    jobs, slept = JobNames(failures=1), list[float]()

    async def sleep(seconds: float) -> None:
        slept.append(seconds)
        if len(slept) == 3:
            raise asyncio.CancelledError

    retention = Retention(trail=AuditTrail(pool=pool), pool=pool, jobs=jobs, clock=lambda: datetime.now(UTC), days=1)
    with pytest.raises(asyncio.CancelledError):
        await retention.keep(sleep=sleep)
    assert slept == [AGAIN_SECONDS, EVERY_SECONDS, EVERY_SECONDS]
    assert jobs.names == [RETENTION_JOB, RETENTION_JOB]


async def test_the_settings_of_roles_are_noted_when_they_have_changed(pool: AsyncConnectionPool) -> None:
    trail, before = AuditTrail(pool=pool), RoleSettings()
    after = RoleSettings(administrators=("U012AB3CD",), members=Role.READER)
    noted = [await note_role_settings(pool, trail, rows.TEAM, one) for one in (before, before, after, after, before)]
    assert noted == [True, False, True, False, True]
    entries = await everything(pool)
    assert [entry["action"] for entry in entries] == ["role"] * 3
    assert entries[1]["details"]["administrators"] == ["U012AB3CD"]
    assert entries[1]["details"]["members"] == "reader"


async def test_an_export_is_json_lines_and_on_the_trail_itself(pool: AsyncConnectionPool) -> None:
    trail = AuditTrail(pool=pool)
    await trail.note(AuditEntry(action=Action.CLICK, team=rows.TEAM, actor="U1", details={"what": "retry_run"}))
    lines = [json.loads(line) async for line in export(trail, rows.TEAM, actor="U7")]
    assert [(line["action"], line["actor"]) for line in lines] == [("click", "U1"), ("export", "U7")]
    assert datetime.fromisoformat(lines[0]["at"]).tzinfo is not None
    assert set(lines[0]) == {"entry", "at", "action", "actor", "run", "conversation", "document", "details"}
