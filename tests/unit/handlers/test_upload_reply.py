"""The one message that follows an upload, and the reaction beside it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from handlers.errors import Gone, MissingScope, NotDelivered, RateLimited, TooLong, Unreachable
from handlers.model import UploadPlace, UploadStage, UploadStatus
from handlers.pace import EditBudget
from handlers.upload_reply import UploadReplies
from tests.unit.handlers.slack_double import FakeSlack, Time, words

PLACE = UploadPlace(team="T1", conversation="C1", upload_ts="1.0", language="en")


def shows(slack: FakeSlack) -> UploadReplies:
    time = Time()
    return UploadReplies(messages=slack, budget=EditBudget(clock=time), sleep=time.sleep)


def status(stage: UploadStage, cause: str | None = None) -> UploadStatus:
    return UploadStatus(title="a.pdf", stage=stage, cause=cause)


@pytest.mark.parametrize(
    ("stage", "cause", "reaction", "said"),
    [
        (UploadStage.READY, None, "white_check_mark", "is ready"),
        (UploadStage.FAILED, "encrypted", "warning", "protected by a password"),
        (UploadStage.FAILED, "a cause of tomorrow", "warning", "something went wrong on my side"),
        (UploadStage.FAILED, None, "warning", "something went wrong on my side"),
    ],
)
async def test_from_waiting_to_the_end(stage: UploadStage, cause: str | None, reaction: str, said: str) -> None:
    slack = FakeSlack()
    replies = shows(slack)
    ts = await replies.show(PLACE, status(UploadStage.WAITING))
    assert (slack.reactions, slack.threads[ts]) == ({"eyes"}, "1.0")
    place = replace(PLACE, status_ts=ts)
    await replies.show(place, status(UploadStage.READING))
    assert await replies.show(place, status(stage, cause)) == ts
    assert slack.reactions == {reaction}
    assert said in words(slack.shown[ts])
    assert len(slack.shown) == 1
    assert not replies._live


@pytest.mark.parametrize("cause", ["access_denied", "not_found"])
async def test_a_file_that_slack_does_not_show_us_is_not_named(cause: str) -> None:
    slack = FakeSlack()
    replies = shows(slack)
    ts = await replies.show(PLACE, status(UploadStage.WAITING))
    await replies.show(replace(PLACE, status_ts=ts), status(UploadStage.FAILED, cause))
    assert "a.pdf" not in words(slack.shown[ts])


@pytest.mark.parametrize("error", [Gone("message_not_found"), TooLong("msg_too_long")])
async def test_a_message_that_cannot_be_edited_is_posted_anew(error: Exception) -> None:
    slack = FakeSlack()
    replies = shows(slack)
    first = await replies.show(PLACE, status(UploadStage.WAITING))
    slack.fail("edit", error)
    last = await replies.show(replace(PLACE, status_ts=first), status(UploadStage.READY))
    assert last != first
    assert "is ready" in words(slack.shown[last])


async def test_an_upload_that_is_read_at_once_is_told_once() -> None:
    slack = FakeSlack()
    ts = await shows(slack).show(PLACE, status(UploadStage.READY))
    assert slack.reactions == {"white_check_mark"}
    assert not slack.edits
    assert "is ready" in words(slack.shown[ts])


async def test_429s_delay_the_end_and_do_not_lose_it() -> None:
    slack = FakeSlack()
    replies = shows(slack)
    ts = await replies.show(PLACE, status(UploadStage.WAITING))
    slack.fail("edit", *[RateLimited(method="chat.update", retry_after=30) for _ in range(3)])
    await replies.show(replace(PLACE, status_ts=ts), status(UploadStage.READY))
    assert "is ready" in words(slack.shown[ts])


async def test_without_reactions_the_message_still_tells() -> None:
    slack = FakeSlack()
    slack.fail("react", MissingScope(method="reactions.add", needed="reactions:write"))
    assert await shows(slack).show(PLACE, status(UploadStage.WAITING)) in slack.shown


async def test_when_slack_stays_away_the_caller_hears_of_it() -> None:
    slack = FakeSlack()
    replies = shows(slack)
    ts = await replies.show(PLACE, status(UploadStage.WAITING))
    slack.fail("edit", *[Unreachable("timeout") for _ in range(100)])
    with pytest.raises(NotDelivered):
        await replies.show(replace(PLACE, status_ts=ts), status(UploadStage.READY))


async def test_at_the_stop_of_the_process_messages_are_left_as_they_stand() -> None:
    slack = FakeSlack()
    replies = shows(slack)
    ts = await replies.show(PLACE, status(UploadStage.WAITING))
    await replies.show(replace(PLACE, status_ts=ts), status(UploadStage.READING))
    await replies.aclose()
    assert not replies._live
