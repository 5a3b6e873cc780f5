"""Rows of rights are locked in one order: news of one conversation told at once never wait in a circle."""

from __future__ import annotations

import asyncio
from datetime import datetime, timedelta

from psycopg_pool import AsyncConnectionPool

from permissions.adapters.postgres import PgDirectory
from permissions.model import Conversation, ConversationKind

T0 = datetime.fromisoformat("2026-11-30T12:00:00+00:00")
MEMBERS = [f"U{number}" for number in range(40)]


async def test_leaving_and_listing_one_conversation_at_once(pool: AsyncConnectionPool) -> None:
    directory = PgDirectory(pool=pool, clock=lambda: T0)
    await directory.put_conversation(Conversation("T1", "C1", ConversationKind.PRIVATE), as_of=T0)
    for round_ in range(8):
        at = T0 + timedelta(seconds=round_)
        await directory.replace_members("T1", "C1", MEMBERS, as_of=at)
        await asyncio.gather(
            directory.forget_members("T1", "C1"),
            *(directory.add_member("T1", "C1", user, event_at=at) for user in MEMBERS[:3]),
            directory.replace_members("T1", "C1", MEMBERS, as_of=at),
            directory.forget_members("T1", "C1"),
        )
