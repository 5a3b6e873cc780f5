"""What the asker may read beyond the channel: offered after the answer to them alone, given in direct messages."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from bot.agent.remainder import REMAINDER_JOB, Remainder
from handlers.model import Completion
from permissions.adapters.coverage import PgCoverage
from permissions.model import ConversationKind, Principal
from permissions.scopes import ScopeBuilder
from retrieval.adapters.passages import PgPassages
from retrieval.errors import SearchFailed
from tests import rows
from tests.integration.agent.world import CHANNEL, Known, World, final_of
from tests.unit.handlers.slack_double import FakeSlack, words

SECRET = "The oak floor costs 320 a square metre."
QUESTION = "What does the oak floor cost?"
BOARD = Principal.channel(rows.TEAM, "BOARD")


class Office:
    """The channel of U1 and U2, and BOARD, which U1 alone is in; ``world`` answers there."""

    def __init__(self, world: World) -> None:
        self.world, self.slack = world, FakeSlack()
        scopes = ScopeBuilder(coverage=PgCoverage(pool=world.pool), clock=lambda: rows.NOW, max_age=timedelta(days=1))
        self.remainder = Remainder(
            pool=world.pool,
            jobs=world.jobs,
            records=world.records,
            scopes=scopes,
            memberships=Known(),
            passages=PgPassages(pool=world.pool),
            messages=self.slack,
            roles=world.roles,
        )
        self.remainder.connect(answering=world.worker._answering, runs=world.runs)
        world.worker._ended = self.remainder.later

    async def ask(self, text: str = QUESTION, **changes: Any) -> str:
        """Ask, let it be answered, and let the rest be looked for; the id of the run."""
        run_id = await self.world.ask(text, **changes)
        await self.world.worker.answer(run_id=run_id)
        if await self.jobs():
            await self.remainder.offer(run_id=run_id)
        return run_id

    async def jobs(self) -> int:
        async with self.world.pool.connection() as connection:
            cursor = await connection.execute(
                "SELECT count(*) FROM procrastinate_jobs WHERE task_name = %s", [REMAINDER_JOB]
            )
            row = await cursor.fetchone()
        return int(row[0]) if row else 0

    async def private_run(self) -> Any:
        """Work off the run in the direct messages of U1; its reply."""
        (ts,) = [ts for ts in self.slack.shown if ts.startswith("D-U1")]
        run = await self.world.records.find(rows.TEAM, "D-U1", ts)
        assert run is not None
        await self.world.worker.answer(run_id=run.run_id)
        return self.world.replies.begun[-1]


@pytest.fixture
async def office(world: World) -> Office:
    office = Office(world)
    world.jobs.add(REMAINDER_JOB, office.remainder.offer, queue="notices")
    await rows.add_conversation(world.pool, "BOARD", ["U1"])
    await rows.add_conversation(world.pool, "D-U1", ["U1"], kind=ConversationKind.DM)
    return office


async def test_what_the_channel_may_not_read_is_offered_to_the_asker_alone_without_a_word_of_it(office: Office) -> None:
    await office.world.learn("prices", SECRET, BOARD)
    run_id = await office.ask()
    ((person, said),) = office.slack.whispers
    assert person == "U1"
    assert "for you alone" in said
    assert "320" not in said
    assert "prices" not in said
    assert final_of(office.world.replies.begun[-1]).completion is Completion.NOTHING_FOUND
    assert office.slack.shown == {}
    # Nor is it kept where the channel's answer is kept.
    assert await office.world.count("evidence") == 0
    scope = await rows.scope(office.world.pool, "U1", CHANNEL)
    assert await office.world.column("audience_key", run_id) == scope.audience_key


async def test_it_is_given_in_the_direct_messages_under_the_question_that_it_answers(office: Office) -> None:
    await office.world.learn("prices", SECRET, BOARD)
    run_id = await office.ask()
    assert await office.remainder.answer(run_id, by="U1")
    (note,) = office.slack.shown.values()
    assert QUESTION in words(note)
    reply = await office.private_run()
    assert "320" in final_of(reply).text
    assert not await office.remainder.answer(run_id, by="U1"), "once is enough"
    assert len(office.slack.shown) == 1


async def test_only_the_asker_gets_it_and_only_with_the_rights_of_now(office: Office) -> None:
    await office.world.learn("prices", SECRET, BOARD)
    run_id = await office.ask()
    assert not await office.remainder.answer(run_id, by="U2")
    assert office.slack.shown == {}
    async with office.world.pool.connection() as connection:
        await connection.execute("DELETE FROM memberships WHERE conversation_id = 'BOARD'")
    assert await office.remainder.answer(run_id, by="U1")
    assert final_of(await office.private_run()).completion is Completion.NOTHING_FOUND


async def test_two_clicks_at_once_are_answered_once(office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    await office.world.learn("prices", SECRET, BOARD)
    run_id = await office.ask()

    async def not_yet(key: str) -> bool:
        """Both look before either has asked."""
        return False

    monkeypatch.setattr(office.world.records, "was_seen", not_yet)
    assert await office.remainder.answer(run_id, by="U1")
    assert not await office.remainder.answer(run_id, by="U1")
    assert len(office.slack.shown) == 1


async def test_a_search_that_fails_offers_nothing(office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    await office.world.learn("prices", SECRET, BOARD)
    run_id = await office.world.ask(QUESTION)
    await office.world.worker.answer(run_id=run_id)

    async def failing(*_: object) -> None:
        raise SearchFailed(("vectors", "full_text"))

    monkeypatch.setattr(office.world.worker._answering, "supports", failing)
    await office.remainder.offer(run_id=run_id)
    assert office.slack.whispers == []


@pytest.mark.parametrize(
    ("grants", "changes"),
    [
        pytest.param([], {}, id="everyone there may read it"),
        pytest.param([Principal.channel(rows.TEAM, "ELSEWHERE")], {}, id="the asker may not read it either"),
        pytest.param([BOARD], {"asker": "U2"}, id="another asker may not"),
        pytest.param([BOARD], {"conversation": "D-U1", "kind": ConversationKind.DM}, id="alone all of it was given"),
    ],
)
async def test_nothing_is_offered_where_there_is_no_more(
    office: Office, grants: list[Principal], changes: dict[str, Any]
) -> None:
    await office.world.learn("prices", SECRET, *grants)
    await office.ask(**changes)
    assert office.slack.whispers == []


async def test_as_good_an_answer_is_no_reason(office: Office) -> None:
    """The channel has its answer; that the asker may read another file that says so too is no news."""
    await office.world.learn("catalogue", "The oak floor costs 320 a square metre in May.")
    await office.world.learn("prices", SECRET, BOARD)
    await office.ask()
    assert office.slack.whispers == []


async def test_a_follow_up_is_whole_where_its_thread_is_not_seen(office: Office) -> None:
    await office.world.learn("prices", f"{SECRET} Oak floor is supplied by Chenguang.", BOARD)
    office.world.thread.said = [(False, QUESTION), (True, "I found nothing."), (False, "And who supplies it?")]
    run_id = await office.ask("And who supplies it?", ts="1.3", thread_ts="1.1")
    assert await office.remainder.answer(run_id, by="U1")
    (note,) = office.slack.shown.values()
    assert "oak floor" in words(note)


async def test_a_guest_who_may_not_ask_in_direct_messages_is_offered_nothing_there(office: Office) -> None:
    async with office.world.pool.connection() as connection:
        await connection.execute("UPDATE people SET is_guest = true WHERE user_id = 'U1'")
    await office.world.learn("prices", SECRET, BOARD)
    await office.ask()
    assert office.slack.whispers == []
    assert "direct message" not in final_of(office.world.replies.begun[-1]).text
