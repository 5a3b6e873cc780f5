"""Accepted once, answered once, ended visibly."""

from __future__ import annotations

import asyncio

import pytest
from procrastinate.exceptions import ConnectorException

from bot.agent.texts import BROKEN, INTERRUPTED
from handlers.errors import Gone, NotDelivered
from handlers.model import Cancelled, Completion, Failed
from handlers.ports import Questions
from permissions.model import Principal
from tests import rows
from tests.integration.agent.world import CHANNEL, Gate, World, final_of, inquiry

CASE = "卫生间用青桐牌柔性防水涂料。防水材料由江城建材供货。"
QUESTION = "防水材料由谁供货？"


async def test_it_is_the_port_that_the_surfaces_call(world: World) -> None:
    questions: Questions = world.runs
    assert not await questions.is_engaged(rows.TEAM, CHANNEL, "1.1")


async def test_a_question_is_answered_from_its_evidence(world: World) -> None:
    await world.learn("case", CASE)
    reply = await world.answer(QUESTION)
    final = final_of(reply)
    assert final.completion is Completion.ANSWERED
    assert "防水材料由江城建材供货。" in final.text
    assert reply.is_finished
    assert await world.column("state", final.run_id) == "ended"
    assert await world.column("answer", final.run_id) == final.text
    assert await world.column("placeholder_ts", final.run_id) == reply.placeholder_ts
    assert await world.column("audience_key", final.run_id)
    assert final.evidence is not None
    assert await world.count("evidence") == len(final.evidence.evidence) == 1


async def test_eleven_deliveries_under_different_event_ids_are_one_question(world: World) -> None:
    accepted = [await world.runs.ask(inquiry(QUESTION), event_id=f"Ev{n}") for n in range(11)]
    assert accepted == [True] + [False] * 10
    assert await world.count("runs") == 1
    assert await world.count("seen") == 2


async def test_deliveries_at_the_same_moment_are_one_question(world: World) -> None:
    asked = [world.runs.ask(inquiry(QUESTION), event_id=f"Ev{n % 3}") for n in range(8)]
    assert sorted(await asyncio.gather(*asked)) == [False] * 7 + [True]


async def test_what_could_not_be_accepted_leaves_nothing_behind(world: World) -> None:
    async with world.pool.connection() as connection:
        await connection.execute("ALTER TABLE procrastinate_jobs RENAME TO gone")
    with pytest.raises(ConnectorException):
        await world.runs.ask(inquiry(QUESTION), event_id="Ev1")
    async with world.pool.connection() as connection:
        await connection.execute("ALTER TABLE gone RENAME TO procrastinate_jobs")
    assert await world.count("runs") == 0
    assert await world.count("seen") == 0
    assert await world.runs.ask(inquiry(QUESTION), event_id="Ev1")


async def test_a_job_that_comes_twice_answers_once(world: World) -> None:
    await world.learn("case", CASE)
    run_id = await world.ask(QUESTION)
    await world.worker.answer(run_id=run_id)
    await world.worker.answer(run_id=run_id)
    assert len(world.replies.begun) == 1
    assert not world.replies.resumed


async def test_twenty_questions_at_once_are_all_answered(world: World) -> None:
    await world.learn("case", CASE)
    ids = [await world.ask(QUESTION, ts=f"1.{n}") for n in range(20)]
    await asyncio.gather(*(world.worker.answer(run_id=run_id) for run_id in ids))
    assert [final_of(reply).completion for reply in world.replies.begun] == [Completion.ANSWERED] * 20
    assert all(reply.is_finished for reply in world.replies.begun)


async def test_what_goes_wrong_is_said_and_can_be_tried_again_by_its_asker(world: World) -> None:
    await world.learn("case", CASE)

    async def breaks() -> None:
        raise RuntimeError("the search broke")

    world.search.before = breaks
    reply = await world.answer(QUESTION)
    assert isinstance(reply.last, Failed)
    assert (reply.last.message, reply.last.can_retry) == (BROKEN["zh"], True)
    assert reply.is_finished
    failed = reply.last.run_id
    world.search.before = None
    assert not await world.runs.retry(failed, by="U2")
    assert await world.runs.retry(failed, by="U1")
    assert not await world.runs.retry(failed, by="U1")
    run = await world.records.find(rows.TEAM, CHANNEL, "1.1")
    assert run is not None
    await world.worker.answer(run_id=run.run_id)
    [again] = world.replies.resumed
    assert again.placeholder_ts == reply.placeholder_ts
    assert final_of(again).completion is Completion.ANSWERED


async def test_an_unknown_run_or_one_under_way_is_not_tried_again(world: World) -> None:
    assert not await world.runs.retry("run_nowhere", by="U1")
    assert not await world.runs.retry(await world.ask(QUESTION), by="U1")


async def test_a_restart_ends_what_was_left_running_with_a_way_to_try_again(world: World) -> None:
    run_id = await world.ask(QUESTION)
    world.search.before = gate = Gate()
    work = asyncio.create_task(world.worker.answer(run_id=run_id))
    await gate.arrived.wait()
    work.cancel()
    await asyncio.wait([work])
    assert await world.column("state", run_id) == "running"
    world.restart()
    await world.runs.recover()
    [reply] = world.replies.resumed
    assert reply.last == Failed(run_id=run_id, message=INTERRUPTED["zh"], can_retry=True)
    assert reply.is_finished
    assert await world.column("state", run_id) == "ended"
    await world.worker.answer(run_id=run_id)
    assert len(world.replies.resumed) == 1


async def test_a_placeholder_that_was_posted_and_not_noted_shows_the_end(world: World) -> None:
    """The process died between Slack's reply to the post and the row that notes its ts."""
    run_id = await world.ask(QUESTION)
    assert await world.records.claim(run_id)
    world.restart()
    world.replies.unnoted[run_id] = "9.9"
    await world.runs.recover()
    [reply] = world.replies.resumed
    assert (reply.placeholder_ts, reply.is_finished) == ("9.9", True)
    assert not world.replies.begun


async def test_a_question_can_be_tried_again_as_soon_as_its_end_is_shown(world: World) -> None:
    """The button is there a moment before the row says that the run has ended."""
    run_id = await world.ask(QUESTION)
    assert await world.records.claim(run_id)
    assert await world.runs.retry(run_id, by="U1")
    assert not await world.runs.retry(run_id, by="U1")


async def test_an_accepted_question_survives_a_restart_and_its_job_is_not_doubled(world: World) -> None:
    await world.ask(QUESTION)
    world.restart()
    await world.runs.recover()
    assert await world.count("procrastinate_jobs") == 1
    async with world.pool.connection() as connection:
        await connection.execute("DELETE FROM procrastinate_jobs")
    await world.runs.recover()
    assert await world.count("procrastinate_jobs") == 1
    assert not world.replies.resumed


async def test_one_reply_that_cannot_be_shown_does_not_keep_the_others_from_ending(world: World) -> None:
    ids = [await world.ask(QUESTION, ts=f"1.{n}") for n in range(3)]
    for run_id in ids:
        assert await world.records.claim(run_id)
    world.replies.fails = Gone("channel_not_found")
    await world.runs.recover()
    assert {await world.column("state", run_id) for run_id in ids} == {"ended"}


async def test_a_job_that_gave_up_says_so(world: World) -> None:
    run_id = await world.ask(QUESTION)
    await world.worker.gave_up(run_id=run_id)
    assert isinstance(world.replies.begun[0].last, Failed)
    assert await world.column("completion", run_id) == Completion.FAILED


async def test_only_the_note_of_an_ending_was_lost(world: World) -> None:
    await world.learn("case", CASE)
    run_id = final_of(await world.answer(QUESTION)).run_id
    async with world.pool.connection() as connection:
        await connection.execute("UPDATE runs SET state = 'running', ended_at = NULL")
    await world.worker.answer(run_id=run_id)
    assert not world.replies.resumed
    assert await world.column("state", run_id) == "ended"
    assert await world.column("completion", run_id) == Completion.ANSWERED


@pytest.mark.parametrize("at", ["placeholder", "end"])
async def test_slack_refusing_ends_the_run_all_the_same(world: World, at: str) -> None:
    if at == "placeholder":
        world.replies.fails = Gone("is_archived")
    else:
        world.replies.fails_at_the_end = NotDelivered("nowhere")
    run_id = await world.ask(QUESTION)
    await world.worker.answer(run_id=run_id)
    assert await world.column("state", run_id) == "ended"
    assert await world.column("completion", run_id) == Completion.FAILED


async def test_the_end_is_shown_where_the_conversation_went(world: World) -> None:
    """Its id changed while it was answered: under the one before Slack knows no conversation."""
    world.replies.fails_at_the_end = NotDelivered("channel_not_found")
    run_id = await world.ask(QUESTION)

    async def move() -> None:
        async with world.pool.connection() as connection:
            await connection.execute("UPDATE runs SET conversation = 'C9'")

    world.search.before = move
    await world.worker.answer(run_id=run_id)
    (reply,) = world.replies.resumed
    assert isinstance(reply.last, Failed)
    assert reply.last.can_retry
    assert await world.column("state", run_id) == "ended"


async def test_the_asker_cancels(world: World) -> None:
    run_id = await world.ask(QUESTION)
    world.search.before = gate = Gate()
    work = asyncio.create_task(world.worker.answer(run_id=run_id))
    await gate.arrived.wait()
    assert not await world.runs.cancel(run_id, by="U2")
    assert await world.runs.cancel(run_id, by="U1")
    await work
    assert world.replies.begun[0].last == Cancelled(run_id)
    assert world.replies.begun[0].is_finished
    assert await world.column("completion", run_id) == Completion.CANCELLED
    assert not await world.runs.cancel(run_id, by="U1")
    assert not await world.runs.cancel("run_nowhere", by="U1")


async def test_a_deleted_question_is_not_answered(world: World) -> None:
    run_id = await world.ask(QUESTION)
    assert await world.runs.question_deleted(rows.TEAM, CHANNEL, "1.1")
    await world.worker.answer(run_id=run_id)
    assert not world.replies.begun
    assert not await world.runs.question_deleted(rows.TEAM, CHANNEL, "9.9")


async def test_a_question_deleted_under_way_is_cancelled(world: World) -> None:
    run_id = await world.ask(QUESTION)
    world.search.before = gate = Gate()
    work = asyncio.create_task(world.worker.answer(run_id=run_id))
    await gate.arrived.wait()
    assert await world.runs.question_deleted(rows.TEAM, CHANNEL, "1.1")
    await work
    assert world.replies.begun[0].last == Cancelled(run_id)


async def test_a_question_edited_under_way_is_answered_anew_in_the_same_place(world: World) -> None:
    await world.learn("case", CASE)
    run_id = await world.ask("地板是什么牌子的？")
    world.search.before = gate = Gate()
    work = asyncio.create_task(world.worker.answer(run_id=run_id))
    await gate.arrived.wait()
    world.search.before = None
    assert not await world.runs.question_edited(inquiry(QUESTION, asker="U2"))
    assert not await world.runs.question_edited(inquiry("地板是什么牌子的？"))
    assert await world.runs.question_edited(inquiry(QUESTION))
    await work
    [reply] = world.replies.begun
    assert "江城建材" in final_of(reply).text
    assert not await world.runs.question_edited(inquiry("另一个问题？"))


async def test_a_question_edited_before_its_job_is_asked_as_edited(world: World) -> None:
    await world.learn("case", CASE)
    run_id = await world.ask("地板是什么牌子的？")
    assert await world.runs.question_edited(inquiry(QUESTION))
    await world.worker.answer(run_id=run_id)
    assert "江城建材" in final_of(world.replies.begun[0]).text


async def test_the_bot_is_engaged_where_it_was_asked(world: World) -> None:
    await world.ask(QUESTION, ts="5.1", thread_ts="4.0")
    assert await world.runs.is_engaged(rows.TEAM, CHANNEL, "4.0")
    assert await world.runs.is_engaged(rows.TEAM, CHANNEL, "5.1")
    assert not await world.runs.is_engaged(rows.TEAM, CHANNEL, "4.1")
    assert not await world.runs.is_engaged(rows.TEAM, "C2", "4.0")


async def test_what_the_channel_may_not_read_is_not_found_there(world: World) -> None:
    await world.learn("secret", CASE, Principal.user(rows.TEAM, "U1"))
    assert final_of(await world.answer(QUESTION)).completion is Completion.NOTHING_FOUND
