"""The rows follow the workspace: at first, when a question needs them, and when events say so."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

import pytest
from psycopg_pool import AsyncConnectionPool

from permissions.adapters.coverage import PgCoverage
from permissions.adapters.postgres import PgDirectory
from permissions.model import Conversation, ConversationKind, Person, ScopeLimit, Trouble, UserGroup
from permissions.ports import Page, WorkspaceUnavailable
from permissions.scopes import ScopeBuilder
from permissions.sync import WorkspaceSync

T0 = datetime.fromisoformat("2026-11-30T12:00:00+00:00")
DAY = timedelta(hours=24)


@dataclass
class Company:
    """A workspace in memory that counts what it is asked, and can fall silent."""

    staff: dict[str, Person]
    rooms: dict[str, Conversation]
    inside: dict[str, list[str]]
    is_silent: bool = False
    groups_in_use: list[UserGroup] = field(default_factory=list)
    trouble: dict[str, Trouble] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)

    def _ask(self, what: str) -> None:
        self.asked.append(what)
        if self.is_silent:
            raise WorkspaceUnavailable(what)
        if (trouble := self.trouble.get(what.partition(" ")[0])) is not None:
            raise WorkspaceUnavailable(what, trouble=trouble)

    async def own_user(self, team: str) -> str:
        return f"BOT@{team}".partition("@")[0]

    async def people(self, team: str, *, cursor: str = "") -> AsyncIterator[Page[Person]]:
        """One on each page; a cursor is the number of the first."""
        staff = list(self.staff.values())
        for number in range(int(cursor or 0), len(staff)):
            self._ask(f"people from {number}" if number else "people")
            yield Page((replace(staff[number], team=team),), str(number + 1) if number + 1 < len(staff) else "")

    async def conversations(self, team: str, *, cursor: str = "") -> AsyncIterator[Page[Conversation]]:
        self._ask("conversations")
        yield Page(tuple(replace(room, team=team) for room in self.rooms.values() if "BOT" in self.inside[room.id]))

    async def groups(self, team: str) -> list[UserGroup]:
        self._ask("groups")
        return list(self.groups_in_use)

    async def members(self, team: str, conversation: str) -> list[str]:
        self._ask(f"members {team}/{conversation}")
        return list(self.inside[conversation])

    async def conversations_of(self, team: str, user: str) -> list[str]:
        self._ask(f"conversations of {team}/{user}")
        return [name for name, users in self.inside.items() if user in users and "BOT" in users]

    async def conversation(self, team: str, conversation: str) -> Conversation | None:
        self._ask(f"conversation {team}/{conversation}")
        return self.rooms.get(conversation)

    async def person(self, team: str, user: str) -> Person | None:
        self._ask(f"person {team}/{user}")
        return self.staff.get(user)


class Desk:
    """The pieces under test around one company and one clock."""

    def __init__(self, pool: AsyncConnectionPool) -> None:
        self.now = T0
        names = {"ANN": {}, "BO": {}, "CY": {}, "GUS": {"is_guest": True}, "BOT": {"is_bot": True}}
        kinds = {"ALL": ConversationKind.PUBLIC, "PRICES": ConversationKind.PRIVATE, "TALK": ConversationKind.DM}
        self.company = Company(
            staff={name: Person("T1", name, name, "T1", **flags) for name, flags in names.items()},
            rooms={name: Conversation("T1", name, kind) for name, kind in kinds.items()},
            inside={"ALL": ["ANN", "BO", "CY", "BOT"], "PRICES": ["ANN", "BO", "BOT"], "TALK": ["ANN", "BOT"]},
        )
        self.narrowed: list[tuple[str, ...]] = []
        self.audiences: list[tuple[str, ...]] = []
        self.pool = pool
        self.sync = self.made_sync()
        self.scopes = ScopeBuilder(coverage=PgCoverage(pool=pool), clock=lambda: self.now, max_age=DAY)

    def made_sync(self, **options: Any) -> WorkspaceSync:
        return WorkspaceSync(
            source=self.company,
            directory=PgDirectory(pool=self.pool, clock=lambda: self.now),
            clock=lambda: self.now,
            max_age=DAY,
            on_narrowed=self._note,
            on_audience=self._note_audience,
            **options,
        )

    async def _note(self, documents: tuple[str, ...]) -> None:
        self.narrowed.append(documents)

    async def _note_audience(self, team: str, conversations: tuple[str, ...]) -> None:
        assert team == "T1"
        self.audiences.append(conversations)

    async def ask(self, asker: str, place: str | None) -> tuple[str, tuple[ScopeLimit, ...]]:
        """The short names of the scope, * for the workspace, as a question would get it."""
        await self.sync.ensure_known("T1", place, asker)
        scope = await self.scopes.scope(team="T1", asker=asker, conversation=place)
        return " ".join(sorted(item.id or "*" for item in scope.principals)), scope.limits

    def later(self, **duration: float) -> datetime:
        self.now += timedelta(**duration)
        return self.now


@pytest.fixture
async def desk(pool: AsyncConnectionPool) -> Desk:
    return Desk(pool)


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


async def test_a_channel_that_becomes_private_tells_whose_rights_shrank(desk: Desk) -> None:
    await desk.sync.load("T1")
    async with desk.pool.connection() as connection:
        await connection.execute(
            "INSERT INTO documents (document_id, team, source, source_id, title, created_by)"
            " VALUES ('d1', 'T1', 'slack', 'F1', 'd', 'ANN')"
        )
        await connection.execute("INSERT INTO grants VALUES ('d1', 'workspace:T1'), ('d1', 'channel:T1/ALL')")
    desk.later(minutes=1)
    desk.company.is_silent = True
    await desk.sync.conversation_became_private("T1", "ALL")
    assert desk.narrowed == [("d1",)]


async def test_a_deleted_conversation_is_nobodys(desk: Desk) -> None:
    await desk.sync.load("T1")
    await desk.sync.conversation_deleted("T1", "PRICES")
    scope = await desk.scopes.scope(team="T1", asker="ANN", conversation=None)
    assert "channel:T1/PRICES" not in scope.principal_names()
