"""Rights of documents, apart from their content."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

from psycopg import AsyncConnection
from psycopg_pool import AsyncConnectionPool

from permissions.model import ConversationKind, Principal

# Grants that are no longer in the wanted set.
_WITHDRAW = "DELETE FROM grants WHERE document_id = %(document)s AND principal <> ALL (%(principals)s)"

# Grants that are new; those that stay are not rewritten.
_GRANT = """
    INSERT INTO grants (document_id, principal)
    SELECT %(document)s, unnest(%(principals)s::text[])
    ON CONFLICT DO NOTHING
"""

_OF = "SELECT principal FROM grants WHERE document_id = %(document)s"


class Grants:
    """Reads and writes who may read a document."""

    def __init__(self, *, pool: AsyncConnectionPool) -> None:
        self._pool = pool

    async def set(self, connection: AsyncConnection[Any], document: str, principals: Collection[Principal]) -> None:
        """Make ``principals`` the whole of the document's grants, in the caller's transaction; empty: nobody reads.

        Raises psycopg's ForeignKeyViolation when there is no such document.
        """
        arguments = {"document": document, "principals": sorted(str(item) for item in principals)}
        await connection.execute(_WITHDRAW, arguments)
        await connection.execute(_GRANT, arguments)

    async def of(self, document: str) -> frozenset[Principal]:
        """The document's grants now; empty for an unknown document."""
        async with self._pool.connection() as connection:
            rows = await (await connection.execute(_OF, {"document": document})).fetchall()
        return frozenset(Principal.parse(name) for (name,) in rows)


def principals_for_shares(
    team: str, shares: Iterable[tuple[str, ConversationKind]], *, sharer: str
) -> frozenset[Principal]:
    """The grants that follow from where a file is shared, as (conversation id, kind) pairs (design §4).

    A public channel gives the workspace and the channel, a private channel or group DM the channel alone, a DM with
    the bot its person, ``sharer``.
    """
    granted: set[Principal] = set()
    for conversation, kind in shares:
        if kind is ConversationKind.DM:
            granted.add(Principal.user(team, sharer))
            continue
        granted.add(Principal.channel(team, conversation))
        if kind is ConversationKind.PUBLIC:
            granted.add(Principal.workspace(team))
    return frozenset(granted)
