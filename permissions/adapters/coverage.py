"""Who reads a conversation, and which of the asker's principals each of them has: computed where the rows are."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import fields
from datetime import datetime
from typing import Any

from psycopg.rows import dict_row
from psycopg_pool import AsyncConnectionPool

from permissions.adapters import coverage_sql as sql
from permissions.model import ConversationKind, Principal, PrincipalKind
from permissions.ports import AskerFacts, Covered, PlaceFacts, Standing


class PgCoverage:
    """:class:`permissions.ports.Coverage` over PostgreSQL."""

    def __init__(self, *, pool: AsyncConnectionPool) -> None:
        self._pool = pool

    async def look(self, *, team: str, asker: str, conversation: str | None, since: datetime) -> Standing:
        """One consistent look: everything is seen in one snapshot."""
        given = {"team": team, "asker": asker, "conversation": conversation, "since": since}
        row = await self._row(sql.ALONE if conversation is None else sql.LOOK, given)
        if row is None:
            return Standing(None, None)
        person = None if row["is_full_member"] is None else AskerFacts(row["is_full_member"], row["has_stale"])
        place = None if conversation is None else _place(row)
        if person is None or (conversation is not None and place is None):
            return Standing(person, place)
        return Standing(person, place, _principals(team, row["principals"]), row.get("is_incomplete", False))

    async def cover(
        self, *, team: str, conversation: str, principals: Collection[Principal], since: datetime
    ) -> Covered:
        """One consistent look, as for an asker."""
        asked = sorted(principals)
        kinds, ids = [str(item.kind) for item in asked], [item.id for item in asked]
        given = {"team": team, "asker": None, "conversation": conversation, "since": since, "kinds": kinds, "ids": ids}
        row = await self._row(sql.COVER, given)
        place = None if row is None else _place(row)
        return Covered(None) if row is None or place is None else Covered(place, _principals(team, row["principals"]))

    async def _row(self, statement: str, given: Mapping[str, Any]) -> dict[str, Any] | None:
        async with self._pool.connection() as connection, connection.cursor(row_factory=dict_row) as cursor:
            row = await (await cursor.execute(statement, given, prepare=True)).fetchone()
        if row is not None and row.get("to_build"):
            await self._build(given["team"], row["to_build"])
        return row

    async def _build(self, team: str, what: Sequence[Sequence[str]]) -> None:
        """Build the bits that were missing, for the next look; not if somebody else is at it."""
        given = {"team": team, "kinds": [kind for kind, _ in what], "ids": [name for _, name in what]}
        async with self._pool.connection() as connection, connection.transaction():
            row = await (await connection.execute(sql.LOCK, given)).fetchone()
            if row is not None and row[0]:
                for statement in sql.BUILD:
                    await connection.execute(statement, given)


def _place(row: Mapping[str, Any]) -> PlaceFacts | None:
    if row["kind"] is None:
        return None
    values = {item.name: row[item.name] for item in fields(PlaceFacts)}
    return PlaceFacts(**{**values, "kind": ConversationKind(row["kind"])})


def _principals(team: str, names: Sequence[Sequence[str]]) -> frozenset[Principal]:
    return frozenset(Principal(PrincipalKind(kind), team, name) for kind, name in names)
