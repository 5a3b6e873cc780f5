"""Rows of rights under listings and events that come late, twice, or in the wrong order."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from psycopg_pool import AsyncConnectionPool

from permissions.adapters.postgres import PgDirectory
from permissions.grants import Grants
from permissions.model import Conversation, ConversationKind, Person, Principal
from permissions.ports import News, Unconfirmed

T0 = datetime.fromisoformat("2026-11-30T12:00:00+00:00")
CHANNEL = Conversation("T1", "C1", ConversationKind.PRIVATE)


def after(seconds: float) -> datetime:
    return T0 + timedelta(seconds=seconds)


class Clock:
    def __init__(self) -> None:
        self.now = T0

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
async def directory(pool: AsyncConnectionPool, clock: Clock) -> PgDirectory:
    """A directory with the private channel C1, whose members are A and B since T0."""
    made = PgDirectory(pool=pool, clock=clock)
    await made.put_conversation(CHANNEL, as_of=T0)
    await made.replace_members("T1", "C1", ["A", "B"], as_of=T0)
    return made


async def members(pool: AsyncConnectionPool) -> tuple[set[str], bool]:
    """Who is in C1, and whether the list counts as complete."""
    async with pool.connection() as connection:
        rows = await (
            await connection.execute("SELECT user_id FROM memberships WHERE conversation_id = 'C1'")
        ).fetchall()
        known = await (
            await connection.execute("SELECT members_confirmed_at IS NOT NULL FROM conversations")
        ).fetchone()
    assert known is not None
    return {user for (user,) in rows}, known[0]


async def told(directory: PgDirectory) -> tuple[list[str], list[str]]:
    """The news, taken: whose audience has changed, and which documents have lost grants."""
    news = await directory.news.pending("T1")
    await directory.news.told(news)
    assert await directory.news.pending("T1") == News("T1")
    return sorted(name for _, name in news.conversations), sorted(name for _, name in news.documents)


async def test_a_listing_replaces_the_members(directory: PgDirectory, pool: AsyncConnectionPool) -> None:
    await directory.replace_members("T1", "C1", ["B", "C"], as_of=after(10))
    assert await members(pool) == ({"B", "C"}, True)


async def test_leaving_acts_at_once(directory: PgDirectory, pool: AsyncConnectionPool, clock: Clock) -> None:
    clock.now = after(5)
    await directory.remove_member("T1", "C1", "A", event_at=after(5))
    assert await members(pool) == ({"B"}, True)


async def test_a_listing_begun_before_somebody_left_does_not_bring_them_back(
    directory: PgDirectory, pool: AsyncConnectionPool, clock: Clock
) -> None:
    clock.now = after(5)
    await directory.remove_member("T1", "C1", "A", event_at=after(5))
    await directory.replace_members("T1", "C1", ["A", "B"], as_of=after(3))
    await directory.confirm_conversations_of("T1", "A", ["C1"], as_of=after(4))
    assert await members(pool) == ({"B"}, True)
    await directory.replace_members("T1", "C1", ["A", "B"], as_of=after(9))
    assert await members(pool) == ({"A", "B"}, True)


async def test_a_listing_begun_before_somebody_joined_does_not_drop_them(
    directory: PgDirectory, pool: AsyncConnectionPool, clock: Clock
) -> None:
    """Dropping a guest would widen what the others may be answered from."""
    clock.now = after(5)
    await directory.add_member("T1", "C1", "GUEST", event_at=after(5))
    await directory.replace_members("T1", "C1", ["A", "B"], as_of=after(3))
    assert await members(pool) == ({"A", "B", "GUEST"}, True)


async def test_events_are_ordered_by_slacks_time(
    directory: PgDirectory, pool: AsyncConnectionPool, clock: Clock
) -> None:
    """A join that is delivered again after the leave changes nothing; nor does an old leave after a new join."""
    clock.now = after(20)
    await directory.remove_member("T1", "C1", "A", event_at=after(10))
    await directory.add_member("T1", "C1", "A", event_at=after(8))
    assert await members(pool) == ({"B"}, True)
    await directory.add_member("T1", "C1", "A", event_at=after(12))
    await directory.remove_member("T1", "C1", "A", event_at=after(10))
    assert await members(pool) == ({"A", "B"}, True)


async def test_a_leave_from_before_the_listing_removes_and_makes_the_rest_unknown(
    directory: PgDirectory, pool: AsyncConnectionPool
) -> None:
    await directory.remove_member("T1", "C1", "A", event_at=after(-5))
    assert await members(pool) == ({"B"}, False)


async def test_a_join_from_before_the_listing_proves_nothing(directory: PgDirectory, pool: AsyncConnectionPool) -> None:
    await directory.add_member("T1", "C1", "Z", event_at=after(-5))
    assert await members(pool) == ({"A", "B"}, False)


async def test_an_event_of_an_unknown_conversation_asks_to_read_it(directory: PgDirectory) -> None:
    assert not await directory.add_member("T1", "C-NEW", "A", event_at=after(1))
    assert await directory.add_member("T1", "C1", "C", event_at=after(1))


async def test_old_news_of_a_person_are_dropped(directory: PgDirectory, pool: AsyncConnectionPool) -> None:
    member = Person("T1", "A", "Ann", "T1")
    guest = Person("T1", "A", "Ann", "T1", is_guest=True)
    await directory.put_people([guest], as_of=after(5))
    await directory.put_people([member], as_of=after(3))
    async with pool.connection() as connection:
        row = await (await connection.execute("SELECT is_guest, is_full_member FROM people")).fetchone()
    assert row == (True, False)


async def test_what_was_asked_before_an_event_tells_nothing_of_whom_it_changed(
    directory: PgDirectory, pool: AsyncConnectionPool, clock: Clock
) -> None:
    """A page of a sweep is under way while somebody becomes a guest and a channel private, and neither can be read."""
    member, public = Person("T1", "A", "Ann", "T1"), Conversation("T1", "C2", ConversationKind.PUBLIC)

    async def unknown_after_a_page(*, as_of: datetime) -> Unconfirmed:
        await directory.put_people([member], as_of=as_of)
        await directory.put_conversation(public, as_of=as_of)
        return await directory.sweeps.unconfirmed("T1", limit=9)

    await unknown_after_a_page(as_of=T0)
    clock.now = after(4)
    await directory.forget_person("T1", "A")
    await directory.forget_conversation("T1", "C2")
    assert await unknown_after_a_page(as_of=after(3)) == Unconfirmed(("A",), ("C2",), ())
    assert await unknown_after_a_page(as_of=after(5)) == Unconfirmed((), (), ())


async def test_a_list_from_before_the_bot_was_removed_proves_nothing(
    directory: PgDirectory, pool: AsyncConnectionPool, clock: Clock
) -> None:
    clock.now = after(4)
    await directory.forget_members("T1", "C1")
    await directory.replace_members("T1", "C1", ["A", "B"], as_of=after(3))
    await directory.confirm_conversations_of("T1", "B", ["C1"], as_of=after(3))
    assert await members(pool) == (set(), False)
    await directory.replace_members("T1", "C1", ["A"], as_of=after(5))
    assert await members(pool) == ({"A"}, True)


async def test_a_deleted_conversation_leaves_no_member(directory: PgDirectory, pool: AsyncConnectionPool) -> None:
    await directory.delete_conversation("T1", "C1")
    async with pool.connection() as connection:
        row = await (
            await connection.execute("SELECT (SELECT count(*) FROM memberships) + (SELECT count(*) FROM conversations)")
        ).fetchone()
    assert row == (0,)


async def test_unknowns_name_what_is_missing(directory: PgDirectory) -> None:
    await directory.put_people([Person("T1", "A", "Ann", "T1")], as_of=T0)

    async def unknowns(
        asker: str, conversation: str | None, *, since: float = -60, recheck: float = -60
    ) -> list[object]:
        found = await directory.unknowns(
            team="T1", asker=asker, conversation=conversation, since=after(since), recheck=after(recheck)
        )
        return [found.asker, found.asker_conversations, found.conversation, found.members, found.people]

    assert await unknowns("A", "C1") == [False, False, False, False, ("B",)]
    assert await unknowns("A", None) == [False, False, False, False, ()]
    assert await unknowns("A", "C2") == [False, False, True, True, ()]
    assert await unknowns("Z", "C1", recheck=60) == [True, False, False, True, ("B",)]
    assert await unknowns("A", "C1", since=60) == [True, True, True, True, ("A", "B")]


async def test_a_channel_that_becomes_private_takes_the_workspaces_grant_along(
    directory: PgDirectory, pool: AsyncConnectionPool
) -> None:
    """Except where another public channel gives it too; documents of other places keep theirs."""
    for name in ("C2", "C3"):
        await directory.put_conversation(Conversation("T1", name, ConversationKind.PUBLIC), as_of=T0)
    workspace, two, three = Principal.workspace("T1"), Principal.channel("T1", "C2"), Principal.channel("T1", "C3")
    granted = {"once": {workspace, two}, "twice": {workspace, two, three}, "other": {workspace, three}}
    grants = Grants(pool=pool)
    async with pool.connection() as connection:
        for document, principals in granted.items():
            await connection.execute(
                "INSERT INTO documents (document_id, team, source, source_id, title, created_by)"
                " VALUES (%s, 'T1', 'slack', %s, 'd', 'A')",
                [document, document],
            )
            await grants.set(connection, document, principals)
    await directory.put_conversation(Conversation("T1", "C2", ConversationKind.PRIVATE), as_of=after(1))
    assert await told(directory) == (["C2"], ["once"])
    assert [await grants.of(name) for name in granted] == [{two}, {workspace, two, three}, {workspace, three}]
    await directory.make_private("T1", "C3")
    assert await told(directory) == (["C3"], ["other", "twice"])
