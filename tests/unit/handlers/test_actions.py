"""Clicks end in something that the person sees, whatever goes wrong."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from handlers.actions import Actions
from handlers.clicks import Clicks
from handlers.errors import Gone, MissingScope, Refused, SlackError
from handlers.model import CitationRefused, CitationView, RefusalReason
from permissions.audit import Action, AuditEntry
from tests.unit.handlers.slack_double import FakeSlack, words


class Runs:
    """``handlers.ports.Questions`` as far as clicks go."""

    def __init__(self, answer: bool | Exception) -> None:
        self._answer = answer

    async def cancel(self, run_id: str, *, by: str) -> bool:
        if isinstance(self._answer, Exception):
            raise self._answer
        return self._answer

    retry = ask_again = cancel


class Sources:
    """``handlers.ports.Citations``."""

    def __init__(self, found: CitationView | Exception) -> None:
        self._found = found
        self.asked: dict[str, str] = {}

    async def open(self, **asked: str) -> CitationView:
        self.asked = asked
        if isinstance(self._found, Exception):
            raise self._found
        return self._found


VIEW = CitationView(
    number=1,
    title="policy.pdf",
    place="第 3 页",
    before="",
    excerpt="五年。",
    after="",
    version_number=1,
    published_at="",
    is_current=True,
    link=None,
)


def click(action: str, value: str, *, block: str = "en:x:y") -> dict[str, Any]:
    return {
        "type": "block_actions",
        "trigger_id": "1.2",
        "team": {"id": "T1"},
        "user": {"id": "U1"},
        "channel": {"id": "C1"},
        "message": {"ts": "2.0", "thread_ts": "1.0"},
        "actions": [{"action_id": action, "block_id": block, "value": value}],
    }


class Trail:
    """``permissions.audit.Audit`` in memory."""

    def __init__(self) -> None:
        self.entries: list[AuditEntry] = []

    async def note(self, entry: AuditEntry, *, connection: object = None) -> None:
        self.entries.append(entry)


class Private:
    """``handlers.ports.PrivateAnswers``: run_1 is U1's, and not answered yet."""

    async def answer(self, run_id: str, *, by: str) -> bool:
        return (run_id, by) == ("run_1", "U1")


def actions(
    slack: FakeSlack,
    *,
    runs: bool | Exception = True,
    found: CitationView | Exception = VIEW,
    trail: Trail | None = None,
) -> Actions:
    now = datetime(2026, 11, 30, tzinfo=UTC)
    return Actions(
        questions=Runs(runs),  # type: ignore[arg-type]  # only what clicks call
        private=Private(),
        citations=Sources(found),
        messages=slack,
        clicks=Clicks(audit=trail or Trail(), messages=slack, team="T1"),
        team="T1",
        now=lambda: now,
    )


async def test_a_citation_opens_in_the_language_of_its_answer_for_the_one_who_clicked() -> None:
    slack = FakeSlack()
    office = actions(slack)
    await office.open_citation(click("open_citation", "ev1", block="zh:open_citation:ev1"))
    assert "五年。" in words(slack.views["V1"])
    assert slack.views["V1"]["title"]["text"] == "来源 [1]"
    asked = office._citations.asked  # type: ignore[attr-defined]  # the double's notes
    assert asked == {"team": "T1", "reader": "U1", "evidence_id": "ev1", "language": "zh"}


@pytest.mark.parametrize(
    ("problem", "said"),
    [
        (CitationRefused(RefusalReason.NOT_ALLOWED), "not shared with you"),
        (CitationRefused(RefusalReason.DELETED), "has been deleted"),
        (CitationRefused(RefusalReason.UNKNOWN), "not known any more"),
        (ConnectionError("database gone"), "could not be opened just now"),
    ],
)
async def test_the_modal_says_why_it_shows_nothing(problem: Exception, said: str) -> None:
    slack = FakeSlack()
    await actions(slack, found=problem).open_citation(click("open_citation", "ev1"))
    assert said in words(slack.views["V1"])


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (Refused("expired_trigger_id"), "Slack did not answer as it should"),
        (MissingScope(method="views.open", needed="chat:write"), "`chat:write`"),
    ],
)
async def test_without_a_modal_the_person_is_told_beside_the_message(error: SlackError, said: str) -> None:
    slack = FakeSlack()
    slack.fail("open_view", error)
    await actions(slack).open_citation(click("open_citation", "ev1"))
    ((person, text),) = slack.whispers
    assert person == "U1"
    assert said in text


async def test_a_modal_that_was_closed_meanwhile_is_no_error() -> None:
    slack = FakeSlack()
    slack.fail("update_view", Gone("not_found"))
    await actions(slack).open_citation(click("open_citation", "ev1"))
    assert slack.whispers == []


@pytest.mark.parametrize(
    ("answer", "said"),
    [(True, None), (False, "can't be"), (ConnectionError("database gone"), "did not work just now")],
)
@pytest.mark.parametrize("deed", ["stop", "retry"])
async def test_stop_and_try_again(deed: str, answer: bool | Exception, said: str | None) -> None:
    slack = FakeSlack()
    await getattr(actions(slack, runs=answer), deed)(click(f"{deed}_run", "r1"))
    assert [text for _, text in slack.whispers if said and said in text] == [text for _, text in slack.whispers]
    assert bool(slack.whispers) == (said is not None)


async def test_a_whisper_that_fails_is_only_logged() -> None:
    slack = FakeSlack()
    slack.fail("whisper", Gone("channel_not_found"))
    await actions(slack, runs=False).stop(click("stop_run", "r1"))
    assert slack.whispers == []


async def test_a_refused_click_is_noted_with_its_reason_and_no_words() -> None:
    slack, trail = FakeSlack(), Trail()
    office = actions(slack, runs=False, found=CitationRefused(RefusalReason.NOT_ALLOWED), trail=trail)
    await office.open_citation(click("open_citation", "ev1"))
    await office.ask_again(click("ask_again", "run_1"))
    assert [(entry.action, dict(entry.details)) for entry in trail.entries] == [
        (Action.REFUSAL, {"what": "open_citation", "value": "ev1", "reason": "not_allowed"}),
        (Action.REFUSAL, {"what": "ask_again", "value": "run_1", "reason": "not_theirs_or_not_now"}),
    ]
    assert "can't be asked again here" in slack.whispers[-1][1]


@pytest.mark.parametrize(("run", "said"), [("run_1", ""), ("run_2", "somebody else")])
async def test_a_private_answer_is_its_askers_or_they_are_told_why_not(run: str, said: str) -> None:
    slack = FakeSlack()
    await actions(slack).answer_privately(click("answer_privately", run))
    assert [said in text for _, text in slack.whispers] == [True] * bool(said)


@pytest.mark.parametrize("named", [None, {"id": "T-PARTNER"}])
async def test_a_click_is_one_in_our_workspace_whatever_its_payload_names(named: dict[str, str] | None) -> None:
    """None in an organisation, and that of the person where a channel is shared; people are known by ours."""
    slack, trail = FakeSlack(), Trail()
    office = actions(slack, found=CitationRefused(RefusalReason.NOT_ALLOWED), trail=trail)
    await office.open_citation(click("open_citation", "ev1") | {"team": named})
    assert office._citations.asked["team"] == "T1"  # type: ignore[attr-defined]  # the double's notes
    assert [entry.team for entry in trail.entries] == ["T1"]
