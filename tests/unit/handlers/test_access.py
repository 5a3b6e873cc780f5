"""The window about a file, and App Home: plain words, inert titles, and an end whatever goes wrong."""

from __future__ import annotations

from collections.abc import Collection
from datetime import UTC, datetime
from typing import Any

import pytest

from handlers.access import AccessActions, access_blocks
from handlers.home import Home, home_view
from handlers.model import (
    FileAccess,
    FileRefused,
    HomeFacts,
    HomeFile,
    PlaceKind,
    RefusalReason,
    SeenFrom,
    UploadStage,
)
from permissions.roles import Role
from tests.unit.handlers.slack_double import FakeSlack, words

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
HOSTILE = "<!channel> <@U1>\nplan"


def access(*places: SeenFrom, elsewhere: bool = False, **changes: Any) -> FileAccess:
    values: dict[str, Any] = {"document": "d1", "title": "plan.md", "may_forget": False}
    return FileAccess(places=places, elsewhere=elsewhere, **{**values, **changes})


def said(found: FileAccess, language: str = "en") -> str:
    return str(access_blocks(found, language)[1]["text"]["text"])


@pytest.mark.parametrize(
    ("found", "en", "zh"),
    [
        (
            access(SeenFrom(PlaceKind.WORKSPACE, people=12)),
            "• every full member of this workspace (12 people)",
            "• 本工作区的全部正式成员（12 人）",
        ),
        (
            access(SeenFrom(PlaceKind.CHANNEL, "C1", 1), elsewhere=True),
            "• everyone in <#C1> (1 person)\n• and people in other places that you can't see",
            "• <#C1> 里的每个人（1 人）\n• 以及你看不到的其他地方的人",
        ),
        (access(SeenFrom(PlaceKind.GROUP, "S1")), "the user group <!subteam^S1>", "用户组 <!subteam^S1>"),
        (access(SeenFrom(PlaceKind.PERSON, "U2")), "• <@U2>", "• <@U2>"),
        (access(elsewhere=True), "• people in places that you can't see", "• 你看不到的地方的人"),
        (access(), "Nobody at the moment", "目前没有人"),
    ],
)
def test_who_can_see_a_file_is_said_in_plain_words(found: FileAccess, en: str, zh: str) -> None:
    assert en in said(found)
    assert zh in said(found, "zh")


def test_only_who_looks_after_the_file_may_forget_it_and_is_asked_first() -> None:
    assert "forget_file" not in str(access_blocks(access(), "en"))
    (_, _, actions) = access_blocks(access(may_forget=True), "en")
    (button,) = actions["elements"]
    assert "can't be undone" in button["confirm"]["text"]["text"]
    assert len(button["confirm"]["text"]["text"]) <= 300


def test_titles_are_inert_and_one_that_is_not_open_is_not_said() -> None:
    title = access_blocks(access(title=HOSTILE), "en")[0]["text"]
    assert title["type"] == "plain_text"
    assert "<" not in title["text"]
    assert "\n" not in title["text"]
    assert "not open to you" in access_blocks(access(title=None), "en")[0]["text"]["text"]


class Shelf:
    """``handlers.ports.Library`` that answers everything alike."""

    def __init__(self, problem: Exception | None = None, *, closed: Collection[str] = ()) -> None:
        self.problem = problem
        self.closed = closed

    async def language(self, team: str, person: str) -> str:
        return "en"

    async def known_file(self, *, team: str, file_id: str) -> str | None:
        return file_id.lower()

    async def who_sees(self, *, document: str, **_: str) -> FileAccess:
        if self.problem:
            raise self.problem
        if document in self.closed:
            raise FileRefused(RefusalReason.NOT_ALLOWED)
        return access(SeenFrom(PlaceKind.CHANNEL, "C1", 2))

    async def forget(self, **_: str) -> None:
        if self.problem:
            raise self.problem

    async def home(self, **_: Any) -> HomeFacts:
        raise ConnectionError("the database is gone")


def click(**where: Any) -> dict[str, Any]:
    return {
        "type": "block_actions",
        "trigger_id": "1.2",
        "user": {"id": "U1"},
        "actions": [{"action_id": "x", "block_id": "en:x:d1", "value": "d1"}],
        **where,
    }


async def no_redraw(person: str) -> None:
    raise AssertionError(person)


def actions(slack: FakeSlack, problem: Exception | None = None, drawn: list[str] | None = None) -> AccessActions:
    async def redraw(person: str) -> None:
        (drawn if drawn is not None else []).append(person)

    return AccessActions(library=Shelf(problem), messages=slack, team="T1", redraw=redraw)  # type: ignore[arg-type]  # only what clicks call


@pytest.mark.parametrize(
    ("problem", "expected"),
    [
        (None, "everyone in <#C1> (2 people)"),
        (FileRefused(RefusalReason.NOT_ALLOWED), "not open to you"),
        (FileRefused(RefusalReason.UNKNOWN), "know nothing of this file"),
        (ConnectionError("gone"), "did not work just now"),
    ],
)
async def test_the_window_ends_in_words(problem: Exception | None, expected: str) -> None:
    slack = FakeSlack()
    await actions(slack, problem).who(click())
    assert expected in words(slack.views["V1"])


@pytest.mark.parametrize(
    ("closed", "expected", "missing"),
    [
        (["f1"], "everyone in <#C1>", "not open to you"),
        (["f1", "f2"], "not open to you", "everyone in <#C1>"),
    ],
)
async def test_a_file_that_is_closed_hides_no_other_of_its_message(
    closed: list[str], expected: str, missing: str
) -> None:
    slack = FakeSlack()
    shelf = Shelf(closed=closed)
    window = AccessActions(library=shelf, messages=slack, team="T1", redraw=no_redraw)  # type: ignore[arg-type]  # only what clicks call
    await window.who_of_message(click(message={"ts": "1.5", "files": [{"id": "F1"}, {"id": "F2"}]}))
    assert expected in words(slack.views["V1"])
    assert missing not in words(slack.views["V1"])


@pytest.mark.parametrize(
    ("problem", "expected"),
    [
        (None, "Forgotten"),
        (FileRefused(RefusalReason.NOT_ALLOWED), "not open to you"),
        (ConnectionError("gone"), "did not work just now"),
    ],
)
async def test_what_came_of_forgetting_is_said_in_the_window(problem: Exception | None, expected: str) -> None:
    slack = FakeSlack()
    await actions(slack, problem).forget(click(view={"id": "V1", "type": "modal"}))
    assert expected in words(slack.views["V1"])


async def test_what_came_of_forgetting_from_app_home_is_seen_there_or_in_a_message() -> None:
    slack, drawn = FakeSlack(), list[str]()
    home = click(view={"id": "V9", "type": "home"}, container={"type": "view", "view_id": "V9"})
    await actions(slack, drawn=drawn).forget(home)
    assert drawn == ["U1"]
    await actions(slack, ConnectionError("gone"), drawn).forget(home)
    assert drawn == ["U1"]
    assert ["did not work" in message.text for message in slack.shown.values()] == [True]


def facts(*files: HomeFile, **changes: Any) -> HomeFacts:
    values: dict[str, Any] = {"language": "en", "role": Role.CONTRIBUTOR, "page": 0, "has_more": False, "person": "U1"}
    return HomeFacts(files=files, **{**values, **changes})


@pytest.mark.parametrize("role", list(Role))
@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_role_has_its_words(role: Role, language: str) -> None:
    assert home_view(facts(role=role, language=language), NOW)["type"] == "home"


def test_only_whose_files_are_learned_is_told_to_share_some() -> None:
    told = {role: "Share a file" in words(home_view(facts(role=role), NOW)) for role in Role}
    assert told == {role: role is not Role.READER for role in Role}


def test_a_full_page_of_files_is_within_slacks_limits() -> None:
    files = [HomeFile(f"d{n}", "t" * 400, UploadStage.FAILED, NOW.isoformat(), "encrypted") for n in range(8)]
    view = home_view(facts(*files, page=2, has_more=True, states={"ready": 7, "failed": 1}), NOW)
    assert len(view["blocks"]) <= 100
    ids = [block["block_id"] for block in view["blocks"] if "block_id" in block]
    assert len(ids) == len(set(ids))
    assert "protected by a password" in words(view)
    assert "ready: 7" in words(view)
    assert "haitang audit export --as U1" in words(view)


def test_numbers_of_all_files_are_for_administrators_alone() -> None:
    assert "audit export" not in words(home_view(facts(), NOW))


async def test_a_home_that_can_not_be_looked_up_says_so_in_both_languages() -> None:
    slack = FakeSlack()
    await Home(library=Shelf(), messages=slack, team="T1", now=lambda: NOW).draw("U1")  # type: ignore[arg-type]  # only home is called
    assert "did not work" in words(slack.homes["U1"])
    assert "刚才没有成功" in words(slack.homes["U1"])
