"""Opening of a citation: the passage in its surroundings, under the reader's rights of now."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Protocol
from typing import Final as Constant

import structlog
from psycopg.rows import dict_row
from psycopg_pool import AsyncConnectionPool

from bot.answers.rights import Memberships, Scopes
from handlers.model import CitationRefused, CitationView, RefusalReason
from handlers.places import place_label
from permissions.model import AccessScope
from retrieval.model import Place, UnitText

log = structlog.get_logger()

BEFORE: Constant = 240
"""Characters shown before the passage: it must be seen without scrolling."""
AFTER: Constant = 600
_BREAK: Constant = re.compile(r"\n|(?<=[。！？；])|(?<=[.!?;])\s")
_TABLE_HEAD: Constant = re.compile(r"^\|.*\n\|[\s:|-]+\|[ \t]*$", re.MULTILINE)

# What an evidence id names, in its own workspace alone. No text of the document itself is read here; the excerpt is
# shown only after the rights were checked.
_EVIDENCE: Constant = """
SELECT evidence.number, evidence.title, evidence.excerpt, evidence.place, evidence.unit, evidence.version_id,
       evidence.version_number, evidence.published_at, document.permalink,
       document.document_id IS NULL OR document.deleted_at IS NOT NULL AS is_deleted
  FROM evidence
  JOIN evidence_sets USING (evidence_set_id)
  JOIN runs USING (run_id)
  LEFT JOIN documents AS document ON document.document_id = evidence.document_id AND document.team = runs.team
 WHERE evidence.evidence_id = %(evidence_id)s AND runs.team = %(team)s
"""


class Surroundings(Protocol):
    """The whole unit that a passage stands in; None when it is not for the scope."""

    async def around(self, scope: AccessScope, *, version: str, unit: int) -> UnitText | None: ...


class Originals(Protocol):
    """A link to an original that is not in Slack; None where people's browsers can't reach us."""

    def link(self, *, team: str, reader: str, version: str) -> str | None: ...


@dataclass(frozen=True, slots=True)
class _Between:
    """A passage with what stands before and after it."""

    before: str
    excerpt: str
    after: str


class CitationOpener:
    """Satisfies ``handlers.ports.Citations``."""

    def __init__(
        self,
        *,
        pool: AsyncConnectionPool,
        scopes: Scopes,
        memberships: Memberships,
        surroundings: Surroundings,
        originals: Originals,
    ) -> None:
        self._pool = pool
        self._scopes = scopes
        self._memberships = memberships
        self._surroundings = surroundings
        self._originals = originals

    async def open(self, *, team: str, reader: str, evidence_id: str, language: str) -> CitationView:
        """The passage in its surroundings, when the reader alone may read its document today.

        Raises CitationRefused, and errors of the stores when the rights can't be checked.
        """
        row = await self._row(team, evidence_id)
        if row is None:
            raise CitationRefused(RefusalReason.UNKNOWN)
        if row["is_deleted"]:
            raise CitationRefused(RefusalReason.DELETED)
        if not row["excerpt"]:
            # The answer was withdrawn: not even to whoever may read the source is told what it had quoted.
            raise CitationRefused(RefusalReason.UNKNOWN)
        await self._memberships.ensure_known(team=team, conversation=None, asker=reader)
        scope = await self._scopes.scope(team=team, asker=reader, conversation=None)
        unit = await self._surroundings.around(scope, version=row["version_id"], unit=row["unit"])
        if unit is None:
            log.info("citation_refused", evidence_id=evidence_id, reader=reader)
            raise CitationRefused(RefusalReason.NOT_ALLOWED)
        between = _between(unit.text, row["excerpt"])
        original = row["permalink"] or self._originals.link(team=team, reader=reader, version=row["version_id"])
        return CitationView(
            number=row["number"],
            title=row["title"],
            place=place_label(Place.from_json(row["place"]), language),
            before=between.before,
            excerpt=between.excerpt,
            after=between.after,
            version_number=row["version_number"],
            published_at=row["published_at"],
            is_current=unit.is_current,
            link=original,
        )

    async def _row(self, team: str, evidence_id: str) -> dict[str, Any] | None:
        async with self._pool.connection() as connection, connection.cursor(row_factory=dict_row) as cursor:
            await cursor.execute(_EVIDENCE, {"team": team, "evidence_id": evidence_id})
            return await cursor.fetchone()


def _between(unit: str, excerpt: str) -> _Between:
    """The excerpt cut out of its unit; alone when it is not found there as it is (a table row behind its header)."""
    start = unit.find(excerpt) if excerpt else -1
    if start < 0:
        return _Between("", excerpt, "")
    end = start + len(excerpt)
    return _Between(_lead(unit[:start], is_row=excerpt.startswith("|")), excerpt, unit[end : end + AFTER])


def _lead(head: str, *, is_row: bool) -> str:
    """The end of what stands before a passage, from a line or sentence on; before a table row its columns' names."""
    lead = head[-BEFORE:]
    if len(lead) < len(head) and (cut := _BREAK.search(lead)):
        lead = lead[cut.end() :]
    heads = list(_TABLE_HEAD.finditer(head)) if is_row else []
    is_over = bool(heads) and head.rfind("\n\n") > heads[-1].start()
    if not heads or is_over or heads[-1].start() >= len(head) - len(lead):
        return lead
    return f"{heads[-1][0]}\n…\n{lead}"
