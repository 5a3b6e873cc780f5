"""The rows of people, conversations and memberships, written so that late and doubled news never widens a right."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

from psycopg import AsyncConnection
from psycopg.types.json import Jsonb
from psycopg_pool import AsyncConnectionPool

from permissions.adapters import directory_sql as sql
from permissions.adapters.groups import PgGroups
from permissions.adapters.news import PgNews, note
from permissions.adapters.sweeps import PgSweeps
from permissions.grants import held_kinds
from permissions.model import Conversation, ConversationKind, Person, Principal
from permissions.ports import EVERYWHERE, Unknowns


class PgDirectory:
    """:class:`permissions.ports.Directory` over PostgreSQL."""

    def __init__(self, *, pool: AsyncConnectionPool, clock: Callable[[], datetime]) -> None:
        self._pool = pool
        self._clock = clock
        self.groups = PgGroups(pool=pool, clock=clock)
        self.sweeps = PgSweeps(pool=pool)
        self.news = PgNews(pool=pool)

    async def put_people(self, people: Collection[Person], *, as_of: datetime) -> None:
        """Write what is known of people; news older than what is there is dropped.

        Where they are the audience has changed if they read more or less than before; a new full member reads every
        public channel.
        """
        given = {(person.team, person.id): asdict(person) for person in people}
        async with self._pool.connection() as connection, connection.transaction():
            statement = {"people": Jsonb(list(given.values())), "as_of": as_of}
            rows = await (await connection.execute(sql.PUT_PEOPLE, statement)).fetchall()
            for team in {team for team, _, _ in rows}:
                users = [user for its, user, _ in rows if its == team]
                is_wider = any(is_new for its, _, is_new in rows if its == team)
                await _note_where(connection, team, users, also=[EVERYWHERE] if is_wider else [])

    async def people_listed(self, team: str, *, as_of: datetime) -> None:
        """All people of the workspace were read, beginning at ``as_of``: who is missing for the second time goes."""
        given = {"team": team, "as_of": as_of}
        async with self._pool.connection() as connection, connection.transaction():
            gone = await (await connection.execute(sql.DROP_PEOPLE_ABSENT, given)).fetchall()
            await connection.execute(sql.PEOPLE_LISTED, given)
            await _note_where(connection, team, [user for (user,) in gone])

    async def drop_person(self, team: str, user: str, *, as_of: datetime) -> None:
        """There is nobody of this id, as of ``as_of``: where they are a member nothing is known of them."""
        async with self._pool.connection() as connection, connection.transaction():
            if (await connection.execute(sql.DROP_PERSON, {"team": team, "user": user, "as_of": as_of})).rowcount:
                await _note_where(connection, team, [user])

    async def forget_person(self, team: str, user: str) -> None:
        """Nothing fresh is known of this person until they are read again."""
        await self._run(sql.FORGET_PERSON, team=team, user=user, now=self._clock())

    async def put_conversation(self, conversation: Conversation, *, as_of: datetime) -> None:
        """Write a conversation. When it was public and is no more, the workspace's grants that came from it go too."""
        team, given = conversation.team, {**asdict(conversation), "kind": str(conversation.kind), "as_of": as_of}
        now = (conversation.kind, conversation.is_shared)
        async with self._pool.connection() as connection, connection.transaction():
            before = await _locked(connection, team, conversation.id)
            written = (await connection.execute(sql.PUT_CONVERSATION, given)).rowcount
            if not written or before is None or before == now:
                return
            is_closed = before[0] is ConversationKind.PUBLIC and conversation.kind is not ConversationKind.PUBLIC
            narrowed = await _withdraw_workspace(connection, team, conversation.id) if is_closed else []
            await note(connection, team, conversations=[conversation.id], documents=narrowed)

    async def forget_conversation(self, team: str, conversation: str) -> None:
        """What kind it is and whether it is shared is unknown until it is read again."""
        await self._run(sql.FORGET_CONVERSATION, team=team, conversation=conversation, now=self._clock())

    async def forget_workspace(self, team: str) -> None:
        """The app was taken out of the workspace: nobody is known until it can be read again."""
        async with self._pool.connection() as connection, connection.transaction():
            for statement in sql.FORGET_WORKSPACE:
                await connection.execute(statement, {"team": team, "now": self._clock()})

    async def make_private(self, team: str, conversation: str) -> None:
        """A public channel became private: documents lose the workspace's grant that came from it."""
        async with self._pool.connection() as connection, connection.transaction():
            await connection.execute(sql.MAKE_PRIVATE, {"team": team, "conversation": conversation})
            narrowed = await _withdraw_workspace(connection, team, conversation)
            await note(connection, team, conversations=[conversation], documents=narrowed)

    async def move_conversation(self, team: str, old: str, new: str) -> None:
        """The conversation goes on under the id ``new``, with the members of ``old`` and its principal's grants."""
        given: dict[str, Any] = {
            "team": team,
            "old": old,
            "new": new,
            "conversation": old,
            "old_principal": str(Principal.channel(team, old)),
            "new_principal": str(Principal.channel(team, new)),
        }
        async with self._pool.connection() as connection, connection.transaction():
            await _locked(connection, team, old)
            for statement in (sql.MOVE_MEMBERS, sql.MOVE_DEPARTURES, sql.MOVE_CONVERSATION):
                await connection.execute(statement, given)
            for statement in (sql.DROP_MEMBERS, sql.DROP_DEPARTURES, sql.DROP_CONVERSATION):
                await connection.execute(statement, given)
            rows = await (await connection.execute(sql.TAKE_GRANTS, given)).fetchall()
            documents = [document for (document,) in rows]
            await connection.execute(sql.GIVE_GRANTS, {**given, "documents": documents})
            await note(connection, team, conversations=[new], documents=documents)

    async def delete_conversation(self, team: str, conversation: str) -> None:
        """The conversation is gone: nobody holds its principal any more, and what it gave to the workspace goes too."""
        given = {"team": team, "conversation": conversation}
        async with self._pool.connection() as connection, connection.transaction():
            before = await _locked(connection, team, conversation)
            is_closed = before is not None and before[0] is ConversationKind.PUBLIC
            narrowed = await _withdraw_workspace(connection, team, conversation) if is_closed else []
            for statement in (sql.DROP_MEMBERS, sql.DROP_DEPARTURES, sql.DROP_CONVERSATION):
                await connection.execute(statement, given)
            await note(connection, team, conversations=[conversation], documents=narrowed)

    async def replace_members(self, team: str, conversation: str, members: Collection[str], *, as_of: datetime) -> None:
        """Make ``members`` the whole membership as of ``as_of``; what events said since then stays.

        A list from before the bot was removed, or the conversation changed, tells nothing.
        """
        given = {"team": team, "conversation": conversation, "members": sorted(set(members)), "as_of": as_of}
        async with self._pool.connection() as connection, connection.transaction():
            await _locked(connection, team, conversation)
            row = await (await connection.execute(sql.IS_OUTDATED, given)).fetchone()
            if row == (True,):
                return
            gone = (await connection.execute(sql.DROP_ABSENT, given)).rowcount
            listed = await (await connection.execute(sql.ADD_LISTED, given)).fetchall()
            await connection.execute(sql.DROP_OLD_DEPARTURES, given)
            row = await (await connection.execute(sql.MEMBERS_CONFIRMED, given)).fetchone()
            # Whoever went has lost its principal, wherever else they read. Whoever came concerns what
            # stands there alone: where somebody has asked, or the bot was taken out and is back.
            if gone or (row == (True,) and any(is_new for (is_new,) in listed)):
                await note(connection, team, conversations=[conversation])

    async def confirm_conversations_of(
        self, team: str, user: str, conversations: Collection[str], *, as_of: datetime
    ) -> None:
        """This person is in these conversations; says nothing about others."""
        given = {"team": team, "user": user, "conversations": sorted(set(conversations)), "as_of": as_of}
        async with self._pool.connection() as connection, connection.transaction():
            # A removal of the bot under way is waited for, and then seen.
            await held_kinds(connection, team, conversations)
            rows = await (await connection.execute(sql.CONFIRM_CONVERSATIONS_OF, given)).fetchall()
            await note(connection, team, conversations=[name for name, is_new in rows if is_new])

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
        given = {"team": team, "conversation": conversation, "now": self._clock()}
        async with self._pool.connection() as connection, connection.transaction():
            await _locked(connection, team, conversation)
            await connection.execute(sql.DROP_MEMBERS, given)
            await connection.execute(sql.MEMBERS_FORGOTTEN, given)
            await note(connection, team, conversations=[conversation])

    async def hide_conversation(self, team: str, conversation: str) -> None:
        """Slack does not show the conversation to the bot: nobody is known to be there.

        Every app is shown public channels, so one that is not is closed or gone: what it gave to the workspace goes.
        """
        given = {"team": team, "conversation": conversation, "now": self._clock()}
        async with self._pool.connection() as connection, connection.transaction():
            before = await _locked(connection, team, conversation)
            narrowed: Collection[str] = ()
            if before is not None and before[0] is ConversationKind.PUBLIC:
                await connection.execute(sql.MAKE_PRIVATE, given)
                narrowed = await _withdraw_workspace(connection, team, conversation)
            await connection.execute(sql.DROP_MEMBERS, given)
            await connection.execute(sql.MEMBERS_FORGOTTEN, given)
            await note(connection, team, conversations=[conversation], documents=narrowed)

    async def asked_in(self, team: str, conversation: str) -> None:
        """Somebody asks there: sweeps read it before others."""
        await self._run(sql.ASKED_IN, team=team, conversation=conversation, now=self._clock())

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
            if await _locked(connection, team, conversation) is None:
                return False
            row = await (await connection.execute(sql.EVENT_AGE, given)).fetchone()
            superseded, late = row if row is not None else (False, False)
            if superseded:
                return True
            for statement in when_late if late else statements:
                await connection.execute(statement, given)
            if late:
                await connection.execute(sql.MEMBERS_UNKNOWN, given)
            await note(connection, team, conversations=[conversation])
        return True

    async def _run(self, statement: str, **given: Any) -> None:
        async with self._pool.connection() as connection:
            await connection.execute(statement, given)


async def _locked(
    connection: AsyncConnection[Any], team: str, conversation: str
) -> tuple[ConversationKind, bool] | None:
    """Lock the conversation's row, so that a listing and an event are applied one after the other; its kind, and
    whether it is shared. Whoever changes who is there takes it before the rows of members: the other way round, two of
    them would wait for each other in a circle."""
    given = {"team": team, "conversation": conversation}
    row = await (await connection.execute(sql.LOCK_CONVERSATION, given)).fetchone()
    return None if row is None else (ConversationKind(row[0]), row[1])


async def _note_where(
    connection: AsyncConnection[Any], team: str, users: Collection[str], *, also: Sequence[str] = ()
) -> None:
    """What these people read has changed: note where answers may stand before them."""
    places = await (await connection.execute(sql.PLACES_OF, {"team": team, "users": sorted(users)})).fetchall()
    await note(connection, team, conversations=[*(name for (name,) in places), *also])


async def _withdraw_workspace(connection: AsyncConnection[Any], team: str, conversation: str) -> list[str]:
    given = {
        "team": team,
        "conversation": conversation,
        "workspace": str(Principal.workspace(team)),
        "channel": str(Principal.channel(team, conversation)),
    }
    rows = await (await connection.execute(sql.WITHDRAW_WORKSPACE, given)).fetchall()
    return [document for (document,) in rows]
