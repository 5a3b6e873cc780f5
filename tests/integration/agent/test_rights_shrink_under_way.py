"""Rights that shrink while an answer is being made, shown, or read back as context."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from handlers.errors import Unreachable
from handlers.model import Restarted, TextDelta
from permissions.model import Principal
from tests import rows
from tests.integration.agent.given import HERE, Given
from tests.integration.agent.world import Gate, World, inquiry

CASE = "卫生间用青桐牌柔性防水涂料。防水材料由江城建材供货。"
QUESTION = "防水材料由谁供货？"
QUOTED = "江城建材"
OTHERS = Principal.channel(rows.TEAM, "C2")


async def until(look: Callable[[], Awaitable[object]]) -> None:
    """Let everything else go on until it holds."""
    async with asyncio.timeout(20):
        while True:
            if await look():
                return
            await asyncio.sleep(0)


async def shows(given: Given, text: str, *, no_more: bool = False) -> bool:
    """Whether Slack shows it."""
    return (text in given.shown()) is not no_more


async def saved_but_not_shown(given: Given) -> str:
    """A run whose process died while it brought the answer into Slack."""
    await given.learn("case", CASE)
    run_id = await given.ask(QUESTION)
    given.slack.gate = asyncio.Event()
    work = asyncio.create_task(given.worker.answer(run_id=run_id))
    await until(lambda: given.posts.of(run_id))
    work.cancel()
    await asyncio.wait([work])
    await given.replies.aclose()  # type: ignore[attr-defined]  # the real ones
    given.slack.gate = None
    return run_id


async def test_a_run_that_quotes_what_was_closed_starts_over_and_shows_none_of_it(given: Given) -> None:
    """Its evidence is frozen and its first words are shown; the rest is not written yet."""
    await given.learn("case", CASE)
    run_id = await given.ask(QUESTION)
    save, gate = given.records.save, Gate()

    async def held(*arguments: object) -> None:
        await gate()
        await save(*arguments)  # type: ignore[arg-type]  # handed on

    given.records.save = held  # type: ignore[method-assign]  # a run that is slow to end
    work = asyncio.create_task(given.worker.answer(run_id=run_id))
    await gate.arrived.wait()
    await until(lambda: shows(given, QUOTED))
    await given.close("case", OTHERS)
    given.records.save = save  # type: ignore[method-assign]  # the second attempt saves as usual
    given.search.before = again = Gate()
    await given.work()
    await again.arrived.wait()
    await until(lambda: shows(given, QUOTED, no_more=True))
    again.open()
    await work
    assert QUOTED not in given.shown()
    assert "没有找到" in given.shown()
    assert await given.standing(run_id) is None
    assert await given.count("evidence") == 0


async def test_what_was_shown_goes_with_the_very_next_edit(given: Given) -> None:
    """Even when the budget of edits has nothing left for progress."""
    reply = await given.replies.begin(inquiry(QUESTION), run_id="r1", language="zh")
    await reply.show(TextDelta(run_id="r1", answer_id="a1", revision=1, seq=1, text=CASE))
    await until(lambda: shows(given, QUOTED))
    others = [given.edits.join() for _ in range(20)]
    while given.edits.take_final(others[0]) == 0:
        pass
    began = given.time.now
    await reply.show(Restarted("r1"))
    await until(lambda: shows(given, QUOTED, no_more=True))
    assert given.time.now - began <= 60 / given.edits.per_minute + 0.01
    await reply.abandon()  # type: ignore[attr-defined]  # a real one


async def test_an_answer_that_is_closed_on_its_way_is_not_shown(given: Given) -> None:
    await given.learn("case", CASE)
    run_id = await given.ask(QUESTION)
    given.slack.gate = asyncio.Event()
    work = asyncio.create_task(given.worker.answer(run_id=run_id))
    await until(lambda: given.posts.of(run_id))
    await given.close("case", OTHERS)
    await given.work(but="withdraw")
    given.slack.gate.set()
    await work
    await given.work()
    assert await given.standing(run_id) == ("withdrawn", True)
    assert QUOTED not in given.shown()
    assert "撤回" in given.shown()


async def test_an_answer_that_is_closed_between_its_saving_and_its_showing_leaves_no_draft(given: Given) -> None:
    await given.learn("case", CASE)
    run_id = await given.ask(QUESTION)
    plan = given.posts.plan

    async def closed_before(*arguments: object) -> object:
        await until(lambda: shows(given, QUOTED))
        await given.close("case", OTHERS)
        await given.work(but="withdraw")
        return await plan(*arguments)  # type: ignore[arg-type]  # handed on

    given.posts.plan = closed_before  # type: ignore[method-assign,assignment]  # something happens in between
    await given.worker.answer(run_id=run_id)
    await given.work()
    assert await given.standing(run_id) == ("withdrawn", True)
    assert QUOTED not in given.shown()
    assert "撤回" in given.shown()
    assert QUOTED not in str(await given.posts.of(run_id))
    assert not [task for task in asyncio.all_tasks() if task.get_name().startswith("edits of")]
    assert await given.runs.ask_again(run_id, by="U1")


async def test_a_citation_message_that_slack_takes_during_a_withdrawal_is_taken_down(given: Given) -> None:
    await given.learn("case", CASE)
    run_id = await given.ask(QUESTION)
    post = given.slack.post

    async def closed_meanwhile(*arguments: object, **options: object) -> str:
        ts = await post(*arguments, **options)  # type: ignore[arg-type]  # handed on
        if str(options.get("name")).endswith("/2"):
            await given.close("case", OTHERS)
            await given.work(but="withdraw")
        return ts

    given.slack.post = closed_meanwhile  # type: ignore[method-assign]  # something happens while Slack works
    await given.worker.answer(run_id=run_id)
    await given.work()
    assert len(given.slack.shown) == 1
    assert "撤回" in given.shown()


async def test_a_restart_shows_the_rest_of_an_answer_that_was_on_its_way(given: Given) -> None:
    run_id = await saved_but_not_shown(given)
    given.restart()
    await given.runs.recover()
    assert QUOTED in given.shown()
    assert len(given.slack.shown) == 2
    assert await given.column("state", run_id) == "ended"
    assert await given.column("completion", run_id) == "answered"


async def shown_but_not_noted(given: Given) -> str:
    """A run whose process died after Slack had taken its citations, and before it could note where they are."""
    await given.learn("case", CASE)
    run_id = await given.ask(QUESTION)
    posted = given.posts.posted

    async def lost(*arguments: object) -> bool:
        raise asyncio.CancelledError

    given.posts.posted = lost  # type: ignore[method-assign]  # the process dies there
    work = asyncio.create_task(given.worker.answer(run_id=run_id))
    await asyncio.wait([work])
    given.posts.posted = posted  # type: ignore[method-assign]  # the next process
    return run_id


async def test_citations_that_nobody_could_note_are_withdrawn_after_a_restart(given: Given) -> None:
    run_id = await shown_but_not_noted(given)
    await given.close("case", OTHERS)
    given.restart()
    await given.work(but="withdraw")
    await given.runs.recover()
    await given.work()
    assert await given.standing(run_id) == ("withdrawn", True)
    assert len(given.slack.shown) == 1
    assert "撤回" in given.shown()


async def test_what_stands_there_already_is_not_posted_twice(given: Given) -> None:
    run_id = await shown_but_not_noted(given)
    given.restart()
    await given.runs.recover()
    assert len(given.slack.shown) == 2
    assert all(post.ts for post in await given.posts.of(run_id))


async def test_a_restart_does_not_show_what_was_closed_meanwhile(given: Given) -> None:
    run_id = await saved_but_not_shown(given)
    async with given.pool.connection() as connection:
        await rows.set_grants(connection, "case", [OTHERS])
    given.restart()
    await given.runs.recover()
    assert QUOTED not in given.shown()
    assert await given.column("completion", run_id) == "failed"


async def test_slack_that_stays_away_at_a_restart_ends_the_run_as_failed(given: Given) -> None:
    run_id = await saved_but_not_shown(given)
    given.restart()
    given.slack.fail("edit", *[Unreachable("timeout") for _ in range(100)])
    await given.runs.recover()
    assert await given.column("completion", run_id) == "failed"


async def test_a_job_that_lost_the_note_of_its_end_shows_nothing_new(given: Given) -> None:
    await given.learn("case", CASE)
    run_id = await given.give(QUESTION)
    before = dict(given.slack.shown)
    async with given.pool.connection() as connection:
        await connection.execute("UPDATE runs SET state = 'running'")
    await given.worker.answer(run_id=run_id)
    assert given.slack.shown == before
    assert await given.column("state", run_id) == "ended"


async def said_before(world: World, run_id: str) -> None:
    """The thread holds the first question, its answer as Slack shows it, and the follow-up."""
    (first, *_) = await world.posts.of(run_id)
    world.thread.said = [(False, "卫生间的防水？", "1.0"), (True, CASE, str(first.ts)), (False, "那由谁供货？", "2.2")]


async def heard(given: Given) -> list[str]:
    """What the next question in the thread gets to hear of it."""
    turns: list[str] = []
    understand = given.understander.understand

    async def listening(question: str, history: object) -> object:
        turns.extend(turn.text for turn in history)  # type: ignore[attr-defined]  # turns
        return await understand(question, history)  # type: ignore[arg-type]  # handed on

    given.understander.understand = listening  # type: ignore[method-assign,assignment]  # notes what it hears
    await given.give("那由谁供货？", ts="2.2", thread_ts="1.0")
    return turns


async def test_an_answer_of_ours_is_context_while_all_may_read_its_sources(given: Given) -> None:
    await given.learn("case", CASE)
    await said_before(given, await given.give("卫生间的防水材料由谁供货？"))
    assert any(QUOTED in text for text in await heard(given))


async def test_an_answer_that_waits_for_its_withdrawal_is_no_context(given: Given) -> None:
    await given.learn("case", CASE)
    await said_before(given, await given.give("卫生间的防水材料由谁供货？"))
    await given.close("case", OTHERS)
    await given.work(but="withdraw")
    assert not any(QUOTED in text for text in await heard(given))


async def test_an_answer_whose_source_was_closed_is_no_context_even_before_anybody_looked(given: Given) -> None:
    await given.learn("case", CASE)
    await said_before(given, await given.give("卫生间的防水材料由谁供货？"))
    async with given.pool.connection() as connection:
        await rows.set_grants(connection, "case", [OTHERS])
    assert not any(QUOTED in text for text in await heard(given))


async def test_an_answer_that_was_withdrawn_is_no_context_though_its_source_was_opened_again(given: Given) -> None:
    await given.learn("case", CASE)
    await said_before(given, await given.give("卫生间的防水材料由谁供货？"))
    await given.close("case", OTHERS)
    await given.work(but="withdraw")
    async with given.pool.connection() as connection:
        await rows.set_grants(connection, "case", [HERE])
    assert not any(QUOTED in text for text in await heard(given))
