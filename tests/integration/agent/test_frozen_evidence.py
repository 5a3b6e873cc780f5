"""Evidence is kept, and an answer saved, only while the scope may read all of it: each reason by itself."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.answers.records import EvidenceGone
from handlers.model import Final
from permissions.model import AccessScope, Principal
from tests import rows
from tests.integration.agent.world import CHANNEL, World, final_of

HERE = Principal.channel(rows.TEAM, CHANNEL)
OTHERS = Principal.channel(rows.TEAM, "C9")


async def answered(world: World) -> Final:
    await world.learn("case", "The warranty runs five years.", HERE)
    final = final_of(await world.answer("How long does the warranty run?"))
    assert final.evidence is not None
    async with world.pool.connection() as connection:
        await connection.execute("UPDATE runs SET state = 'running', answer = NULL")
    return final


async def refused(world: World, scope: AccessScope, final: Final) -> None:
    """Neither is kept, whichever is tried."""
    assert final.evidence is not None
    again = replace(final.evidence, evidence_set_id="again")
    with pytest.raises(EvidenceGone):
        await world.records.freeze(scope, again)
    with pytest.raises(EvidenceGone):
        await world.records.save(scope, final)
    assert await world.column("answer", final.run_id) is None


async def test_what_may_be_read_is_kept(world: World) -> None:
    final = await answered(world)
    await world.records.save(rows.scope_of(HERE), final)
    assert await world.column("answer", final.run_id) == final.text


async def closed(world: World) -> None:
    async with world.pool.connection() as connection:
        await rows.set_grants(connection, "case", [OTHERS])


async def test_what_the_scope_may_not_read_any_more_is_neither_frozen_nor_saved(world: World) -> None:
    final = await answered(world)
    await closed(world)
    await refused(world, rows.scope_of(HERE), final)


async def test_what_was_deleted_is_neither_frozen_nor_saved(world: World) -> None:
    final = await answered(world)
    await rows.mark_deleted(world.pool, "case")
    await refused(world, rows.scope_of(HERE), final)


async def test_what_was_superseded_is_neither_frozen_nor_saved(world: World) -> None:
    final = await answered(world)
    await rows.add_version(world.pool, "case", ["The warranty runs two years."], number=2)
    await refused(world, rows.scope_of(HERE), final)


async def test_another_workspace_freezes_nothing(world: World) -> None:
    final = await answered(world)
    await refused(world, rows.scope_of(HERE, team="T-OTHER"), final)
