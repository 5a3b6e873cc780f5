"""Announcing and reading tell at the same time: one message, whose last word stays."""

from __future__ import annotations

import asyncio
import time
from dataclasses import asdict
from typing import Any

from psycopg_pool import AsyncConnectionPool

from bot.uploads import UploadProgress
from handlers.model import UploadPlace
from handlers.pace import EditBudget
from handlers.upload_reply import UploadReplies
from ingest.model import IngestReport, State
from tests.unit.handlers.slack_double import FakeSlack

PLACE = UploadPlace("T1", "C1", "1.0", language="en")


def report(state: State, **changes: Any) -> IngestReport:
    values: dict[str, Any] = {"version_id": "v1", "document": "d1", "team": "T1", "title": "page.txt", "state": state}
    return IngestReport(**values | {"reply": asdict(PLACE)} | changes)


class Standing:
    """Notices that are never taken back."""

    async def shown(self, document: str) -> None: ...

    async def delete(self, conversation: str, ts: str) -> bool:
        return True


class SlowSlack(FakeSlack):
    """Posting takes a turn of the event loop, in which others go on."""

    async def post(self, *arguments: Any, **options: Any) -> str:
        await asyncio.sleep(0)
        return await super().post(*arguments, **options)


async def test_who_tells_first_posts_and_the_others_edit(pool: AsyncConnectionPool) -> None:
    slack = SlowSlack()
    replies = UploadReplies(messages=slack, budget=EditBudget(clock=time.monotonic), sleep=asyncio.sleep)
    progress = UploadProgress(pool=pool, replies=replies, notices=Standing())
    await asyncio.gather(*(progress.show(report(State.REGISTERED)) for _ in range(3)))
    await progress.show(report(State.PUBLISHED))
    await progress.show(report(State.REGISTERED))
    await replies.aclose()
    (message,) = slack.shown.values()
    assert "is ready" in message.text
