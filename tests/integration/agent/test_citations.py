"""Opening a citation: today's rights, the surroundings, and refusals that say nothing."""

from __future__ import annotations

from datetime import timedelta

import pytest
from psycopg_pool import AsyncConnectionPool

from bot.answers.citations import CitationOpener, Originals, _between
from handlers.model import CitationRefused, CitationView, RefusalReason
from handlers.ports import Citations
from permissions.adapters.coverage import PgCoverage
from permissions.model import Principal
from permissions.scopes import ScopeBuilder
from retrieval.adapters.passages import PgPassages
from tests import rows
from tests.integration.agent.world import Known, World, final_of

CASE = "海棠 A 户型面积 89 平方米。防水材料由江城建材供货。木地板在二楼铺设。"
QUESTION = "防水材料由谁供货？"


class NoLinks:
    """``Originals`` that nobody can reach."""

    def link(self, *, team: str, reader: str, version: str) -> str | None: ...


def opener(pool: AsyncConnectionPool, originals: Originals | None = None) -> CitationOpener:
    return CitationOpener(
        pool=pool,
        scopes=ScopeBuilder(coverage=PgCoverage(pool=pool), clock=lambda: rows.NOW, max_age=timedelta(days=1)),
        memberships=Known(),
        surroundings=PgPassages(pool=pool),
        originals=originals or NoLinks(),
    )


async def cited(world: World) -> str:
    """The evidence id of an answer from the case."""
    await world.learn("case", CASE)
    final = final_of(await world.answer(QUESTION))
    assert final.evidence is not None
    return final.evidence.evidence[0].evidence_id


async def view(world: World, evidence_id: str, *, reader: str = "U1", team: str = rows.TEAM) -> CitationView:
    citations: Citations = opener(world.pool)
    return await citations.open(team=team, reader=reader, evidence_id=evidence_id, language="zh")


async def refusal(world: World, evidence_id: str, *, reader: str = "U1", team: str = rows.TEAM) -> RefusalReason:
    with pytest.raises(CitationRefused) as raised:
        await view(world, evidence_id, reader=reader, team=team)
    return RefusalReason(raised.value.reason)


async def test_the_passage_stands_in_its_surroundings(world: World) -> None:
    opened = await view(world, await cited(world))
    assert opened.excerpt == "防水材料由江城建材供货。"
    assert opened.before == "海棠 A 户型面积 89 平方米。"
    assert opened.after == "木地板在二楼铺设。"
    assert (opened.number, opened.title, opened.place, opened.is_current) == (1, "case", "第 1 页", True)


async def test_whoever_may_read_the_document_opens_it(world: World) -> None:
    assert (await view(world, await cited(world), reader="U2")).excerpt


async def test_who_is_not_in_the_channel_does_not(world: World) -> None:
    evidence = await cited(world)
    await rows.add_person(world.pool, "U3")
    assert await refusal(world, evidence, reader="U3") is RefusalReason.NOT_ALLOWED
    assert await refusal(world, evidence, reader="U_UNKNOWN") is RefusalReason.NOT_ALLOWED


async def test_who_has_left_the_channel_does_not_any_more(world: World) -> None:
    evidence = await cited(world)
    async with world.pool.connection() as connection:
        await connection.execute("DELETE FROM memberships WHERE user_id = 'U2'")
    assert await refusal(world, evidence, reader="U2") is RefusalReason.NOT_ALLOWED


async def test_rights_that_were_taken_away_act_at_once(world: World) -> None:
    evidence = await cited(world)
    async with world.pool.connection() as connection:
        await rows.set_grants(connection, "case", [Principal.user(rows.TEAM, "U2")])
    assert await refusal(world, evidence, reader="U1") is RefusalReason.NOT_ALLOWED


async def test_a_superseded_version_is_shown_as_such(world: World) -> None:
    evidence = await cited(world)
    await rows.add_version(world.pool, "case", ["防水材料由北林建材供货。"], number=2)
    opened = await view(world, evidence)
    assert not opened.is_current
    assert opened.excerpt == "防水材料由江城建材供货。"


async def test_a_deleted_document_is_gone(world: World) -> None:
    evidence = await cited(world)
    await rows.mark_deleted(world.pool, "case")
    assert await refusal(world, evidence) is RefusalReason.DELETED


async def test_a_citation_of_a_withdrawn_answer_opens_nothing_even_for_who_may_read_its_source(world: World) -> None:
    evidence = await cited(world)
    async with world.pool.connection() as connection:
        await connection.execute("UPDATE evidence SET excerpt = '', title = ''")
    assert await refusal(world, evidence) is RefusalReason.UNKNOWN


async def test_another_workspace_knows_nothing_of_it(world: World) -> None:
    evidence = await cited(world)
    assert await refusal(world, evidence, team="T2") is RefusalReason.UNKNOWN
    assert await refusal(world, "ev_made_up") is RefusalReason.UNKNOWN


async def test_an_excerpt_that_is_not_found_as_it_is_stands_alone(world: World) -> None:
    evidence = await cited(world)
    async with world.pool.connection() as connection:
        await connection.execute("UPDATE units SET text = 'the unit was read again'")
    opened = await view(world, evidence)
    assert (opened.before, opened.after) == ("", "")
    assert opened.excerpt


def test_what_stands_before_begins_with_a_whole_sentence_and_is_short() -> None:
    between = _between("一" * 300 + "。" + "二" * 100 + "。\n本句。后面。", "本句。")
    assert between.before == "二" * 100 + "。\n"
    assert between.after == "后面。"


def test_a_row_far_down_stands_under_the_names_of_its_columns() -> None:
    rows_above = "".join(f"| M-{at} | 瓷砖 |\n" for at in range(100, 200))
    table = f"前言\n\n| 编号 | 材料 |\n| --- | --- |\n{rows_above}| M-900 | 木板 |\n| M-901 | 涂料 |"
    before = _between(table, "| M-900 | 木板 |").before
    assert before.startswith("| 编号 | 材料 |\n| --- | --- |\n…\n| M-")
    assert before.endswith("| M-199 | 瓷砖 |\n")
    assert _between(table, "| M-100 | 瓷砖 |").before.count("编号") == 1


def test_a_tables_columns_stand_above_no_other_text() -> None:
    unit = "| a | b |\n| --- | --- |\n| 1 | 2 |\n\n" + "词" * 300 + "。\n\n| x | y |"
    assert "| a | b |" not in _between(unit, "| x | y |").before
