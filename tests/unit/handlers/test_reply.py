"""One reply: what people see while it works, and that its end lands whatever Slack does."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handlers.errors import (
    Gone,
    MissingScope,
    NotAuthorised,
    NotDelivered,
    NotEditable,
    RateLimited,
    Refused,
    SlackError,
    TooLong,
    Unreachable,
)
from handlers.model import Cancelled, Completion, Failed, Outgoing, RunEvent, Status, Step, TextDelta, Transcript
from handlers.pace import EditBudget
from handlers.reply import Replies, Reply
from tests.unit.handlers.samples import final, inquiry
from tests.unit.handlers.slack_double import FakeSlack, Noted, Time, words


def replies(slack: FakeSlack, time: Time, **budget: Any) -> Replies:
    return Replies(
        messages=slack,
        journal=Noted(),
        budget=EditBudget(clock=time, **budget),
        now=lambda: datetime(2026, 11, 30, 12, tzinfo=UTC),
        sleep=time.sleep,
    )


async def begun(slack: FakeSlack, **changes: Any) -> Reply:
    return await replies(slack, Time()).begin(inquiry(**changes), run_id="r1", language="en")


def delta(seq: int, text: str, *, revision: int = 1) -> TextDelta:
    return TextDelta(run_id="r1", answer_id="a1", revision=revision, seq=seq, text=text)


async def settle() -> None:
    """Let the task that owns the edits do what it can."""
    for _ in range(50):
        await asyncio.sleep(0)


async def test_the_placeholder_is_there_at_once_with_a_stop_button() -> None:
    slack = FakeSlack()
    reply = await begun(slack)
    shown = slack.shown[reply.placeholder_ts]
    assert slack.threads[reply.placeholder_ts] == "1.0"
    assert "Got your question" in words(shown)
    assert shown.blocks[-1]["elements"][0]["action_id"] == "stop_run"
    await reply.abandon()


async def test_steps_transcript_and_draft_are_shown_as_they_come() -> None:
    slack = FakeSlack()
    reply = await begun(slack)
    await reply.show(Transcript(run_id="r1", text="how long is the warranty"))
    await reply.show(Status(run_id="r1", step=Step.SEARCHING, detail="warranty"))
    await reply.show(delta(1, "Five "))
    await reply.show(delta(2, "years [1]"))
    await settle()
    shown = words(slack.shown[reply.placeholder_ts])
    assert "I heard: “how long is the warranty”" in shown
    assert "Searching for “warranty”" in shown
    assert "Five years [1]" in shown
    await reply.abandon()


async def test_after_a_voice_clip_was_heard_the_steps_are_in_its_language() -> None:
    slack = FakeSlack()
    reply = await begun(slack)
    await reply.show(Status(run_id="r1", step=Step.TRANSCRIBING))
    await settle()
    shown = words(slack.shown[reply.placeholder_ts])
    assert "Listening to your voice message" in shown
    assert "正在听你的语音" in shown
    await reply.show(Transcript(run_id="r1", text="防水保修几年？"))
    await reply.show(Status(run_id="r1", step=Step.CHECKING))
    await settle()
    shown = words(slack.shown[reply.placeholder_ts])
    assert "我听到的是：“防水保修几年？”" in shown
    assert "正在核对找到的内容…" in shown
    await reply.abandon()


async def test_deltas_seen_before_or_of_an_older_revision_change_nothing() -> None:
    slack = FakeSlack()
    reply = await begun(slack)
    for event in (delta(1, "old"), delta(1, "new", revision=2), delta(2, "late"), delta(1, "new", revision=2)):
        await reply.show(event)
    await settle()
    shown = words(slack.shown[reply.placeholder_ts])
    assert "new" in shown
    assert "late" not in shown
    assert "newnew" not in shown
    await reply.abandon()


async def test_the_answer_ends_in_the_message_and_its_citations_follow_in_the_thread() -> None:
    slack = FakeSlack()
    reply = await begun(slack)
    await reply.show(final("Five years [1].", 1, 2))
    await reply.finish()
    assert "Five years [1]." in words(slack.shown[reply.placeholder_ts])
    (citations,) = [message for ts, message in slack.shown.items() if ts != reply.placeholder_ts]
    assert set(slack.threads.values()) == {"1.0"}
    assert len(citations.attachments) == 1
    assert citations.attachments[0]["blocks"][0]["accessory"]["value"] == "ev1"


async def test_an_edit_under_way_never_lands_after_the_final_one() -> None:
    slack = FakeSlack(gate=asyncio.Event())
    reply = await begun(slack)
    await reply.show(delta(1, "draft"))
    await settle()
    await reply.show(final("Done [1].", 1))
    finishing = asyncio.ensure_future(reply.finish())
    await settle()
    assert not slack.edits
    slack.gate.set()
    await finishing
    assert ["draft" in words(message) for _, message in slack.edits] == [True, False]


async def test_the_end_does_not_wait_for_the_turn_of_a_progress_edit() -> None:
    slack, for_ever = FakeSlack(), asyncio.Event()

    async def sleep(_: float) -> None:
        await for_ever.wait()

    office = replace(replies(slack, Time()), sleep=sleep)
    reply = await office.begin(inquiry(), run_id="r1", language="en")
    for seq in range(1, 4):
        await reply.show(delta(seq, "word "))
        await settle()
    assert len(slack.edits) == 1
    await reply.show(final("Done [1].", 1))
    await reply.finish()
    assert "Done [1]." in words(slack.shown[reply.placeholder_ts])


async def test_what_is_shown_already_is_not_sent_again() -> None:
    slack = FakeSlack()
    reply = await begun(slack)
    for _ in range(5):
        await reply.show(Status(run_id="r1", step=Step.WRITING))
        await settle()
    assert len(slack.edits) == 1
    await reply.abandon()


async def test_what_comes_after_the_end_changes_nothing() -> None:
    slack = FakeSlack()
    reply = await begun(slack)
    await reply.show(final("Done [1].", 1))
    for late in (delta(9, "late"), Cancelled(run_id="r1"), final("other [1].", 1)):
        await reply.show(late)
    await reply.finish()
    await settle()
    assert "Done [1]." in words(slack.shown[reply.placeholder_ts])


FAILURES = [
    Gone("message_not_found"),
    NotEditable("edit_window_closed"),
    Refused("something_new"),
]


@pytest.mark.parametrize("error", FAILURES, ids=lambda error: error.error)
async def test_an_answer_whose_message_cannot_be_edited_is_posted(error: SlackError) -> None:
    slack = FakeSlack()
    reply = await begun(slack)
    slack.fail("edit", error)
    await reply.show(final("Five years [1].", 1))
    await reply.finish()
    assert reply.placeholder_ts not in slack.shown
    assert "Five years [1]." in words(next(iter(slack.shown.values())))


async def test_a_progress_edit_that_is_refused_does_not_keep_the_answer_away() -> None:
    slack = FakeSlack()
    reply = await begun(slack)
    slack.fail("edit", Gone("message_not_found"), Gone("message_not_found"))
    await reply.show(delta(1, "draft"))
    await settle()
    await reply.show(delta(2, "more"))
    await settle()
    assert len(slack.errors["edit"]) == 1
    await reply.show(final("Five years [1].", 1))
    await reply.finish()
    assert "Five years [1]." in words(next(iter(slack.shown.values())))


@pytest.mark.parametrize("times", [1, 2, 3])
async def test_an_answer_that_slack_finds_too_long_arrives_in_smaller_pieces(times: int) -> None:
    slack = FakeSlack()
    reply = await begun(slack)
    slack.fail("edit", *[TooLong("msg_too_long") for _ in range(times)])
    paragraphs = [f"Paragraph {number} " + "word " * 200 for number in range(30)]
    await reply.show(final("\n\n".join(paragraphs)))
    await reply.finish()
    arrived = "\n".join(message.text + words(message) for message in slack.shown.values())
    assert all(f"Paragraph {number} " in arrived for number in range(30))


@given(st.lists(st.sampled_from(["429", "net", "delta", "status"]), max_size=25))
async def test_the_end_lands_whatever_goes_wrong_before(troubles: list[str]) -> None:
    slack, time = FakeSlack(), Time()
    reply = await replies(slack, time, burst=3).begin(inquiry(), run_id="r1", language="en")
    for seq, trouble in enumerate(troubles, start=1):
        if trouble in ("429", "net"):
            error = RateLimited(method="chat.update", retry_after=7) if trouble == "429" else Unreachable("timeout")
            slack.fail("edit", error)
        event: RunEvent = delta(seq, "more ") if trouble == "delta" else Status(run_id="r1", step=Step.WRITING)
        await reply.show(event)
        await asyncio.sleep(0)
    await reply.show(final("Five years [1].", 1))
    await reply.finish()
    ts, last = slack.edits[-1]
    assert (ts, "Five years [1]." in words(last)) == (reply.placeholder_ts, True)


async def test_when_slack_stays_away_the_run_hears_of_it() -> None:
    slack = FakeSlack()
    reply = await begun(slack)
    slack.fail("edit", *[Unreachable("timeout") for _ in range(100)])
    await reply.show(final("Five years [1].", 1))
    with pytest.raises(NotDelivered):
        await reply.finish()


@pytest.mark.parametrize(
    ("event", "expected"),
    [
        (Failed(run_id="r1", message="The database went away.", can_retry=True), "The database went away."),
        (Cancelled(run_id="r1"), "This question was stopped."),
        (final("", completion=Completion.NOTHING_FOUND, evidence=None), "I found nothing about this"),
        (final("", completion=Completion.REFUSED, evidence=None), "I can't answer this."),
        (None, "The answer broke off."),
    ],
)
async def test_every_end_is_said_in_words(event: RunEvent | None, expected: str) -> None:
    slack = FakeSlack()
    reply = await begun(slack)
    if event is not None:
        await reply.show(event)
    await reply.finish()
    assert expected in words(slack.shown[reply.placeholder_ts])


async def test_where_the_bot_may_not_write_the_asker_is_told_in_their_dm() -> None:
    slack = FakeSlack()
    slack.fail("post", Gone("not_in_channel"))
    with pytest.raises(Gone):
        await begun(slack)
    ((ts, message),) = slack.shown.items()
    assert ts.startswith("U1")
    assert "<#C1>" in message.text


async def test_where_the_bot_may_no_longer_write_the_asker_is_told_in_their_dm() -> None:
    """A channel that was archived while the answer was on its way."""
    slack = FakeSlack()
    reply = await begun(slack)
    slack.fail("edit", Gone("is_archived"))
    slack.fail("post", Gone("is_archived"))
    await reply.show(final("Five years [1].", 1))
    with pytest.raises(NotDelivered):
        await reply.finish()
    ts, message = list(slack.shown.items())[-1]
    assert ts.startswith("U1")
    assert "is_archived" in message.text


@pytest.mark.parametrize("error", [NotAuthorised("account_inactive"), MissingScope(method="", needed="chat:write")])
async def test_whatever_slack_has_against_the_edit_the_answer_is_posted(error: SlackError) -> None:
    slack = FakeSlack()
    reply = await begun(slack)
    slack.fail("edit", error)
    await reply.show(final("Five years [1].", 1))
    await reply.finish()
    assert any("Five years [1]." in words(message) for message in slack.shown.values())


async def test_a_placeholder_of_an_earlier_process_is_taken_up() -> None:
    slack = FakeSlack()
    earlier = await slack.post("C1", Outgoing(text="…"), thread_ts="1.0")
    reply = await replies(slack, Time()).resume(inquiry(), run_id="r1", language="zh", placeholder_ts=earlier)
    await reply.show(Failed(run_id="r1", message="机器人重启了。", can_retry=True))
    await reply.finish()
    shown = slack.shown[earlier]
    assert "机器人重启了。" in words(shown)
    assert shown.blocks[-1]["elements"][0]["action_id"] == "retry_run"


async def test_at_the_stop_of_the_process_open_replies_are_let_go() -> None:
    slack = FakeSlack()
    office = replies(slack, Time())
    await office.begin(inquiry(), run_id="r1", language="en")
    await office.aclose()
    assert not office._open


async def test_an_answer_that_is_withdrawn_while_it_waits_for_its_turn_is_never_sent() -> None:
    slack, time = FakeSlack(), Time()
    journal = Noted()

    async def withdrawn_meanwhile(seconds: float) -> None:
        journal.withdrawn = True
        await time.sleep(seconds)

    office = replace(replies(slack, time), journal=journal, sleep=withdrawn_meanwhile)
    reply = await office.begin(inquiry(), run_id="r1", language="en")
    other = office.budget.join()
    while office.budget.take_final(other) == 0:
        pass
    await reply.show(final("Five years [1].", 1))
    await reply.finish()
    assert journal.posts
    assert slack.edits == []
    assert list(slack.shown) == [reply.placeholder_ts]


async def test_every_message_of_an_answer_is_noted_and_one_that_quotes_nothing_is_not() -> None:
    slack, journal = FakeSlack(), Noted()
    office = replace(replies(slack, Time()), journal=journal)
    reply = await office.begin(inquiry(), run_id="r1", language="en")
    await reply.show(final("\n\n".join(["Five years. " * 700, "And more. " * 700 + "[1]"]), 1))
    await reply.finish()
    assert {post.ts for post in journal.posts.values()} == set(slack.shown)
    assert len(slack.shown) == 3
    journal.posts.clear()
    reply = await office.begin(inquiry(), run_id="r2", language="en")
    await reply.show(Cancelled(run_id="r2"))
    await reply.finish()
    assert journal.posts == {}
