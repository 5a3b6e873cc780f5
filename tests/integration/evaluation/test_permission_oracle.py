"""The oracle's rules, each by itself: an oracle that is wrong proves nothing."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.evaluation.permissions.markers import Markers, Planted
from bot.evaluation.permissions.oracle import Oracle, may_read_file, may_read_history
from bot.sandbox.model import Conversation, File, Person, Share
from bot.sandbox.server import Sandbox

TEAM = "T1"
MEMBER = Person(id="U1", name="member", real_name="Member", team=TEAM)
GUEST = replace(MEMBER, id="U2", is_guest=True)
STRANGER = replace(MEMBER, id="U3", team="T2", is_stranger=True)
FOREIGNER = replace(MEMBER, id="U4", team="T2")
GONE = replace(MEMBER, id="U5", deleted=True)
ROBOT = replace(MEMBER, id="U6", is_bot=True)
EVERYBODY = (MEMBER, GUEST, STRANGER, FOREIGNER, GONE, ROBOT)


def place(kind: str, *members: Person) -> Conversation:
    ids = tuple(one.id for one in members)
    return Conversation(id="C1", kind=kind, name="place", creator="U9", created=0, members=ids)  # type: ignore[arg-type]


def file(*places: Conversation, user: str = "U9") -> File:
    shares = tuple(Share(conversation=one.id, ts="1.0") for one in places)
    return File(id="F1", name="f", title="f", mimetype="text/plain", size=1, user=user, created=0, shares=shares)


def readers(conversation: Conversation) -> set[str]:
    return {one.id for one in EVERYBODY if may_read_history(one, conversation, team=TEAM)}


def openers(shared: File, *places: Conversation) -> set[str]:
    known = {one.id: one for one in places}
    return {one.id for one in EVERYBODY if may_read_file(one, shared, known, team=TEAM)}


def test_a_public_channel_is_read_by_full_members_without_joining() -> None:
    assert readers(place("public")) == {"U1"}


@pytest.mark.parametrize("kind", ["public", "private", "group_dm", "dm"])
def test_whoever_is_in_it_reads_it_but_bots_and_those_who_left_the_company(kind: str) -> None:
    assert readers(place(kind, *EVERYBODY)) == {"U1", "U2", "U3", "U4"}


@pytest.mark.parametrize("kind", ["private", "group_dm", "dm"])
def test_nobody_else_reads_what_is_not_public(kind: str) -> None:
    assert readers(place(kind)) == set()


def test_a_file_is_open_to_the_readers_of_each_of_its_places_and_to_its_owner() -> None:
    private, public = place("private", GUEST), replace(place("public"), id="C2")
    assert openers(file(private), private) == {"U2"}
    assert openers(file(private, public), private, public) == {"U1", "U2"}
    assert openers(file(private, user="U3"), private) == {"U2", "U3"}
    assert openers(file(), private) == set()


def test_a_deleted_file_is_open_to_nobody() -> None:
    private = place("private", MEMBER)
    assert openers(replace(file(private, user="U1"), deleted=True), private) == set()


def test_a_place_that_is_gone_opens_nothing() -> None:
    assert openers(file(place("private", MEMBER))) == set()


class Judged:
    """An oracle over the small office, where mei has shared a file in the private #prices."""

    def __init__(self, office: Sandbox) -> None:
        self.workspace = office.context.workspace
        self.rooms = office.context.rooms
        mei, prices = self.workspace.find_person("mei"), self.workspace.find_channel("prices")
        assert mei is not None
        assert prices is not None
        self.mei, self.prices = mei, prices
        self.file = office.context.uploads.announce(mei, name="prices.md")
        office.context.uploads.share(self.file, mei, prices)
        self.other = office.context.uploads.announce(mei, name="mine.md")
        self.shown = Planted(self.workspace.app.team, self.file.id, in_title=False)
        self.oracle = Oracle(self.workspace)

    def person(self, name: str) -> Person:
        found = self.workspace.find_person(name)
        assert found is not None
        return found

    def show(self, name: str, *, conversation: str | None = None, shown: Planted | None = None) -> int:
        """Show the file to somebody; how many leaks the oracle has found by then."""
        what = [shown or self.shown]
        self.oracle.shown(self.person(name).id, what, where="somewhere", conversation=conversation, text="")
        return len(self.oracle.leaks)

    def stand(self, channel: str, *, shown: Planted | None = None) -> set[str]:
        """Let a message that shows the file stand in a channel; who is found to read what they may not."""
        found = self.workspace.find_channel(channel)
        assert found is not None
        self.oracle.look()
        self.oracle.leaks.clear()
        self.oracle.settle([(found.id, "9.9", frozenset([shown or self.shown]), "")])
        return {self.workspace.people[leak.person].name for leak in self.oracle.leaks}


@pytest.fixture
async def judged(office: Sandbox) -> Judged:
    return Judged(office)


async def test_what_appears_before_those_who_may_not_read_it_is_a_leak(judged: Judged) -> None:
    assert judged.show("mei") == 0
    assert judged.show("tom") == 1
    assert sum(judged.oracle.checks.values()) == 2


async def test_what_stands_is_judged_for_everyone_who_can_read_it(judged: Judged) -> None:
    assert judged.stand("prices") == set()
    assert judged.stand("general") == {"tom", "gus"}
    assert judged.stand("sales") == {"tom"}


async def test_it_is_judged_again_when_somebody_joins(judged: Judged) -> None:
    assert judged.stand("prices", shown=replace(judged.shown, file=judged.other.id)) == set()
    judged.rooms.join(judged.prices, judged.person("tom"), inviter=judged.mei)
    assert judged.stand("prices", shown=replace(judged.shown, file=judged.other.id)) == {"tom"}


async def test_what_slack_does_not_let_the_bot_change_is_counted_apart(judged: Judged) -> None:
    general = judged.workspace.find_channel("general")
    assert general is not None
    judged.rooms.archive(general, by=judged.mei)
    assert judged.stand("general") == set()
    assert len(judged.oracle.out_of_reach) == 2
    judged.rooms.unarchive(judged.workspace.conversations[general.id], by=judged.mei)
    assert judged.stand("general") == {"tom", "gus"}


async def test_between_two_settlings_only_what_was_wrong_all_the_time_is_a_leak(judged: Judged) -> None:
    tom = judged.person("tom")
    judged.rooms.join(judged.prices, tom, inviter=judged.mei)
    judged.oracle.look()
    judged.oracle.settle([])
    judged.rooms.leave(judged.workspace.conversations[judged.prices.id], tom)
    judged.oracle.look()
    assert judged.show("tom") == 0  # the bot may not have heard of it yet
    judged.oracle.settle([])
    assert judged.show("tom") == 1


async def test_who_has_just_come_is_not_held_against_what_was_under_way(judged: Judged) -> None:
    general = judged.workspace.find_channel("sales")
    assert general is not None
    judged.rooms.join(general, judged.person("gus"), inviter=judged.mei)
    judged.oracle.look()
    assert judged.show("gus", conversation=general.id) == 0
    judged.oracle.settle([])
    assert judged.show("gus", conversation=general.id) == 1


async def test_a_file_of_another_workspace_is_nobodys(judged: Judged) -> None:
    assert judged.show("mei", shown=replace(judged.shown, team="T2")) == 1


def test_a_marker_is_found_wherever_it_stands_and_in_any_case() -> None:
    markers = Markers()
    word, other = markers.new(), markers.new()
    planted = Planted("T1", "F1", in_title=True)
    markers.plant(word, planted)
    assert word != other
    assert markers.shown_by({"attachments": [{"fallback": f"“{word.upper()}-x.md”"}]}) == {planted}
    assert markers.shown_by(f"said {other}") == frozenset()
