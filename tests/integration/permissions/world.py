"""Small workspaces as plain values, their rows, and what the design says about them, in plain Python.

The oracle knows nothing of the code under test: it lists people and intersects sets, as design §4 reads.
"""

# ruff: noqa: S608 - put together from the constants of this file

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from psycopg import AsyncConnection
from psycopg_pool import AsyncConnectionPool

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
MAX_AGE = timedelta(hours=24)
FRESH = NOW - timedelta(hours=1)
STALE = NOW - timedelta(hours=25)


@dataclass(frozen=True)
class Table:
    """A table of rights; its first ``keys`` columns are its key."""

    name: str
    columns: str
    keys: int = 3

    async def replace(self, connection: AsyncConnection[Any], team: str, rows: Sequence[tuple[object, ...]]) -> None:
        """Delete what ``rows`` lack, update what differs, insert what is new."""
        columns = self.columns.split()
        key, put = (
            ", ".join(columns[: self.keys]),
            ", ".join(f"{name} = excluded.{name}" for name in columns[self.keys :]),
        )
        there = await (await connection.execute(f"SELECT {key} FROM {self.name} WHERE team = %s", [team])).fetchall()
        kept = {row[: self.keys] for row in rows}
        async with connection.cursor() as cursor:
            await cursor.executemany(
                f"DELETE FROM {self.name} WHERE ({key}) = ({', '.join(['%s'] * self.keys)})",
                [row for row in there if row not in kept],
            )
            await cursor.executemany(
                f"INSERT INTO {self.name} ({', '.join(columns)}) VALUES ({', '.join(['%s'] * len(columns))})"
                f" ON CONFLICT ({key}) DO UPDATE SET {put}",
                rows,
            )


_TABLES = (
    Table("workspaces", "team people_listed_at", keys=1),
    Table("people", "team user_id home_team is_guest is_stranger is_deleted is_bot confirmed_at", keys=2),
    Table("conversations", "team conversation_id kind is_shared confirmed_at members_confirmed_at", keys=2),
    Table("memberships", "team conversation_id user_id confirmed_at"),
    Table("group_members", "team group_id user_id confirmed_at"),
)


@dataclass
class Human:
    """``kind``: full, guest, stranger, foreign, deleted or bot."""

    id: str
    kind: str = "full"
    confirmed_at: datetime = FRESH


@dataclass
class Room:
    """``members`` maps ids to when each was confirmed; ``listed_at`` is when all of them were."""

    id: str
    kind: str = "private"
    members: dict[str, datetime] = field(default_factory=dict)
    listed_at: datetime | None = FRESH
    confirmed_at: datetime = FRESH
    is_shared: bool = False


@dataclass
class World:
    team: str = "T1"
    people: list[Human] = field(default_factory=list)
    rooms: list[Room] = field(default_factory=list)
    groups: dict[str, dict[str, datetime]] = field(default_factory=dict)
    people_listed_at: datetime | None = FRESH

    async def write(self, pool: AsyncConnectionPool) -> None:
        """Make the rows of the team what this world is, by the changes that this needs and no others."""
        people = [self._person(human) for human in self.people]
        rooms = [(self.team, r.id, r.kind, r.is_shared, r.confirmed_at, r.listed_at) for r in self.rooms]
        members = [(self.team, room.id, user, at) for room in self.rooms for user, at in room.members.items()]
        groups = [(self.team, group, user, at) for group, users in self.groups.items() for user, at in users.items()]
        async with pool.connection() as connection:
            every = ([(self.team, self.people_listed_at)], people, rooms, members, groups)
            for table, rows in zip(_TABLES, every, strict=True):
                await table.replace(connection, self.team, rows)

    def _person(self, human: Human) -> tuple[object, ...]:
        home = "T-ELSEWHERE" if human.kind == "foreign" else self.team
        flags = (human.kind == kind for kind in ("guest", "stranger", "deleted", "bot"))
        return (self.team, human.id, home, *flags, human.confirmed_at)


def among(*users: str, at: datetime = FRESH) -> dict[str, datetime]:
    return dict.fromkeys(users, at)


def expected(world: World, asker: str, conversation: str | None) -> set[str]:
    """The names of the principals that an answer to ``asker`` in ``conversation`` may draw on."""
    room = next((r for r in world.rooms if r.id == conversation and r.confirmed_at >= NOW - MAX_AGE), None)
    if _kind(world, asker) in (None, "deleted", "bot") or (conversation is not None and room is None):
        return set()
    own = _principals(world, asker)
    if room is None:
        return own
    is_listed = room.listed_at is not None and room.listed_at >= NOW - MAX_AGE
    is_member = room.members.get(asker, STALE) >= NOW - MAX_AGE
    here = f"channel:{world.team}/{room.id}"
    if room.kind == "dm":
        return own if is_member and is_listed and _readers(world, room.members) == [asker] else set()
    if not is_member and not (room.kind == "public" and _kind(world, asker) == "full"):
        return set()
    # Whoever may read C's history may read its files; about other principals each reader is asked.
    if not is_listed or room.is_shared:
        return own & {here}
    return (own & {here}) | _covering(world, room, own - {here})


def expected_covering(world: World, conversation: str, asked: set[str]) -> set[str]:
    """Those of ``asked`` that everyone who reads the conversation has, whoever asks or nobody; none of elsewhere."""
    asked = asked & everything(world, elsewhere=False)
    here = {f"channel:{world.team}/{conversation}"} & asked
    room = next((r for r in world.rooms if r.id == conversation and r.confirmed_at >= NOW - MAX_AGE), None)
    if room is None or room.listed_at is None or room.listed_at < NOW - MAX_AGE:
        return here
    joined = _readers(world, room.members)
    if room.kind == "dm":
        alone = len(joined) == 1 and _kind(world, joined[0]) is not None
        return here | (asked & _principals(world, joined[0]) if alone else set())
    if room.is_shared or not (joined or room.kind == "public"):
        return here
    return here | _covering(world, room, asked - here)


def everything(world: World, *, elsewhere: bool = True) -> set[str]:
    """Every principal of the workspace, and some that name nothing there or are of another one."""
    named = {f"channel:{world.team}/{name}" for name in ["C-NEVER-SEEN", *(room.id for room in world.rooms)]}
    named |= {f"group:{world.team}/{group}" for group in [*world.groups, "S-NEVER-SEEN"]}
    named |= {f"user:{world.team}/{user}" for user in ["U-NEVER-SEEN", *(human.id for human in world.people)]}
    others = {"workspace:T-ELSEWHERE", "channel:T-ELSEWHERE/C0"} if elsewhere else set()
    return named | {f"workspace:{world.team}"} | others


def _covering(world: World, room: Room, candidates: set[str]) -> set[str]:
    """Those that every reader of the room has."""
    workspace = f"workspace:{world.team}"
    joined = _readers(world, room.members)
    everyone = [h.id for h in world.people if h.confirmed_at < NOW - MAX_AGE or h.kind == "full"]
    readers = joined + everyone if room.kind == "public" else joined
    is_complete = world.people_listed_at is not None and world.people_listed_at >= NOW - MAX_AGE
    covering = set()
    for name in candidates - {workspace}:
        if (room.kind != "public" or is_complete) and all(name in _principals(world, reader) for reader in readers):
            covering.add(name)
    # Every full member has the workspace's, so that only those who joined can lack it.
    if workspace in candidates and all(workspace in _principals(world, reader) for reader in joined):
        covering.add(workspace)
    return covering


def _kind(world: World, user: str) -> str | None:
    """What is freshly known of a person, if anything."""
    return next((h.kind for h in world.people if h.id == user and h.confirmed_at >= NOW - MAX_AGE), None)


def _readers(world: World, users: Iterable[str]) -> list[str]:
    return [user for user in users if _kind(world, user) not in ("bot", "deleted")]


def _principals(world: World, user: str) -> set[str]:
    names = {f"user:{world.team}/{user}"}
    if _kind(world, user) == "full":
        names.add(f"workspace:{world.team}")
    for room in world.rooms:
        if room.members.get(user, STALE) >= NOW - MAX_AGE:
            names.add(f"channel:{world.team}/{room.id}")
    for group, users in world.groups.items():
        if users.get(user, STALE) >= NOW - MAX_AGE:
            names.add(f"group:{world.team}/{group}")
    return names
