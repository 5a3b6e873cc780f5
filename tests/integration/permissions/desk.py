"""A workspace in memory, and the parts that keep its rows true, around one clock."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from psycopg_pool import AsyncConnectionPool

from permissions.adapters.coverage import PgCoverage
from permissions.adapters.postgres import PgDirectory
from permissions.model import Conversation, ConversationKind, Person, ScopeLimit, Trouble, TroubleKind, UserGroup
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
        listed = (room for room in self.rooms.values() if room.kind is not ConversationKind.DM)
        yield Page(tuple(replace(room, team=team) for room in listed if "BOT" in self.inside[room.id]))

    async def groups(self, team: str) -> list[UserGroup]:
        self._ask("groups")
        return list(self.groups_in_use)

    async def members(self, team: str, conversation: str) -> list[str]:
        self._ask(f"members {team}/{conversation}")
        if conversation not in self.inside:
            raise WorkspaceUnavailable("members", trouble=Trouble(TroubleKind.REFUSED, "channel_not_found"))
        return list(self.inside[conversation])

    async def conversations_of(self, team: str, user: str) -> list[str]:
        self._ask(f"conversations of {team}/{user}")
        return [
            name
            for name, users in self.inside.items()
            if user in users and "BOT" in users and self.rooms[name].kind is not ConversationKind.DM
        ]

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
        self.moved: list[tuple[str, str]] = []
        self.pool = pool
        self.directory = PgDirectory(pool=pool, clock=lambda: self.now)
        self.sync = self.made_sync()
        self.scopes = ScopeBuilder(coverage=PgCoverage(pool=pool), clock=lambda: self.now, max_age=DAY)

    def made_sync(self, **options: Any) -> WorkspaceSync:
        return WorkspaceSync(
            source=self.company,
            directory=self.directory,
            clock=lambda: self.now,
            max_age=DAY,
            on_narrowed=self._note,
            **{"on_audience": self._note_audience, "on_moved": self._note_moved, **options},
        )

    async def _note(self, documents: tuple[str, ...]) -> None:
        self.narrowed.append(documents)

    async def _note_moved(self, team: str, old: str, new: str) -> None:
        assert team == "T1"
        self.moved.append((old, new))

    async def _note_audience(self, team: str, conversations: tuple[str, ...]) -> None:
        assert team == "T1"
        self.audiences.append(conversations)

    async def granted(self, document: str, *principals: str) -> None:
        """A document with these grants."""
        async with self.pool.connection() as connection:
            await connection.execute(
                "INSERT INTO documents (document_id, team, source, source_id, title, created_by)"
                " VALUES (%(document)s, 'T1', 'slack', %(document)s, 'd', 'ANN')",
                {"document": document},
            )
            for principal in principals:
                await connection.execute("INSERT INTO grants VALUES (%s, %s)", [document, principal])

    async def ask(self, asker: str, place: str | None) -> tuple[str, tuple[ScopeLimit, ...]]:
        """The short names of the scope, * for the workspace, as a question would get it."""
        await self.sync.ensure_known("T1", place, asker)
        scope = await self.scopes.scope(team="T1", asker=asker, conversation=place)
        return " ".join(sorted(item.id or "*" for item in scope.principals)), scope.limits

    def later(self, **duration: float) -> datetime:
        self.now += timedelta(**duration)
        return self.now
