"""Readings of a whole workspace: broken off, gone on with, in the order that matters, and what is repaired between."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest

from permissions.adapters.news import note
from permissions.model import Conversation, ConversationKind, Trouble, TroubleKind
from permissions.ports import EVERYWHERE, Stage, Unconfirmed, WorkspaceUnavailable
from tests.integration.permissions.desk import Desk

RATE_LIMITED = Trouble(TroubleKind.RATE_LIMITED)
REFUSED = Trouble(TroubleKind.REFUSED, "fetch_members_failed")


def open_rooms(desk: Desk, *names: str) -> None:
    for name in names:
        desk.company.rooms[name] = Conversation("T1", name, ConversationKind.PRIVATE)
        desk.company.inside[name] = ["ANN", "BOT"]


async def swept(desk: Desk, *, turns: int) -> list[float]:
    """Keep fresh until somebody waits for the ``turns``-th time; the waits so far."""
    waits: list[float] = []

    async def wait(seconds: float) -> None:
        waits.append(seconds)
        desk.later(seconds=seconds)
        if len(waits) == turns:
            raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        await desk.made_sync(sleep=wait).keep_fresh("T1", every=timedelta(hours=6))
    return waits


async def test_people_are_gone_on_with_where_a_sweep_was_broken_off(desk: Desk) -> None:
    limited = desk.company.people

    async def two_pages(team: str, *, cursor: str = "") -> object:
        async for page in limited(team, cursor=cursor):
            yield page
            if page.cursor == "2":
                raise WorkspaceUnavailable("people", trouble=RATE_LIMITED)

    desk.company.people = two_pages  # type: ignore[method-assign, assignment]  # Slack goes away after two pages
    with pytest.raises(WorkspaceUnavailable):
        await desk.sync.load("T1")
    desk.company.people = limited  # type: ignore[method-assign]  # and is back
    desk.company.asked.clear()
    await swept(desk, turns=1)
    assert [what for what in desk.company.asked if what.startswith("people")][:3] == [
        "people from 2",
        "people from 3",
        "people from 4",
    ]


async def test_a_restart_reads_the_members_that_are_left_and_then_all_again(desk: Desk) -> None:
    """The process before it may have missed events."""
    open_rooms(desk, "R1", "R2", "R3")
    real, is_away = desk.company.members, True

    async def until_r2(team: str, conversation: str) -> list[str]:
        desk.later(seconds=1)
        if conversation == "R2" and is_away:
            raise WorkspaceUnavailable("members", trouble=RATE_LIMITED)
        return await real(team, conversation)

    desk.company.members = until_r2  # type: ignore[method-assign]  # Slack goes away in the middle
    with pytest.raises(WorkspaceUnavailable):
        await desk.sync.load("T1")
    assert members_asked(desk) == ["ALL", "PRICES", "R1"]
    is_away = False
    desk.company.asked.clear()
    desk.later(minutes=1)
    await swept(desk, turns=1)
    assert members_asked(desk) == ["R2", "R3", "ALL", "PRICES", "R1", "R2", "R3"]
    assert desk.company.asked.count("people") == 1


async def test_a_sweep_of_yesterday_is_not_gone_on_with(desk: Desk) -> None:
    desk.company.trouble = {"members": RATE_LIMITED}
    with pytest.raises(WorkspaceUnavailable):
        await desk.sync.load("T1")
    desk.company.trouble = {}
    desk.company.asked.clear()
    desk.later(hours=13)
    await swept(desk, turns=1)
    assert desk.company.asked[0] == "people"


async def test_where_somebody_asked_comes_first(desk: Desk) -> None:
    open_rooms(desk, *(f"R{number}" for number in range(20)))
    await desk.sync.load("T1")
    await desk.ask("ANN", "R17")
    desk.later(seconds=1)
    await desk.ask("ANN", "R5")
    desk.company.asked.clear()
    desk.later(hours=1)
    await desk.sync.load("T1")
    assert members_asked(desk)[:2] == ["R5", "R17"]


async def test_what_a_question_has_read_meanwhile_is_not_read_again(desk: Desk) -> None:
    open_rooms(desk, "R1")
    real = desk.company.members

    async def and_a_question(team: str, conversation: str) -> list[str]:
        if conversation == "ALL":
            await desk.ask("ANN", "R1")
        return await real(team, conversation)

    desk.company.members = and_a_question  # type: ignore[method-assign]  # somebody asks while it sweeps
    await desk.sync.load("T1")
    assert members_asked(desk).count("R1") == 1


async def test_one_conversation_that_cannot_be_read_does_not_stop_the_others(desk: Desk) -> None:
    real = desk.company.members

    async def all_but_one(team: str, conversation: str) -> list[str]:
        members = await real(team, conversation)
        if conversation == "ALL":
            raise WorkspaceUnavailable("members", trouble=REFUSED)
        return members

    desk.company.members = all_but_one  # type: ignore[method-assign]  # Slack refuses one
    await desk.sync.load("T1")
    assert members_asked(desk) == ["ALL", "PRICES"]
    progress = await desk.directory.sweeps.progress("T1")
    assert progress is not None
    assert (progress.stage, progress.read, progress.places, progress.trouble) == (Stage.DONE, 1, 2, None)


async def test_a_silence_is_noted_and_not_asked_through(desk: Desk) -> None:
    """Three conversations in a row, each with its own timeout, are enough."""
    open_rooms(desk, *(f"R{number}" for number in range(20)))
    desk.company.trouble = {"members": Trouble(TroubleKind.SILENT)}
    with pytest.raises(WorkspaceUnavailable):
        await desk.sync.load("T1")
    assert len(members_asked(desk)) == 3
    progress = await desk.directory.sweeps.progress("T1")
    assert progress is not None
    assert (progress.stage, progress.trouble) == (Stage.MEMBERS, Trouble(TroubleKind.SILENT))


async def test_failed_sweeps_are_tried_again_soon_and_ever_later(desk: Desk) -> None:
    desk.company.is_silent = True
    assert await swept(desk, turns=9) == [30.0, 60.0, 60.0, 60.0, 60.0, 60.0, 60.0, 60.0, 60.0]
    assert desk.company.asked.count("people") == 5  # after 30, 60, 120 and 240 s


async def test_what_an_event_left_unknown_is_read_within_a_minute(desk: Desk) -> None:
    """Slack was silent when the events came; nobody asks and the next sweep is hours away."""
    unknown = []

    async def wait(seconds: float) -> None:
        unknown.append(await desk.directory.sweeps.unconfirmed("T1", limit=9))
        desk.later(seconds=seconds)
        if len(unknown) == 2:
            raise asyncio.CancelledError
        desk.company.is_silent = True
        await sync.person_changed("T1", "CY")
        await sync.conversation_changed("T1", "ALL")
        await desk.directory.forget_members("T1", "PRICES")
        unknown[0] = await desk.directory.sweeps.unconfirmed("T1", limit=9)
        desk.company.is_silent = False

    sync = desk.made_sync(sleep=wait)
    with pytest.raises(asyncio.CancelledError):
        await sync.keep_fresh("T1", every=timedelta(hours=6))
    assert unknown == [Unconfirmed(("CY",), ("ALL",), ("PRICES",)), Unconfirmed((), (), ())]


async def test_what_slack_does_not_show_us_takes_no_turn_from_what_it_does(desk: Desk) -> None:
    gone = [f"A{number:02}" for number in range(25)]
    open_rooms(desk, *gone)
    waits = 0

    async def wait(seconds: float) -> None:
        nonlocal waits
        waits += 1
        desk.later(seconds=seconds)
        if waits == 1:
            for name in (*gone, "PRICES"):
                await desk.directory.forget_conversation("T1", name)
            for name in gone:
                del desk.company.rooms[name]
        elif waits == 8:
            raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        await desk.made_sync(sleep=wait).keep_fresh("T1", every=timedelta(hours=6))
    assert "PRICES" not in (await desk.directory.sweeps.unconfirmed("T1", limit=99)).conversations


async def test_an_app_that_was_taken_out_is_looked_for_within_minutes(desk: Desk) -> None:
    await desk.sync.load("T1")
    waits = 0

    async def wait(seconds: float) -> None:
        nonlocal waits
        waits += 1
        desk.later(seconds=seconds)
        if waits == 1:
            await sync.app_removed("T1")
            desk.company.asked.clear()
        else:
            raise asyncio.CancelledError

    sync = desk.made_sync(sleep=wait)
    with pytest.raises(asyncio.CancelledError):
        await sync.keep_fresh("T1", every=timedelta(hours=6))
    assert desk.company.asked[0] == "people"


def members_asked(desk: Desk) -> list[str]:
    return [what.partition("/")[2] for what in desk.company.asked if what.startswith("members")]


@pytest.mark.parametrize("is_there", [True, False], ids=["the bot was taken out", "it is closed or gone"])
async def test_a_public_channel_that_is_not_listed_is_looked_for(desk: Desk, is_there: bool) -> None:
    """What it gave to the workspace goes only when nobody can have it from there any more."""
    await desk.sync.load("T1")
    await desk.granted("d1", "workspace:T1", "channel:T1/ALL")
    desk.company.inside["ALL"].remove("BOT")
    if not is_there:
        del desk.company.rooms["ALL"]
    desk.later(seconds=1)
    await desk.sync.load("T1")
    assert desk.narrowed == ([] if is_there else [("d1",)])
    async with desk.pool.connection() as connection:
        cursor = await connection.execute("SELECT principal FROM grants ORDER BY principal")
        left = [principal for (principal,) in await cursor.fetchall()]
    assert left == (["channel:T1/ALL", "workspace:T1"] if is_there else ["channel:T1/ALL"])


async def test_where_the_bot_is_back_without_a_word_is_told(desk: Desk) -> None:
    """What could not be changed in Slack while it was away can be now."""
    await desk.sync.load("T1")
    await desk.directory.forget_members("T1", "PRICES")
    await desk.sync.ensure_known("T1", None, "ANN")
    desk.audiences.clear()
    desk.later(seconds=1)
    await desk.sync.load("T1")
    assert [names for names in desk.audiences if "PRICES" in names]


async def test_what_concerns_everywhere_hides_no_place_that_is_named(desk: Desk) -> None:
    await desk.sync.load("T1")
    desk.audiences.clear()
    async with desk.pool.connection() as connection, connection.transaction():
        await note(connection, "T1", conversations=[EVERYWHERE, "PRICES"])
    await desk.sync.ensure_known("T1", None, "ANN")
    assert desk.audiences == [(), ("PRICES",)]
