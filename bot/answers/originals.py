"""Original files that are not in Slack: opened by a link that is made for one reader, used once, and soon over."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

import structlog
from psycopg.rows import dict_row
from psycopg_pool import AsyncConnectionPool

from bot.answers.rights import Memberships, Scopes
from permissions.audit import Action, Audit, AuditEntry

log = structlog.get_logger()

FILES_PATH: Final = "/files"
"""Where the server tells links by; the token follows."""

LINK_SECONDS: Final = 60.0

# Today's rights, whatever they were when the link was made. A superseded version may still be read by those whom the
# document is open to today.
_ORIGINAL: Final = """
SELECT document.title, version.object_key
  FROM versions AS version JOIN documents AS document USING (document_id)
 WHERE version.version_id = %(version)s
   AND document.team = %(team)s
   AND document.deleted_at IS NULL
   AND version.published_at IS NOT NULL
   AND version.object_key IS NOT NULL
   AND EXISTS (
           SELECT FROM grants
            WHERE grants.document_id = document.document_id AND grants.principal = ANY (%(principals)s)
       )
"""


class Originals(Protocol):
    """The stored files."""

    async def fetch(self, key: str, to: Path) -> None: ...


class LinkOver(Exception):
    """The link was used, is too old, was never made, or what it leads to is not for its reader (any more)."""


@dataclass(frozen=True, slots=True)
class _Pass:
    """What a link is good for. ``until`` is monotonic seconds."""

    team: str
    reader: str
    version: str
    until: float


class OriginalLinks:
    """Makes links and redeems them. ``clock`` is monotonic seconds.

    ``address`` is where people's browsers reach this process, such as ``https://haitang.example.com``; while it is
    None no links are made.
    """

    def __init__(
        self,
        *,
        pool: AsyncConnectionPool,
        scopes: Scopes,
        memberships: Memberships,
        originals: Originals,
        audit: Audit,
        clock: Callable[[], float],
        address: str | None = None,
    ) -> None:
        self.address = address
        self._pool = pool
        self._scopes = scopes
        self._memberships = memberships
        self._originals = originals
        self._audit = audit
        self._clock = clock
        self._passes: dict[str, _Pass] = {}

    def link(self, *, team: str, reader: str, version: str) -> str | None:
        """A link to the version's original for ``reader``, whose rights were just checked."""
        if self.address is None:
            return None
        now = self._clock()
        self._passes = {token: one for token, one in self._passes.items() if one.until > now}
        token = secrets.token_urlsafe(32)
        self._passes[token] = _Pass(team, reader, version, now + LINK_SECONDS)
        return f"{self.address.rstrip('/')}{FILES_PATH}/{token}"

    async def redeem(self, token: str, to: Path) -> str:
        """Write the file to the new file ``to`` and return its name; the link is over, whatever comes of it.

        Raises LinkOver, and the stores' errors when the rights can't be checked.
        """
        found = self._passes.pop(token, None)
        if found is None or found.until <= self._clock():
            raise LinkOver
        await self._memberships.ensure_known(team=found.team, conversation=None, asker=found.reader)
        scope = await self._scopes.scope(team=found.team, asker=found.reader, conversation=None)
        arguments = {"version": found.version, "team": found.team, "principals": scope.principal_names()}
        async with self._pool.connection() as connection, connection.cursor(row_factory=dict_row) as cursor:
            row = await (await cursor.execute(_ORIGINAL, arguments)).fetchone()
        if row is None:
            log.info("original_refused", version=found.version, reader=found.reader)
            details = {"what": "open_original", "value": found.version, "reason": "not_allowed"}
            await self._audit.note(AuditEntry(Action.REFUSAL, found.team, found.reader, details=details))
            raise LinkOver
        details = {"what": "open_original", "value": found.version}
        await self._audit.note(AuditEntry(Action.CLICK, found.team, found.reader, details=details))
        try:
            await self._originals.fetch(row["object_key"], to)
        except FileNotFoundError as error:
            # Deleted between the two.
            raise LinkOver from error
        return str(row["title"])
