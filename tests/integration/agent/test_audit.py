"""What the trail says of runs: who asked what run where, under which scope, on which evidence, and no word of it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from bot.audit.trail import AuditTrail
from handlers.model import Completion, RunEvent
from permissions.audit import Action, AuditEntry
from permissions.model import Principal
from tests import rows
from tests.integration.agent.world import CHANNEL, World, final_of

PLANTED = "zephyrquartz"


async def trail_of(world: World, action: str) -> list[dict[str, Any]]:
    entries = AuditTrail(pool=world.pool).entries(rows.TEAM)
    return [entry async for entry in entries if entry["action"] == action]


async def test_a_question_is_noted_once_with_its_scope_and_its_answer_with_the_evidence(world: World) -> None:
    await world.learn("doc_1", "The warranty runs five years.")
    final = final_of(await world.answer("How long does the warranty run?"))
    assert final.evidence is not None
    (question,) = await trail_of(world, "question")
    (evidence,) = await trail_of(world, "evidence")
    (answer,) = await trail_of(world, "answer")
    assert (question["actor"], question["run"], question["conversation"]) == ("U1", final.run_id, CHANNEL)
    assert str(Principal.channel(rows.TEAM, CHANNEL)) in question["details"]["principals"]
    assert answer["details"]["evidence"] == [item.evidence_id for item in final.evidence.evidence]
    assert answer["details"]["documents"] == ["doc_1"]
    assert evidence["details"] == {name: answer["details"][name] for name in evidence["details"]}
    assert answer["details"]["completion"] == "answered"
    assert answer["details"]["scope"] == question["details"]["scope"]


async def test_no_word_of_documents_titles_and_questions_is_in_the_trail(world: World) -> None:
    await world.learn(f"{PLANTED}-title", f"The {PLANTED} warranty runs five years.")
    final = final_of(await world.answer(f"How long does the {PLANTED} warranty run?"))
    assert PLANTED in final.text
    async with world.pool.connection() as connection:
        await connection.execute("UPDATE documents SET title = %s", (PLANTED,))
        await connection.execute("DELETE FROM grants")
    noted = [entry async for entry in AuditTrail(pool=world.pool).entries(rows.TEAM)]
    told = json.dumps([{**entry, "document": "", "details": _without_ids(entry)} for entry in noted], default=str)
    assert len(noted) >= 4
    assert PLANTED not in told


def _without_ids(entry: dict[str, Any]) -> dict[str, Any]:
    """The test's own ids of documents are its titles."""
    return {name: value for name, value in entry["details"].items() if name != "documents"}


async def test_a_scope_that_changes_under_way_is_noted_again(world: World) -> None:
    await world.learn("doc_1", "The warranty runs five years.")

    async def joins() -> None:
        world.search.after = None
        await rows.add_person(world.pool, "U3", is_guest=True)
        async with world.pool.connection() as connection:
            await connection.execute(
                "INSERT INTO memberships (team, conversation_id, user_id, confirmed_at) VALUES (%s, %s, 'U3', %s)",
                (rows.TEAM, CHANNEL, rows.NOW),
            )

    world.search.after = joins
    await world.answer("How long does the warranty run?")
    before, after = await trail_of(world, "question")
    (answer,) = await trail_of(world, "answer")
    assert str(Principal.workspace(rows.TEAM)) in set(before["details"]["principals"]) - set(
        after["details"]["principals"]
    )
    assert answer["details"]["scope"] == after["details"]["scope"]


async def test_a_run_without_an_answer_is_noted_too(world: World) -> None:
    run_id = await world.ask("How long does the warranty run?")
    assert await world.runs.cancel(run_id, by="U1")
    (answer,) = await trail_of(world, "answer")
    assert (answer["run"], answer["actor"], answer["details"]) == (run_id, "U1", {"completion": "cancelled"})


@pytest.mark.parametrize("action", [Action.QUESTION, Action.EVIDENCE])
async def test_not_a_word_is_shown_that_can_not_be_noted(
    world: World, monkeypatch: pytest.MonkeyPatch, action: Action
) -> None:
    await world.learn("doc_1", "The warranty runs five years.")
    note = AuditTrail.note

    async def fails(self: AuditTrail, entry: AuditEntry, *, connection: Any = None) -> None:
        if entry.action is action:
            raise OSError("no room on the disk")
        await note(self, entry, connection=connection)

    monkeypatch.setattr(AuditTrail, "note", fails)
    reply = await world.answer("How long does the warranty run?")
    assert "five years" not in str(reply.events)
    run = await world.records.find(rows.TEAM, CHANNEL, "1.1")
    assert run is not None
    assert run.completion is Completion.FAILED
    assert await world.column("answer", run.run_id) is None


async def test_a_question_of_the_command_line_is_the_operators_in_somebodys_name(world: World) -> None:
    async def nothing(_: RunEvent) -> None: ...

    await world.once.answer(team=rows.TEAM, asker="U1", conversation=None, text="How long?", emit=nothing)
    operators, asked = await trail_of(world, "question")
    assert (operators["actor"], operators["details"]) == ("command", {"as": "U1"})
    assert (asked["actor"], asked["run"]) == ("U1", operators["run"])
