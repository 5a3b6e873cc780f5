"""Guests and people of other workspaces ask only where the settings let them, and are told so."""

from __future__ import annotations

import pytest

from bot.audit.trail import AuditTrail
from handlers.model import Completion, Status
from permissions.model import ConversationKind
from tests import rows
from tests.integration.agent.world import CHANNEL, World, final_of

QUESTION = "How long does the warranty run?"


async def arrive(world: World, user: str, *, home_team: str = rows.TEAM) -> None:
    async with world.pool.connection() as connection:
        await connection.execute(
            "INSERT INTO people (team, user_id, home_team, is_guest, confirmed_at) VALUES (%s, %s, %s, %s, %s)",
            (rows.TEAM, user, home_team, home_team == rows.TEAM, rows.NOW),
        )
        await connection.execute(
            "INSERT INTO memberships (team, conversation_id, user_id, confirmed_at) VALUES (%s, %s, %s, %s)",
            (rows.TEAM, CHANNEL, user, rows.NOW),
        )


async def test_a_guest_asks_in_their_channel_and_not_in_a_direct_message(world: World) -> None:
    await arrive(world, "U9")
    await world.learn("doc_1", "The warranty runs five years.")
    asked = await world.answer(QUESTION, asker="U9")
    assert final_of(asked).completion is Completion.ANSWERED
    refused = await world.answer(QUESTION, ts="1.2", asker="U9", kind=ConversationKind.DM)
    final = final_of(refused)
    assert final.completion is Completion.REFUSED
    assert "not in direct messages" in final.text
    assert "five years" not in str(refused.events)
    assert not any(isinstance(event, Status) for event in refused.events)
    assert await world.column("completion", final.run_id) == "refused"


@pytest.mark.parametrize(("question", "said"), [(QUESTION, "other workspaces can't ask"), ("保修几年？", "其他工作区")])
async def test_somebody_of_another_workspace_is_told_why_in_their_language(
    world: World, question: str, said: str
) -> None:
    await arrive(world, "U8", home_team="T2")
    await world.learn("doc_1", "The warranty runs five years.")
    assert said in final_of(await world.answer(question, asker="U8")).text
    entries = [entry async for entry in AuditTrail(pool=world.pool).entries(rows.TEAM)]
    (refusal,) = [entry for entry in entries if entry["action"] == "refusal"]
    assert (refusal["actor"], refusal["conversation"]) == ("U8", CHANNEL)
    assert refusal["details"] == {"what": "question", "reason": "outsider_nowhere"}
    assert not any(entry["action"] == "question" for entry in entries)
