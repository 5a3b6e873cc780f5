"""Asking again what a withdrawn or marked answer no longer tells."""

from __future__ import annotations

from bot.agent.runs import JOB
from handlers.ports import Questions
from permissions.model import Principal
from tests import rows
from tests.integration.agent.given import HERE, Given

CASE = "卫生间用青桐牌柔性防水涂料。防水材料由江城建材供货。"
NEWER = "防水材料由北林建材供货。"
QUESTION = "防水材料由谁供货？"


async def superseded(given: Given) -> str:
    """An answer whose source has a newer version."""
    await given.learn("case", CASE)
    run_id = await given.give(QUESTION)
    (chunk,) = await rows.add_version(given.pool, "case", [NEWER], number=2)
    await given.index(chunk)
    await given.changed("case")
    await given.work()
    return run_id


async def answer_again(given: Given) -> str:
    """Work the new run off; its id."""
    async with given.pool.connection() as connection:
        cursor = await connection.execute(
            "DELETE FROM procrastinate_jobs WHERE task_name = %s RETURNING args->>'run_id'", (JOB,)
        )
        ids = [row[0] for row in await cursor.fetchall()]
    await given.worker.answer(run_id=ids[-1])
    return str(ids[-1])


async def test_whoever_reads_along_gets_the_new_answer_in_the_old_ones_place(given: Given) -> None:
    old = await superseded(given)
    questions: Questions = given.runs
    assert await questions.ask_again(old, by="U2")
    new = await answer_again(given)
    await given.work()
    assert await given.standing(old) == ("replaced", True)
    assert await given.column("asker", new) == "U2"
    assert "北林建材" in given.shown()
    assert "江城建材" not in given.shown()
    assert len(given.slack.shown) == 2  # the new answer and its citations alone
    assert await given.column("answer", old) == ""


async def test_it_is_asked_once(given: Given) -> None:
    old = await superseded(given)
    assert await given.runs.ask_again(old, by="U1")
    assert not await given.runs.ask_again(old, by="U2")
    assert await given.count("runs") == 2


async def test_a_withdrawal_that_slack_does_not_show_yet_comes_first(given: Given) -> None:
    old = await superseded(given)
    await given.close("case")
    await given.work(but="withdraw")
    assert not await given.runs.ask_again(old, by="U1")
    await given.work()
    assert await given.runs.ask_again(old, by="U1")


async def test_an_answer_that_stands_is_not_asked_again(given: Given) -> None:
    await given.learn("case", CASE)
    run_id = await given.give(QUESTION)
    assert not await given.runs.ask_again(run_id, by="U1")
    assert not await given.runs.ask_again("run_nowhere", by="U1")
    assert await given.count("runs") == 1


async def test_who_does_not_read_there_does_not_ask_there(given: Given) -> None:
    old = await superseded(given)
    await rows.add_person(given.pool, "U3")
    assert not await given.runs.ask_again(old, by="U3")
    assert not await given.runs.ask_again(old, by="U_UNKNOWN")
    assert await given.standing(old) == ("marked", True)


async def test_a_guest_who_may_not_ask_leaves_the_answer_as_it_is(given: Given) -> None:
    old = await superseded(given)
    await rows.add_person(given.pool, "G1", is_guest=True)
    async with given.pool.connection() as connection:
        await connection.execute(
            "INSERT INTO memberships (team, conversation_id, user_id, confirmed_at) VALUES ('T1', 'C1', 'G1', %s)",
            (rows.NOW,),
        )
    given.let_guests_ask_nowhere()
    assert not await given.runs.ask_again(old, by="G1")
    assert await given.standing(old) == ("marked", True)


async def test_the_new_answer_is_withdrawn_like_any_other_and_can_be_asked_again(given: Given) -> None:
    old = await superseded(given)
    await given.runs.ask_again(old, by="U2")
    new = await answer_again(given)
    await given.work()
    await given.close("case", Principal.channel(rows.TEAM, "C2"))
    await given.work()
    assert await given.standing(new) == ("withdrawn", True)
    assert "北林建材" not in given.shown()
    await given.close("case", HERE)
    await given.work()
    assert await given.runs.ask_again(new, by="U1")
    await answer_again(given)
    assert "北林建材" in given.shown()
