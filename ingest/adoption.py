"""Documents that were learned before the workspace was known belong to it from then on."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import structlog
from psycopg_pool import AsyncConnectionPool

from ingest.rights import Rights
from permissions.grants import Grants

log = structlog.get_logger()

# A path that the workspace has learned by itself is its document: the other one stays where it is.
ADOPTABLE: Final = """
SELECT document_id FROM documents AS document
 WHERE team = %(old)s AND deleted_at IS NULL
   AND NOT EXISTS (SELECT FROM documents AS own
                    WHERE own.team = %(team)s AND own.source = document.source
                      AND own.source_id = document.source_id AND own.deleted_at IS NULL)
 ORDER BY document_id
"""

MOVE: Final = """
UPDATE documents SET team = %(team)s WHERE document_id = %(document)s AND team = %(old)s AND deleted_at IS NULL
"""


class Adoption:
    """Moves documents from one workspace to another with their rights. Raises psycopg's own errors."""

    def __init__(self, *, pool: AsyncConnectionPool, grants: Grants, rights: Rights) -> None:
        self._pool = pool
        self._grants = grants
        self._rights = rights

    async def adopt(self, *, old: str, team: str) -> None:
        """Give the documents of ``old`` to ``team``: what each member of ``old`` could read, each of ``team`` can."""
        async with self._pool.connection() as connection:
            rows = await (await connection.execute(ADOPTABLE, {"old": old, "team": team})).fetchall()
        for (document,) in rows:
            await self._move(document, old=old, team=team)
        if rows:
            log.info("documents_adopted", team=team, documents=len(rows))

    async def _move(self, document: str, *, old: str, team: str) -> None:
        async with self._pool.connection() as connection, connection.transaction():
            moved = await connection.execute(MOVE, {"document": document, "old": old, "team": team})
            if moved.rowcount:
                principals = [replace(item, team=team) for item in await self._grants.of(document)]
                await self._rights.replace(connection, document, principals)
