"""The rows of people, conversations and memberships, written so that late and doubled news never widens a right."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import asdict
from datetime import datetime
from typing import Any

from psycopg import AsyncConnection
from psycopg_pool import AsyncConnectionPool

from permissions.adapters import directory_sql as sql
from permissions.model import Conversation, ConversationKind, Person, Principal
from permissions.ports import Unknowns


class PgDirectory:
    """:class:`permissions.ports.Directory` over PostgreSQL."""

    def __init__(self, *, pool: AsyncConnectionPool, clock: Callable[[], datetime]) -> None:
        self._pool = pool
        self._clock = clock

    async def put_people(self, people: Collection[Person], *, as_of: datetime) -> None:
        """Write what is known of people; news older than what is there is dropped."""
        async with self._pool.connection() as connection, connection.cursor() as cursor:
            # In one order everywhere, so that two listings at once do not wait for each other in a circle.
            ordered = sorted(people, key=lambda person: (person.team, person.id))
            await cursor.executemany(sql.PUT_PERSON, [{**asdict(person), "as_of": as_of} for person in ordered])

    async def people_listed(self, team: str, *, as_of: datetime) -> None:
        """All people of the workspace were read, beginning at ``as_of``."""
        await self._run(sql.PEOPLE_LISTED, team=team, as_of=as_of)

    async def forget_person(self, team: str, user: str) -> None:
        """Nothing fresh is known of this person until they are read again."""
        await self._run(sql.FORGET_PERSON, team=team, user=user)

    async def put_conversation(self, conversation: Conversation, *, as_of: datetime) -> tuple[str, ...]:
        """Write a conversation. When it was public and is no more, the workspace's grants that came from it go too.

        Returns the documents whose grants shrank: indices that copy grants have to be told.
        """
        given = {**asdict(conversation), "kind": str(conversation.kind), "as_of": as_of}
        async with self._pool.connection() as connection, connection.transaction():
            before = await _locked_kind(connection, conversation.team, conversation.id)
            written = (await connection.execute(sql.PUT_CONVERSATION, given)).rowcount
            if written and before is ConversationKind.PUBLIC and conversation.kind is not ConversationKind.PUBLIC:
                return await _withdraw_workspace(connection, conversation.team, conversation.id)
        return ()

    async def forget_conversation(self, team: str, conversation: str) -> None:
        """What kind it is and whether it is shared is unknown until it is read again."""
        await self._run(sql.FORGET_CONVERSATION, team=team, conversation=conversation)

    async def make_private(self, team: str, conversation: str) -> tuple[str, ...]:
        """A public channel became private; returns the documents whose grants shrank."""
        async with self._pool.connection() as connection, connection.transaction():
            await connection.execute(sql.MAKE_PRIVATE, {"team": team, "conversation": conversation})
            return await _withdraw_workspace(connection, team, conversation)

    async def delete_conversation(self, team: str, conversation: str) -> None:
        """The conversation is gone: nobody holds its principal any more."""
        given = {"team": team, "conversation": conversation}
        async with self._pool.connection() as connection, connection.transaction():
            for statement in (sql.DROP_MEMBERS, sql.DROP_DEPARTURES, sql.DROP_CONVERSATION):
                await connection.execute(statement, given)

    async def replace_members(self, team: str, conversation: str, members: Collection[str], *, as_of: datetime) -> None:
        """Make ``members`` the whole membership as of ``as_of``; what events said since then stays."""
        given = {"team": team, "conversation": conversation, "members": sorted(set(members)), "as_of": as_of}
        async with self._pool.connection() as connection, connection.transaction():
            await _locked_kind(connection, team, conversation)
            for statement in (sql.DROP_ABSENT, sql.ADD_LISTED, sql.DROP_OLD_DEPARTURES, sql.MEMBERS_CONFIRMED):
                await connection.execute(statement, given)

    async def forget_unseen(self, team: str, seen: Collection[str], *, as_of: datetime) -> None:
        """The bot is in ``seen`` and in no other channel or group DM: of all others nobody is known to be there."""
        given = {"team": team, "conversations": sorted(seen), "as_of": as_of}
        async with self._pool.connection() as connection, connection.transaction():
            await connection.execute(sql.DROP_MEMBERS_UNSEEN, given)
            await connection.execute(sql.MEMBERS_UNKNOWN_UNSEEN, given)

    async def replace_group(self, team: str, group: str, members: Collection[str], *, as_of: datetime) -> None:
        """Make ``members`` the whole of a user group."""
        given = {"team": team, "group": group, "members": sorted(set(members)), "as_of": as_of}
        async with self._pool.connection() as connection, connection.transaction():
            await connection.execute(sql.DROP_GROUP, given)
            await connection.execute(sql.ADD_GROUP, given)

    async def confirm_conversations_of(
        self, team: str, user: str, conversations: Collection[str], *, as_of: datetime
    ) -> None:
        """This person is in these conversations; says nothing about others."""
        listed = sorted(set(conversations))
        await self._run(sql.CONFIRM_CONVERSATIONS_OF, team=team, user=user, conversations=listed, as_of=as_of)

    async def add_member(self, team: str, conversation: str, user: str, *, event_at: datetime) -> bool:
        """Somebody joined. False when the conversation is unknown, so that it has to be read first.

        An event older than another about the same person is dropped; one older than the last listing proves nothing
        and makes the membership unknown.
        """
        return await self._apply(
            (sql.FORGET_DEPARTURE, sql.ADD_MEMBER), team, conversation, user, event_at=event_at, when_late=()
        )

    async def remove_member(self, team: str, conversation: str, user: str, *, event_at: datetime) -> bool:
        """Somebody left, and loses the principal at once. False when the conversation is unknown."""
        leave = (sql.REMOVE_MEMBER, sql.REMEMBER_DEPARTURE)
        return await self._apply(leave, team, conversation, user, event_at=event_at, when_late=leave)

    async def forget_members(self, team: str, conversation: str) -> None:
        """The bot sees the conversation no more: who is there is unknown, and nobody is proven to be."""
        given = {"team": team, "conversation": conversation}
        async with self._pool.connection() as connection, connection.transaction():
            await connection.execute(sql.DROP_MEMBERS, given)
            await connection.execute(sql.MEMBERS_UNKNOWN, given)

    async def unknowns(
        self, *, team: str, asker: str, conversation: str | None, since: datetime, recheck: datetime
    ) -> Unknowns:
        """Which rows are missing or older than ``since``.

        Members also count as unknown when the asker is not among them and the listing is older than ``recheck``.
        """
        given = {"team": team, "asker": asker, "conversation": conversation, "since": since, "recheck": recheck}
        async with self._pool.connection() as connection:
            rows = await (await connection.execute(sql.UNKNOWNS, given)).fetchall()
        asker_unknown, conversations, place, members, people = rows[0]
        return Unknowns(asker_unknown, conversations, place, members, tuple(people))

    async def _apply(
        self,
        statements: tuple[str, ...],
        team: str,
        conversation: str,
        user: str,
        *,
        event_at: datetime,
        when_late: tuple[str, ...],
    ) -> bool:
        given = {
            "team": team,
            "conversation": conversation,
            "user": user,
            "event_at": event_at,
            "now": self._clock(),
        }
        async with self._pool.connection() as connection, connection.transaction():
            if await _locked_kind(connection, team, conversation) is None:
                return False
            row = await (await connection.execute(sql.EVENT_AGE, given)).fetchone()
            superseded, late = row if row is not None else (False, False)
            if superseded:
                return True
            for statement in when_late if late else statements:
                await connection.execute(statement, given)
            if late:
                await connection.execute(sql.MEMBERS_UNKNOWN, given)
        return True

    async def _run(self, statement: str, **given: Any) -> None:
        async with self._pool.connection() as connection:
            await connection.execute(statement, given)


async def _locked_kind(connection: AsyncConnection[Any], team: str, conversation: str) -> ConversationKind | None:
    """Lock the conversation's row, so that a listing and an event are applied one after the other."""
    given = {"team": team, "conversation": conversation}
    row = await (await connection.execute(sql.LOCK_CONVERSATION, given)).fetchone()
    return None if row is None else ConversationKind(row[0])


async def _withdraw_workspace(connection: AsyncConnection[Any], team: str, conversation: str) -> tuple[str, ...]:
    given = {
        "team": team,
        "conversation": conversation,
        "workspace": str(Principal.workspace(team)),
        "channel": str(Principal.channel(team, conversation)),
    }
    rows = await (await connection.execute(sql.WITHDRAW_WORKSPACE, given)).fetchall()
    return tuple(sorted(document for (document,) in rows))
