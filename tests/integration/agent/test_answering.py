"""What a question is made of, and under whose rights it is answered."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.agent.texts import CLIP_UNREADABLE, HOW_TO, NOTHING_HEARD, TIMED_OUT, in_both
from bot.answers.records import EvidenceGone
from handlers.errors import MissingScope, Unreachable
from handlers.model import (
    Completion,
    EvidenceReady,
    Failed,
    Final,
    RunEvent,
    SharedFile,
    Status,
    Step,
    TextDelta,
    Transcript,
)
from handlers.trouble import explain
from ingest.model import Cause, Unreadable
from permissions.model import ConversationKind, Principal
from tests import rows
from tests.integration.agent.world import CHANNEL, World, final_of, inquiry

CASE = "卫生间用青桐牌柔性防水涂料。防水材料由江城建材供货。"
QUESTION = "防水材料由谁供货？"
CLIP = SharedFile("F1", "audio_message.m4a", "video/mp4", 5, is_voice_clip=True)


async def test_a_follow_up_reads_its_thread(world: World) -> None:
    await world.learn("case", CASE)
    world.thread.said = [
        (False, "<@U0> 卫生间用什么防水材料？"),
        (True, "资料里……"),
        (False, "那由谁供货？"),
        (False, "吃饭？"),
    ]
    assert "江城建材" in final_of(await world.answer("那由谁供货？", ts="2.2", thread_ts="1.0")).text


async def test_a_thread_that_cannot_be_read_does_not_keep_the_question_from_an_answer(world: World) -> None:
    await world.learn("case", CASE)
    world.thread.fails = Unreachable("timeout")
    assert final_of(await world.answer(QUESTION, ts="2.2", thread_ts="1.0")).completion is Completion.ANSWERED


async def test_a_follow_up_in_a_direct_message_needs_no_thread(world: World) -> None:
    await world.learn("case", CASE)
    await world.answer("卫生间用什么防水材料？", ts="1.1", thread_ts="1.1", kind=ConversationKind.DM)
    async with world.pool.connection() as connection:
        await connection.execute("UPDATE runs SET thread_ts = NULL")
    reply = await world.answer("那由谁供货？", ts="1.2", thread_ts="1.2", kind=ConversationKind.DM)
    assert "江城建材" in final_of(reply).text


async def test_another_persons_questions_are_no_context_of_a_direct_message(world: World) -> None:
    await world.answer("卫生间用什么防水材料？", kind=ConversationKind.DM)
    async with world.pool.connection() as connection:
        await connection.execute("UPDATE runs SET thread_ts = NULL")
    own = inquiry("那由谁供货？", ts="1.2", kind=ConversationKind.DM)
    assert await world.records.recent_questions(own) == ["卫生间用什么防水材料？"]
    assert await world.records.recent_questions(replace(own, asker="U2")) == []


async def test_slacks_own_transcript_is_shown_and_answered(world: World) -> None:
    await world.learn("case", CASE)
    clip = SharedFile("F1", "audio_message.m4a", "audio/mp4", 5, is_voice_clip=True, transcript=QUESTION)
    reply = await world.answer("", voice=clip)
    assert reply.events[0] == Status(final_of(reply).run_id, Step.TRANSCRIBING)
    assert reply.events[1] == Transcript(final_of(reply).run_id, QUESTION)
    assert "江城建材" in final_of(reply).text
    assert await world.column("question", final_of(reply).run_id) == QUESTION


async def test_a_clip_without_a_transcript_is_heard(world: World) -> None:
    await world.learn("case", CASE)
    world.clip.said = QUESTION
    assert "江城建材" in final_of(await world.answer("", voice=CLIP)).text


async def test_a_clip_that_is_tried_again_is_not_asked_twice_over(world: World) -> None:
    await world.learn("case", CASE)
    clip = SharedFile("F1", "audio_message.m4a", "audio/mp4", 5, is_voice_clip=True, transcript=QUESTION)

    async def breaks() -> None:
        raise RuntimeError("the search broke")

    world.search.before = breaks
    first = await world.answer("请看", voice=clip)
    assert isinstance(first.last, Failed)
    world.search.before = None
    assert await world.runs.retry(first.last.run_id, by="U1")
    run = await world.records.find(rows.TEAM, CHANNEL, "1.1")
    assert run is not None
    assert run.question == f"请看\n{QUESTION}"
    await world.worker.answer(run_id=run.run_id)
    assert await world.column("question", run.run_id) == f"请看\n{QUESTION}"
    assert "江城建材" in final_of(world.replies.resumed[-1]).text


async def test_silence_gets_a_friendly_note_and_no_answer(world: World) -> None:
    world.clip.said = "  "
    reply = await world.answer("", voice=CLIP)
    assert isinstance(reply.last, Failed)
    assert (reply.last.message, reply.last.can_retry) == (in_both(NOTHING_HEARD, "en"), False)


NO_PERMISSION = MissingScope(method="files.info", needed="files:read")


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (Unreadable(Cause.DAMAGED), in_both(CLIP_UNREADABLE, "en")),
        (TimeoutError(), in_both(TIMED_OUT, "en")),
        (NO_PERMISSION, "\n\n".join(explain(NO_PERMISSION, language) for language in ("en", "zh"))),
    ],
)
async def test_a_clip_that_cannot_be_heard_is_said(world: World, error: Exception, message: str) -> None:
    world.clip.fails = error
    reply = await world.answer("", voice=CLIP)
    assert isinstance(reply.last, Failed)
    assert (reply.last.message, reply.last.can_retry) == (message, True)


async def test_only_a_mention_gets_a_how_to(world: World) -> None:
    final = final_of(await world.answer("<@U0BOT>"))
    assert (final.completion, final.text) == (Completion.REFUSED, in_both(HOW_TO, "en"))


async def test_a_document_deleted_while_it_is_quoted_is_not_quoted(world: World) -> None:
    await world.learn("case", CASE)
    await world.learn("other", "防水材料由北林建材供货。")

    async def deletes() -> None:
        await rows.mark_deleted(world.pool, "case")

    world.search.after = deletes
    final = final_of(await world.answer(QUESTION))
    assert "江城建材" not in final.text
    assert "北林建材" in final.text


async def test_rights_lost_while_it_is_quoted_act_at_once(world: World) -> None:
    await world.learn("case", CASE)

    async def takes_away() -> None:
        async with world.pool.connection() as connection:
            await rows.set_grants(connection, "case", [])

    world.search.after = takes_away
    assert final_of(await world.answer(QUESTION)).completion is Completion.NOTHING_FOUND


async def test_the_answer_of_a_deleted_document_is_not_kept(world: World) -> None:
    await world.learn("case", CASE)
    final = final_of(await world.answer(QUESTION))
    await rows.mark_deleted(world.pool, "case")
    async with world.pool.connection() as connection:
        await connection.execute("UPDATE runs SET state = 'running', answer = NULL")
    with pytest.raises(EvidenceGone):
        await world.records.save(await rows.scope(world.pool, "U1", CHANNEL), final)
    assert await world.column("answer", final.run_id) is None


async def test_a_document_closed_to_the_readers_while_it_is_answered_is_not_quoted(world: World) -> None:
    """Whoever joins reads the answer too: what only the asker and those who were there before may read stays out."""
    both = "C2"
    await rows.add_conversation(world.pool, both, ["U1", "U2"])
    await world.learn("case", CASE, Principal.channel(rows.TEAM, both))
    await rows.add_person(world.pool, "U3")

    async def joins() -> None:
        async with world.pool.connection() as connection:
            await connection.execute(
                "INSERT INTO memberships (team, conversation_id, user_id, confirmed_at) VALUES (%s,%s,'U3',%s)"
                " ON CONFLICT DO NOTHING",
                (rows.TEAM, CHANNEL, rows.NOW),
            )

    world.search.after = joins
    final = final_of(await world.answer(QUESTION))
    assert final.completion is Completion.NOTHING_FOUND
    assert "江城建材" not in final.text


async def test_an_asker_who_loses_a_right_while_they_are_answered_is_not_told(world: World) -> None:
    await rows.add_conversation(world.pool, "D1", ["U1"], kind=ConversationKind.DM)
    await world.learn("case", CASE)

    async def leaves() -> None:
        async with world.pool.connection() as connection:
            await connection.execute("DELETE FROM memberships WHERE conversation_id = %s", (CHANNEL,))

    world.search.after = leaves
    assert await world.runs.ask(inquiry(QUESTION, conversation="D1", kind=ConversationKind.DM), event_id=None)
    run = await world.records.find(rows.TEAM, "D1", "1.1")
    assert run is not None
    await world.worker.answer(run_id=run.run_id)
    assert final_of(world.replies.begun[-1]).completion is Completion.NOTHING_FOUND


async def test_one_answer_on_the_terminal(world: World) -> None:
    await world.learn("case", CASE)
    await world.learn("mine", "仓库钥匙在李娜那里。", Principal.user(rows.TEAM, "U1"))
    events = await ask_once(world, QUESTION, conversation=CHANNEL)
    kinds = [type(event) for event in events]
    assert kinds[-1] is Final
    assert {Status, EvidenceReady, TextDelta} <= set(kinds)
    final = events[-1]
    assert isinstance(final, Final)
    assert await world.column("state", final.run_id) == "ended"
    assert await world.column("completion", final.run_id) == Completion.ANSWERED


@pytest.mark.parametrize(("conversation", "completion"), [(None, "answered"), (CHANNEL, "nothing_found")])
async def test_the_terminal_keeps_to_the_audience(world: World, conversation: str | None, completion: str) -> None:
    await world.learn("mine", "仓库钥匙在李娜那里。", Principal.user(rows.TEAM, "U1"))
    events = await ask_once(world, "仓库钥匙在谁那里？", conversation=conversation)
    final = events[-1]
    assert isinstance(final, Final)
    assert final.completion == completion


async def test_the_terminal_is_told_when_it_breaks(world: World) -> None:
    async def breaks() -> None:
        raise RuntimeError("the search broke")

    world.search.before = breaks
    with pytest.raises(ExceptionGroup):
        await ask_once(world, QUESTION, conversation=None)
    async with world.pool.connection() as connection:
        row = await (await connection.execute("SELECT state, completion FROM runs")).fetchone()
    assert row == ("ended", "failed")


async def ask_once(world: World, text: str, *, conversation: str | None) -> list[RunEvent]:
    events: list[RunEvent] = []

    async def keep(event: RunEvent) -> None:
        events.append(event)

    await world.once.answer(team=rows.TEAM, asker="U1", conversation=conversation, text=text, emit=keep)
    return events
