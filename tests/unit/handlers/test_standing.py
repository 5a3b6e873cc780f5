"""What becomes of answers in Slack: what is taken away comes first, at the rate that Slack allows."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from handlers.errors import Gone, NotEditable
from handlers.model import GivenAnswer, Outgoing, Post
from handlers.pace import EditBudget
from handlers.standing import OutOfReach, Standings
from tests.unit.handlers.slack_double import FakeSlack, Time, words


class Clocked(Time):
    """A clock for many who wait at once: time is that of whoever has waited least."""

    def __init__(self) -> None:
        super().__init__()
        self._waiting: list[tuple[float, asyncio.Future[None]]] = []

    async def sleep(self, seconds: float) -> None:
        woken: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((self.now + seconds, woken))
        await woken

    async def run(self, *work: asyncio.Task[None]) -> None:
        """Let time pass until the work is done."""
        while not all(task.done() for task in work):
            for _ in range(200):
                await asyncio.sleep(0)
            if self._waiting:
                self._waiting.sort(key=lambda item: item[0])
                at, woken = self._waiting.pop(0)
                self.now = max(self.now, at)
                woken.set_result(None)
        for task in work:
            task.result()


def board(slack: FakeSlack, time: Time) -> Standings:
    return Standings(messages=slack, edits=EditBudget(clock=time), removals=EditBudget(clock=time), sleep=time.sleep)


def given(slack: FakeSlack, number: int, *, newer: tuple[str, ...] = ()) -> GivenAnswer:
    """An answer in two messages with one of citations, as it stands in Slack."""
    citations = ({"blocks": [{"type": "section", "text": {"type": "plain_text", "text": f"[1] policy-{number}"}}]},)
    posts = (
        Post(1, f"{number}.1", Outgoing(f"secret {number}")),
        Post(2, f"{number}.2", Outgoing(f"more {number}")),
        Post(3, f"{number}.3", Outgoing("sources", attachments=citations)),
    )
    slack.shown |= {str(post.ts): post.message for post in posts}
    return GivenAnswer(f"r{number}", "C1", "1.0", "en", posts, newer)


async def always() -> bool:
    return True


async def test_twenty_answers_are_withdrawn_within_ten_seconds() -> None:
    slack, time = FakeSlack(), Clocked()
    office = board(slack, time)
    work = [asyncio.create_task(office.withdraw(given(slack, number))) for number in range(20)]
    landed: list[float] = []
    edit = slack.edit

    async def noted(*arguments: object) -> None:
        await edit(*arguments)  # type: ignore[arg-type]  # handed on
        landed.append(time.now)

    slack.edit = noted  # type: ignore[method-assign]  # notes when
    await time.run(*work)  # type: ignore[arg-type]  # what they return does not matter
    assert len(landed) == 20
    assert max(landed) <= 10
    assert len(slack.shown) == 20
    assert not any("secret" in message.text for message in slack.shown.values())


async def test_withdrawals_come_before_the_ends_of_answers_and_those_before_marks() -> None:
    slack, time = FakeSlack(), Clocked()
    office = board(slack, time)
    idle = office.edits.join()
    while office.edits.take_final(idle) == 0:
        pass
    office.edits.leave(idle)
    order: list[str] = []

    async def end() -> None:
        lane = office.edits.join()
        while wait := office.edits.take_final(lane):
            await time.sleep(wait)
        order.append("end")
        office.edits.leave(lane)

    async def withdraw(number: int) -> None:
        await office.withdraw(given(slack, number))
        order.append("withdrawal")

    async def mark() -> None:
        await office.mark(given(slack, 9, newer=("policy",)), always)
        order.append("mark")

    works = [mark(), end(), withdraw(1), withdraw(2), withdraw(3)]
    await time.run(*[asyncio.create_task(work) for work in works])
    assert order == ["withdrawal", "withdrawal", "withdrawal", "end", "mark"]


async def test_a_mark_stands_below_the_last_words_and_leaves_the_rest() -> None:
    slack, time = FakeSlack(), Time()
    answer = given(slack, 1, newer=("policy.pdf", "<!channel>.pdf"))
    await board(slack, time).mark(answer, always)
    ((ts, message),) = slack.edits
    assert (ts, message.text) == ("1.2", "more 1")
    assert "A newer version of “policy.pdf”" in words(message)
    assert "<!channel>" not in words(message)
    assert message.blocks[-1]["elements"][0]["action_id"] == "ask_again"


async def test_a_mark_that_may_not_be_set_any_more_is_not_set() -> None:
    slack, time = FakeSlack(), Time()

    async def never() -> bool:
        return False

    await board(slack, time).mark(given(slack, 1, newer=("policy",)), never)
    assert slack.edits == []


async def test_an_answer_that_can_not_be_edited_stays_unmarked() -> None:
    slack, time = FakeSlack(), Time()
    slack.fail("edit", NotEditable("edit_window_closed"))
    await board(slack, time).mark(given(slack, 1, newer=("policy",)), always)
    assert slack.edits == []


@pytest.mark.parametrize("error", ["not_in_channel", "channel_not_found", "is_archived"])
async def test_where_the_bot_can_not_write_it_is_out_of_reach(error: str) -> None:
    slack, time = FakeSlack(), Time()
    slack.fail("edit", Gone(error))
    with pytest.raises(OutOfReach):
        await board(slack, time).withdraw(given(slack, 1))


async def test_who_reads_alone_is_spoken_to_as_such() -> None:
    slack, time = FakeSlack(), Time()
    office = board(slack, time)
    await office.withdraw(given(slack, 1))
    assert "not everyone here" in slack.shown["1.1"].text
    await office.withdraw(replace(given(slack, 2), alone=True))
    assert "you may not see" in slack.shown["2.1"].text


async def test_making_room_leaves_the_message_that_is_taken_over() -> None:
    slack, time = FakeSlack(), Time()
    await board(slack, time).make_room(given(slack, 1))
    assert list(slack.shown) == ["1.1"]
    assert slack.shown["1.1"].text == "secret 1"
