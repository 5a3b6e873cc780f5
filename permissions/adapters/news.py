"""Changes of who reads what, written with the change itself and kept until others were told of them."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from psycopg import AsyncConnection
from psycopg_pool import AsyncConnectionPool

from permissions.ports import News

# One after the other, and after the rows that have changed: two transactions never wait for each other in a circle.
_LOCK = "SELECT pg_advisory_xact_lock(hashtext('news of ' || %(team)s))"

# What is noted anew gets a number anew: whoever is telling the old one does not take the new one away.
_NOTE = """
    INSERT INTO rights_news (team, kind, name)
    SELECT %(team)s, %(kind)s, name FROM unnest(%(names)s::text[]) AS named (name) ORDER BY name
    ON CONFLICT (team, kind, name) DO UPDATE SET number = DEFAULT
"""
_PENDING = "SELECT kind, number, name FROM rights_news WHERE team = %(team)s ORDER BY number LIMIT %(most)s"
_TOLD = "DELETE FROM rights_news WHERE team = %(team)s AND number = ANY (%(numbers)s)"

_MOST_AT_ONCE = 500


async def note(
    connection: AsyncConnection[Any],
    team: str,
    *,
    conversations: Collection[str] = (),
    documents: Collection[str] = (),
) -> None:
    """Note at the end of the caller's transaction whose audience has changed, and which documents have lost grants."""
    if conversations or documents:
        await connection.execute(_LOCK, {"team": team})
    for kind, names in (("conversation", conversations), ("document", documents)):
        if names:
            await connection.execute(_NOTE, {"team": team, "kind": kind, "names": sorted(set(names))})


class PgNews:
    """:class:`permissions.ports.NewsRows` over PostgreSQL."""

    def __init__(self, *, pool: AsyncConnectionPool) -> None:
        self._pool = pool

    async def pending(self, team: str) -> News:
        """The oldest news, a few hundred at most."""
        async with self._pool.connection() as connection:
            rows = await (await connection.execute(_PENDING, {"team": team, "most": _MOST_AT_ONCE})).fetchall()
        of_kind = {
            wanted: tuple((number, name) for kind, number, name in rows if kind == wanted)
            for wanted in ("conversation", "document")
        }
        return News(team, conversations=of_kind["conversation"], documents=of_kind["document"])

    async def told(self, news: News) -> None:
        """They were told; what was noted again meanwhile stays."""
        numbers = [number for number, _ in (*news.conversations, *news.documents)]
        async with self._pool.connection() as connection, connection.transaction():
            await connection.execute(_LOCK, {"team": news.team})
            await connection.execute(_TOLD, {"team": news.team, "numbers": numbers})
