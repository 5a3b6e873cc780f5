"""Changes of rights, apart from content: the rows decide at once, the full-text index's copy follows by a job."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Final

from psycopg import AsyncConnection
from psycopg_pool import AsyncConnectionPool

from ingest.ports import Answers, FullTextWriter, Jobs
from permissions.grants import Grants
from permissions.model import Principal

RIGHTS_JOB: Final = "rights"
"""Name of the job that copies a document's grants into the full-text index; its argument is ``document``."""

# The document's row before its grants', as a deletion takes them: changes of one document take turns.
LOCK_DOCUMENT: Final = """
SELECT FROM documents WHERE document_id = %(document)s AND deleted_at IS NULL FOR NO KEY UPDATE
"""

CURRENT: Final = "SELECT principal FROM grants WHERE document_id = %(document)s"


class Rights:
    """Sets who may read a document. The index is a pre-filter: until the job has run, search finds less, never more.

    ``answers`` hear of it.
    """

    def __init__(
        self,
        *,
        pool: AsyncConnectionPool,
        jobs: Jobs,
        grants: Grants,
        full_text: FullTextWriter,
        answers: Answers,
    ) -> None:
        self._answers = answers
        self._pool = pool
        self._jobs = jobs
        self._grants = grants
        self._full_text = full_text

    async def set(self, document: str, principals: Collection[Principal]) -> None:
        """Make ``principals`` the whole of the document's grants; a document that is gone has none to change."""
        async with self._pool.connection() as connection, connection.transaction():
            await self.replace(connection, document, principals)

    async def replace(self, connection: AsyncConnection[Any], document: str, principals: Collection[Principal]) -> None:
        """As ``set``, in the caller's transaction."""
        current = await _current(connection, document)
        if current is not None:
            await self._change(connection, document, frozenset(principals), current)

    async def widen(self, connection: AsyncConnection[Any], document: str, more: Collection[Principal]) -> None:
        """Add to the document's grants, in the caller's transaction."""
        current = await _current(connection, document)
        if current is not None:
            await self._change(connection, document, current.union(more), current)

    async def narrow(self, connection: AsyncConnection[Any], document: str, fewer: Collection[Principal]) -> None:
        """Take from the document's grants, in the caller's transaction."""
        current = await _current(connection, document)
        if current is not None and await self._grants.withdraw(connection, document, fewer):
            await self._let_index_follow(connection, document)

    async def follow(self, documents: Collection[str]) -> None:
        """The grants of ``documents`` were changed by others: let the index's copy and answers follow."""
        async with self._pool.connection() as connection, connection.transaction():
            # In one order everywhere, so that two at once do not wait for each other in a circle.
            for document in sorted(documents):
                await self._let_index_follow(connection, document)

    async def run(self, *, document: str) -> None:
        """The job: bring the index's copy up to date."""
        principals = await self._grants.of(document)
        await self._full_text.set_principals(document, sorted(str(item) for item in principals))

    async def _change(
        self,
        connection: AsyncConnection[Any],
        document: str,
        wanted: frozenset[Principal],
        current: frozenset[Principal],
    ) -> None:
        if wanted == current:
            return
        await self._grants.set(connection, document, wanted)
        await self._let_index_follow(connection, document)

    async def _let_index_follow(self, connection: AsyncConnection[Any], document: str) -> None:
        # The lock of the document's reading: a version that is being indexed gets the rights of before or after.
        await self._jobs.enqueue(
            connection, RIGHTS_JOB, lock=document, queueing_lock=f"{RIGHTS_JOB}/{document}", document=document
        )
        await self._answers.documents_changed([document], connection=connection)


async def _current(connection: AsyncConnection[Any], document: str) -> frozenset[Principal] | None:
    """The grants now, held until the transaction ends; None when the document is gone."""
    if (await connection.execute(LOCK_DOCUMENT, {"document": document})).rowcount == 0:
        return None
    rows = await (await connection.execute(CURRENT, {"document": document})).fetchall()
    return frozenset(Principal.parse(name) for (name,) in rows)
