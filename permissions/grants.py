"""Rights of documents, apart from their content."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
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

# Only ever less: what somebody else has withdrawn meanwhile does not come back.
_TAKE = "DELETE FROM grants WHERE document_id = %(document)s AND principal = ANY (%(principals)s)"

# Held until the grants that follow from them are written: a channel that becomes private meanwhile waits, and then
# finds those grants. In one order everywhere, so that nobody waits in a circle.
_KINDS_HELD = """
    SELECT conversation_id, kind FROM conversations
    WHERE team = %(team)s AND conversation_id = ANY (%(conversations)s)
    ORDER BY conversation_id FOR SHARE
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

    async def withdraw(
        self, connection: AsyncConnection[Any], document: str, principals: Collection[Principal]
    ) -> bool:
        """Take ``principals`` from the document's grants, in the caller's transaction; whether any was there."""
        arguments = {"document": document, "principals": sorted(str(item) for item in principals)}
        return (await connection.execute(_TAKE, arguments)).rowcount > 0

    async def of(self, document: str) -> frozenset[Principal]:
        """The document's grants now; empty for an unknown document."""
        async with self._pool.connection() as connection:
            rows = await (await connection.execute(_OF, {"document": document})).fetchall()
        return frozenset(Principal.parse(name) for (name,) in rows)


async def held_kinds(
    connection: AsyncConnection[Any], team: str, conversations: Collection[str]
) -> dict[str, ConversationKind]:
    """What kind the conversations are, of those that are known; none changes before the transaction ends."""
    arguments = {"team": team, "conversations": sorted(conversations)}
    rows = await (await connection.execute(_KINDS_HELD, arguments)).fetchall()
    return {conversation: ConversationKind(kind) for conversation, kind in rows}


def principals_for_shares(
    team: str, shares: Iterable[tuple[str, ConversationKind]], *, people: Mapping[str, str]
) -> frozenset[Principal]:
    """The grants that follow from where a file is shared, as (conversation id, kind) pairs (design §4).

    A public channel gives the workspace and the channel, a private channel or group DM the channel alone, a DM with
    the bot its person, whom ``people`` names by the DM; another DM gives nothing.
    """
    granted: set[Principal] = set()
    for conversation, kind in shares:
        if kind is ConversationKind.DM:
            if person := people.get(conversation):
                granted.add(Principal.user(team, person))
            continue
        granted.add(Principal.channel(team, conversation))
        if kind is ConversationKind.PUBLIC:
            granted.add(Principal.workspace(team))
    return frozenset(granted)
