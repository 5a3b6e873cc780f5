"""The rows follow the workspace: at first, when a question needs them, and when events say so."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta

import pytest

from permissions.grants import Grants
from permissions.model import Conversation, ConversationKind, Person, Principal, ScopeLimit, Trouble, TroubleKind
from permissions.ports import Page, WorkspaceUnavailable
from tests.integration.permissions.desk import T0, Desk

NOT_INSTALLED = Trouble(TroubleKind.NOT_INSTALLED, "account_inactive")


async def test_the_first_load_reads_all_but_direct_messages(desk: Desk) -> None:
    await desk.sync.load("T1")
    desk.company.asked.clear()
    assert await desk.ask("ANN", "PRICES") == ("* ALL PRICES", ())
    assert desk.company.asked == []


async def test_a_question_reads_what_it_needs_and_only_once(desk: Desk) -> None:
    """Nothing was loaded; the DM and its two members are read, and the next question reads nothing."""
    assert await desk.ask("ANN", "TALK") == ("* ANN TALK", ())
    assert sorted(desk.company.asked) == [
        "conversation T1/TALK",
        "members T1/TALK",
        "person T1/ANN",
        "person T1/BOT",
    ]
    desk.company.asked.clear()
    await desk.ask("ANN", "TALK")
    assert desk.company.asked == []


async def test_questions_after_a_day_confirm_what_is_near_and_tell_of_the_rest(desk: Desk) -> None:
    """Whether BO is still in ALL is not asked for one question; the next sweep does."""
    await desk.sync.load("T1")
    desk.later(hours=25)
    assert await desk.ask("ANN", "PRICES") == ("* PRICES", (ScopeLimit.MEMBERSHIP_UNKNOWN,))
    await desk.sync.load("T1")
    assert await desk.ask("ANN", "PRICES") == ("* ALL PRICES", ())


async def test_sweeps_go_on_after_one_that_failed(desk: Desk) -> None:
    turns: list[float] = []

    async def turn(seconds: float) -> None:
        turns.append(seconds)
        desk.company.is_silent = len(turns) == 1 or desk.later(seconds=seconds) < T0
        if len(turns) == 3:
            raise asyncio.CancelledError

    sync = desk.made_sync(sleep=turn)
    with pytest.raises(asyncio.CancelledError):
        await sync.keep_fresh("T1", every=timedelta(minutes=1))
    assert turns == [60.0, 30.0, 60.0]
    assert desk.company.asked.count("people") == 3


async def test_a_silent_workspace_leaves_the_smaller_scope(desk: Desk) -> None:
    await desk.sync.load("T1")
    desk.later(hours=25)
    desk.company.is_silent = True
    assert await desk.ask("ANN", "PRICES") == ("", (ScopeLimit.ASKER_UNKNOWN,))
    assert await desk.ask("NEW", None) == ("", (ScopeLimit.ASKER_UNKNOWN,))


async def test_who_leaves_reads_nothing_of_it_from_the_next_question_on(desk: Desk) -> None:
    await desk.sync.load("T1")
    desk.company.inside["PRICES"].remove("BO")
    await desk.sync.member_left("T1", "PRICES", "BO", event_at=desk.later(minutes=1))
    assert await desk.ask("BO", None) == ("* ALL BO", ())
    assert await desk.ask("BO", "PRICES") == ("", (ScopeLimit.NOT_A_MEMBER,))


async def test_who_joins_is_a_reader_from_the_next_question_on(desk: Desk) -> None:
    await desk.sync.load("T1")
    desk.audiences.clear()
    desk.company.inside["PRICES"].append("GUS")
    await desk.sync.member_joined("T1", "PRICES", "GUS", event_at=desk.later(minutes=1))
    assert await desk.ask("ANN", "PRICES") == ("PRICES", (ScopeLimit.OUTSIDERS_PRESENT,))
    assert await desk.ask("GUS", None) == ("GUS PRICES", ())
    assert desk.audiences == [("PRICES",)]


async def test_an_asker_whom_an_old_listing_lacks_is_looked_for_again(desk: Desk) -> None:
    """People ask where they are: an event may have been missed."""
    await desk.sync.load("T1")
    desk.company.inside["PRICES"].append("CY")
    desk.later(minutes=5)
    assert await desk.ask("CY", "PRICES") == ("* ALL PRICES", ())


async def test_when_the_bot_leaves_nobody_is_known_there(desk: Desk) -> None:
    """Its view is stale from then on (slack.md, Identity and access)."""
    await desk.sync.load("T1")
    await desk.sync.member_left("T1", "PRICES", "BOT", event_at=desk.later(minutes=1))
    scope = await desk.scopes.scope(team="T1", asker="ANN", conversation=None)
    assert "channel:T1/PRICES" not in scope.principal_names()


async def test_a_sweep_notices_that_the_bot_was_removed(desk: Desk) -> None:
    """The event came while it was down."""
    await desk.ask("ANN", "TALK")
    await desk.sync.load("T1")
    desk.company.inside["PRICES"].remove("BOT")
    desk.later(minutes=1)
    await desk.sync.load("T1")
    scope = await desk.scopes.scope(team="T1", asker="ANN", conversation="TALK")
    assert scope.principal_names() == ["channel:T1/ALL", "channel:T1/TALK", "user:T1/ANN", "workspace:T1"]


async def test_an_old_dm_makes_nobody_unsure(desk: Desk) -> None:
    """Nothing is granted to a DM's principal, and no sweep confirms it."""
    await desk.ask("ANN", "TALK")
    desk.later(hours=25)
    await desk.sync.load("T1")
    assert await desk.ask("ANN", "PRICES") == ("* ALL PRICES", ())
    assert "conversations of T1/ANN" not in desk.company.asked


async def test_a_slow_workspace_keeps_no_question_waiting(desk: Desk) -> None:
    async def never(team: str, user: str) -> None:
        await asyncio.Event().wait()

    desk.company.person = never  # type: ignore[method-assign]  # a workspace that hangs
    await desk.made_sync(patience=0.05).ensure_known("T1", None, "ANN")
    assert (await desk.scopes.scope(team="T1", asker="ANN", conversation=None)).limits == (ScopeLimit.ASKER_UNKNOWN,)


async def test_a_channel_that_the_bot_joins_is_read(desk: Desk) -> None:
    await desk.sync.load("T1")
    desk.company.rooms["NEW"] = Conversation("T1", "NEW", ConversationKind.PRIVATE)
    desk.company.inside["NEW"] = ["ANN", "BOT"]
    await desk.sync.member_joined("T1", "NEW", "BOT", event_at=desk.later(minutes=1))
    scope = await desk.scopes.scope(team="T1", asker="ANN", conversation="NEW")
    assert "channel:T1/NEW" in scope.principal_names()


async def test_somebody_who_becomes_a_guest_loses_the_workspace(desk: Desk) -> None:
    await desk.sync.load("T1")
    desk.later(minutes=1)
    desk.company.staff["CY"] = replace(desk.company.staff["CY"], is_guest=True)
    await desk.sync.person_changed("T1", "CY")
    assert await desk.ask("CY", None) == ("ALL CY", ())
    assert await desk.ask("ANN", "ALL") == ("ALL", (ScopeLimit.OUTSIDERS_PRESENT,))


async def test_a_changed_person_who_cannot_be_read_is_unknown(desk: Desk) -> None:
    await desk.sync.load("T1")
    desk.company.is_silent = True
    await desk.sync.person_changed("T1", "CY")
    assert await desk.ask("ANN", "ALL") == ("ALL", (ScopeLimit.MEMBERSHIP_UNKNOWN,))


async def test_a_channel_that_becomes_shared_keeps_its_own(desk: Desk) -> None:
    await desk.sync.load("T1")
    desk.later(minutes=1)
    desk.company.rooms["ALL"] = replace(desk.company.rooms["ALL"], is_shared=True)
    await desk.sync.conversation_changed("T1", "ALL")
    assert await desk.ask("ANN", "ALL") == ("ALL", (ScopeLimit.OUTSIDERS_PRESENT,))


@pytest.mark.parametrize("is_silent", [False, True])
async def test_when_sharing_ends_the_others_are_gone_without_a_word(desk: Desk, is_silent: bool) -> None:
    """Found by the proof: a stranger went on asking in a DM from the files of a channel that was theirs once."""

    async def holds(user: str) -> bool:
        scope = await desk.scopes.scope(team="T1", asker=user, conversation=None)
        return "channel:T1/PRICES" in scope.principal_names()

    await desk.sync.load("T1")
    assert await holds("BO")
    desk.later(minutes=1)
    desk.company.inside["PRICES"].remove("BO")
    desk.company.is_silent = is_silent
    await desk.sync.conversation_unshared("T1", "PRICES")
    assert not await holds("BO")
    assert await holds("ANN") is not is_silent


async def test_a_channel_that_becomes_private_tells_whose_rights_shrank(desk: Desk) -> None:
    await desk.sync.load("T1")
    await desk.granted("d1", "workspace:T1", "channel:T1/ALL")
    desk.later(minutes=1)
    desk.company.is_silent = True
    await desk.sync.conversation_became_private("T1", "ALL")
    assert desk.narrowed == [("d1",)]


async def test_a_deleted_conversation_is_nobodys(desk: Desk) -> None:
    await desk.sync.load("T1")
    await desk.sync.conversation_deleted("T1", "PRICES")
    scope = await desk.scopes.scope(team="T1", asker="ANN", conversation=None)
    assert "channel:T1/PRICES" not in scope.principal_names()


async def test_a_deleted_public_channel_takes_along_what_it_gave_to_the_workspace(desk: Desk) -> None:
    """At once, whether or not Slack can be asked; what was given to the workspace without it stays."""
    await desk.sync.load("T1")
    await desk.granted("d1", "workspace:T1", "channel:T1/ALL")
    await desk.granted("d2", "workspace:T1", "channel:T1/PRICES")
    desk.company.is_silent = True
    await desk.sync.conversation_deleted("T1", "ALL")
    await desk.sync.conversation_deleted("T1", "PRICES")
    assert desk.narrowed == [("d1",)]
    grants = Grants(pool=desk.pool)
    assert await grants.of("d1") == {Principal.channel("T1", "ALL")}
    assert await grants.of("d2") == {Principal.workspace("T1"), Principal.channel("T1", "PRICES")}


async def test_a_conversation_that_the_bot_sees_no_more_is_nobodys(desk: Desk) -> None:
    """channel_left, group_left."""
    await desk.sync.load("T1")
    await desk.sync.conversation_left("T1", "PRICES")
    scope = await desk.scopes.scope(team="T1", asker="ANN", conversation=None)
    assert "channel:T1/PRICES" not in scope.principal_names()
    assert "PRICES" in desk.audiences[-1]


async def test_a_conversation_under_another_id_keeps_its_members_and_files(desk: Desk) -> None:
    """channel_id_changed: grants are taken from the old principal and given to the new one."""
    await desk.sync.load("T1")
    await desk.granted("d1", "channel:T1/PRICES", "workspace:T1")
    company = desk.company
    company.rooms["MOVED"] = replace(company.rooms.pop("PRICES"), id="MOVED")
    company.inside["MOVED"] = company.inside.pop("PRICES")
    desk.later(minutes=1)
    await desk.sync.conversation_moved("T1", "PRICES", "MOVED")
    company.asked.clear()
    assert await desk.ask("ANN", "MOVED") == ("* ALL MOVED", ())
    assert company.asked == []
    async with desk.pool.connection() as connection:
        rows = await (await connection.execute("SELECT principal FROM grants ORDER BY 1")).fetchall()
    assert rows == [("channel:T1/MOVED",), ("workspace:T1",)]
    assert (desk.moved, desk.narrowed) == ([("PRICES", "MOVED")], [("d1",)])
    assert (await desk.ask("ANN", "PRICES"))[0] == ""


@pytest.mark.parametrize("is_silent", [False, True], ids=["answers", "is silent"])
async def test_who_left_before_the_news_of_a_new_id_is_not_brought_back_by_it(desk: Desk, is_silent: bool) -> None:
    """Events come in any order: under the new id nobody knows the conversation yet that BO has left."""
    await desk.sync.load("T1")
    company = desk.company
    company.rooms["MOVED"] = replace(company.rooms.pop("ALL"), id="MOVED")
    company.inside["MOVED"] = [one for one in company.inside.pop("ALL") if one != "BO"]
    event_at = desk.later(minutes=1)
    await desk.sync.member_left("T1", "MOVED", "BO", event_at=event_at)
    company.is_silent = is_silent
    desk.later(minutes=1)
    await desk.sync.conversation_moved("T1", "ALL", "MOVED")
    scopes = [await desk.scopes.scope(team="T1", asker=one, conversation=None) for one in ("BO", "ANN")]
    assert ["channel:T1/MOVED" in one.principal_names() for one in scopes] == [False, not is_silent]
    company.is_silent = False
    assert (await desk.ask("ANN", "MOVED"))[0].endswith("MOVED")


async def test_an_app_that_is_taken_out_knows_nobody_until_it_is_back(desk: Desk) -> None:
    """app_uninstalled, tokens_revoked: what happens meanwhile is never told, so that all has to be read again."""
    await desk.sync.load("T1")
    desk.company.trouble = dict.fromkeys(("people", "person", "members", "conversation"), NOT_INSTALLED)
    await desk.sync.app_removed("T1")
    assert await desk.ask("ANN", "PRICES") == ("", (ScopeLimit.ASKER_UNKNOWN,))
    desk.company.inside["PRICES"] = ["ANN", "CY", "BOT"]
    desk.company.trouble = {}
    desk.later(minutes=1)
    assert await desk.ask("BO", None) == ("* ALL BO", (ScopeLimit.MEMBERSHIP_UNKNOWN,))
    assert await desk.ask("ANN", "PRICES") == ("* PRICES", (ScopeLimit.MEMBERSHIP_UNKNOWN,))
    await desk.sync.load("T1")
    assert await desk.ask("BO", None) == ("* ALL BO", ())


async def test_why_something_is_unknown_is_returned(desk: Desk) -> None:
    desk.company.trouble = {"person": Trouble(TroubleKind.MISSING_SCOPE, "users:read")}
    assert await desk.sync.ensure_known("T1", None, "ANN") == Trouble(TroubleKind.MISSING_SCOPE, "users:read")
    desk.company.trouble = {}
    assert await desk.sync.ensure_known("T1", None, "ANN") is None


async def test_why_sweeps_cannot_go_on_is_returned_where_all_else_is_known(desk: Desk) -> None:
    """The asker's other channels grow unknown, which makes the answer smaller."""
    await desk.sync.load("T1")
    desk.company.trouble = {"conversations": Trouble(TroubleKind.MISSING_SCOPE, "groups:read")}
    with pytest.raises(WorkspaceUnavailable):
        await desk.sync.load("T1")
    assert await desk.sync.ensure_known("T1", "PRICES", "ANN") == Trouble(TroubleKind.MISSING_SCOPE, "groups:read")
    desk.company.trouble = {}
    await desk.sync.load("T1")
    assert await desk.sync.ensure_known("T1", "PRICES", "ANN") is None


async def test_somebody_new_who_cannot_be_read_reads_public_channels_without_holding_anything(desk: Desk) -> None:
    """Else a file of another channel, which everyone so far is in, would be shown before them."""
    desk.company.inside["PRICES"] = ["ANN", "BO", "CY", "BOT"]
    await desk.sync.load("T1")
    assert await desk.ask("ANN", "ALL") == ("* ALL PRICES", ())
    desk.company.is_silent = True
    await desk.sync.person_changed("T1", "NEW")
    assert await desk.ask("ANN", "ALL") == ("* ALL", ())


async def test_who_reads_answers_that_stand_is_told(desk: Desk) -> None:
    """A guest who turns up in a sweep, a new full member, somebody who becomes a guest; and nothing when all is as it
    was."""
    await desk.sync.load("T1")
    await desk.ask("ANN", "PRICES")
    desk.audiences.clear()
    desk.later(minutes=1)
    await desk.sync.load("T1")
    assert desk.audiences == []
    desk.company.inside["PRICES"].append("GUS")
    desk.later(minutes=1)
    await desk.sync.load("T1")
    assert desk.audiences == [("PRICES",)]
    desk.company.staff["BO"] = replace(desk.company.staff["BO"], is_guest=True)
    desk.later(minutes=1)
    await desk.sync.person_changed("T1", "BO")
    desk.company.staff["NEW"] = replace(desk.company.staff["CY"], id="NEW")
    await desk.sync.person_changed("T1", "NEW")
    assert desk.audiences == [("PRICES",), ("PRICES",), ()]


async def test_what_was_not_taken_is_told_again(desk: Desk) -> None:
    """The process may end, or the database be gone, between a change and those who have to hear of it."""
    await desk.sync.load("T1")
    await desk.ask("ANN", "PRICES")

    async def broken(team: str, conversations: tuple[str, ...]) -> None:
        raise ConnectionError

    desk.audiences.clear()
    sync = desk.made_sync(on_audience=broken)
    with pytest.raises(ConnectionError):
        await sync.member_joined("T1", "PRICES", "GUS", event_at=desk.later(minutes=1))
    await desk.ask("CY", None)
    assert desk.audiences == [("PRICES",)]


async def test_who_is_gone_from_two_listings_is_no_reader_of_public_channels(desk: Desk) -> None:
    """Were they left to grow old, nothing but the workspace's own files would ever be shown there again."""
    desk.company.inside["PRICES"] = ["ANN", "BO", "CY", "BOT"]
    desk.company.staff["ED"] = replace(desk.company.staff["CY"], id="ED")
    await desk.sync.load("T1")
    assert await desk.ask("ANN", "ALL") == ("* ALL", ())
    del desk.company.staff["ED"]
    for hours in (6, 6):
        desk.later(hours=hours)
        await desk.sync.load("T1")
        assert (await desk.ask("ANN", "ALL"))[0] in ("* ALL", "* ALL PRICES")
    assert await desk.ask("ANN", "ALL") == ("* ALL PRICES", ())


async def test_an_id_that_slack_does_not_know_stands_in_nobodys_way(desk: Desk) -> None:
    desk.company.inside["PRICES"] = ["ANN", "BO", "CY", "BOT"]
    await desk.sync.load("T1")
    await desk.sync.person_changed("T1", "NOBODY")
    assert await desk.ask("ANN", "ALL") == ("* ALL PRICES", ())
    assert await desk.ask("NOBODY", "ALL") == ("", (ScopeLimit.ASKER_UNKNOWN,))


async def test_many_unknown_people_are_listed_once_for_all_who_wait(desk: Desk) -> None:
    """The listing outlives a question that gives up, so that the next one finds what it has read."""
    crowd = [f"P{number}" for number in range(25)]
    desk.company.staff |= {name: replace(desk.company.staff["CY"], id=name) for name in crowd}
    desk.company.inside["PRICES"] += crowd
    gate, real = asyncio.Event(), desk.company.people

    async def slow(team: str, *, cursor: str = "") -> AsyncIterator[Page[Person]]:
        await gate.wait()
        async for page in real(team, cursor=cursor):
            yield page

    desk.company.people = slow  # type: ignore[method-assign]  # pages that take a while
    sync = desk.made_sync(patience=0.05)
    for asker in ("ANN", "BO"):
        assert await sync.ensure_known("T1", "PRICES", asker) == Trouble(TroubleKind.SILENT)
    gate.set()
    await sync._listings.people("T1")
    assert desk.company.asked.count("people") == 1
    assert (await desk.ask("ANN", "PRICES"))[0] == "* PRICES"
    await sync.aclose()
