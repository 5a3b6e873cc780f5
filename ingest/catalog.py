"""Rows of documents, versions and units: the authority on what exists and how far it is."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from psycopg import AsyncConnection
from psycopg.rows import DictRow, dict_row
from psycopg.types.json import Jsonb
from psycopg_pool import AsyncConnectionPool

from ingest.model import Block, BlockKind, Cause, Document, FetchedFile, Parsed, State, Unit, Version
from retrieval.model import Modality, Place, ReadBy

_DOCUMENT: Final = "document.document_id, team, source, source_id, title, mimetype, permalink, active_version"
_VERSION: Final = (
    f"{_DOCUMENT}, version_id, number, state, cause, sha256, size, object_key, reader, modality, report, reply, "
    "version.created_at"
)

LOAD_VERSION: Final = f"""
SELECT {_VERSION}
  FROM versions AS version JOIN documents AS document USING (document_id)
 WHERE version_id = %(version)s
"""  # noqa: S608 - constants alone

# Only forward from the state that the caller saw: a second worker, or a deletion meanwhile, moves nothing.
ADVANCE: Final = """
UPDATE versions
   SET state = %(after)s, cause = %(cause)s, report = report || %(report)s, sha256 = coalesce(%(sha256)s, sha256),
       size = coalesce(%(size)s, size), object_key = coalesce(%(object_key)s, object_key),
       modality = coalesce(%(modality)s, modality), reader = coalesce(%(reader)s, reader)
 WHERE version_id = %(version)s AND state = %(before)s
"""

RENAME: Final = """
UPDATE documents
   SET title = %(title)s, mimetype = %(mimetype)s, permalink = coalesce(%(permalink)s, permalink)
 WHERE document_id = %(document)s AND deleted_at IS NULL
"""

DROP_VERSION: Final = "DELETE FROM versions WHERE version_id = %(version)s AND state = %(state)s"

# Another version in the workspace with the same bytes, read whole by the same reader: its units serve again.
FIND_TWIN: Final = f"""
SELECT {_VERSION}
  FROM versions AS version JOIN documents AS document USING (document_id)
 WHERE team = %(team)s AND sha256 = %(sha256)s AND reader = %(reader)s AND version_id <> %(version)s
   AND state IN ('PARSED', 'INDEXED', 'READY', 'PUBLISHED', 'SUPERSEDED') AND deleted_at IS NULL
 ORDER BY state = 'PUBLISHED' DESC, version.created_at, version_id LIMIT 1
"""  # noqa: S608 - constants alone

DROP_UNITS: Final = "DELETE FROM units WHERE version_id = %(version)s"

INSERT_UNIT: Final = """
INSERT INTO units (version_id, ordinal, place, read_by, text, blocks)
VALUES (%(version)s, %(ordinal)s, %(place)s::jsonb, %(read_by)s, %(text)s, %(blocks)s::jsonb)
"""

# As text: a long document's JSON is read in a thread.
LOAD_UNITS: Final = """
SELECT ordinal, place::text AS place, read_by, text, blocks::text AS blocks
  FROM units WHERE version_id = %(version)s ORDER BY ordinal
"""

LIST_DOCUMENTS: Final = """
SELECT document.document_id AS document, title, source, version.number, latest.state, latest.cause,
       array(SELECT principal FROM grants WHERE grants.document_id = document.document_id ORDER BY 1) AS principals
  FROM documents AS document
  LEFT JOIN versions AS version ON version.version_id = active_version
  JOIN LATERAL (SELECT state, cause FROM versions WHERE versions.document_id = document.document_id
                 ORDER BY number DESC LIMIT 1) AS latest ON true
 WHERE team = %(team)s AND deleted_at IS NULL
 ORDER BY document.created_at, document.document_id
"""

FIND_DOCUMENT: Final = f"""
SELECT {_DOCUMENT} FROM documents AS document WHERE document_id = %(document)s AND deleted_at IS NULL
"""  # noqa: S608 - constants alone

FIND_BY_SOURCE: Final = f"""
SELECT {_DOCUMENT} FROM documents AS document
 WHERE team = %(team)s AND source = %(source)s AND source_id = %(source_id)s AND deleted_at IS NULL
"""  # noqa: S608 - constants alone

LIST_VERSIONS: Final = """
SELECT version_id AS version, number, state, cause FROM versions WHERE document_id = %(document)s ORDER BY number
"""

SLICE: Final = 50
"""Units written at once; the event loop goes on in between."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Advance:
    """What a stage found out, written together with the new state."""

    after: State
    cause: Cause | None = None
    report: Mapping[str, Any] | None = None
    sha256: str | None = None
    size: int | None = None
    object_key: str | None = None
    modality: Modality | None = None
    reader: str | None = None


class Catalog:
    """Reads and writes the rows. Raises psycopg's own errors."""

    def __init__(self, *, pool: AsyncConnectionPool) -> None:
        self._pool = pool

    async def version(self, version: str) -> Version | None:
        """A version with its document; None for an unknown id."""
        rows = await self._rows(LOAD_VERSION, {"version": version})
        return _version(rows[0]) if rows else None

    async def twin(self, version: Version, *, reader: str) -> Version | None:
        """A version with the same bytes in the same workspace whose units ``reader`` has read already."""
        arguments = {"team": version.document.team, "sha256": version.sha256, "version": version.version_id}
        rows = await self._rows(FIND_TWIN, arguments | {"reader": reader})
        return _version(rows[0]) if rows else None

    async def advance(self, connection: AsyncConnection[Any], version: Version, step: Advance) -> bool:
        """Move the version on from the state it was loaded in, in the caller's transaction; False when it has moved."""
        values = {
            "version": version.version_id,
            "before": version.state,
            "after": step.after,
            "cause": step.cause,
            "report": Jsonb(dict(step.report or {})),
            "sha256": step.sha256,
            "size": step.size,
            "object_key": step.object_key,
            "modality": step.modality,
            "reader": step.reader,
        }
        return (await connection.execute(ADVANCE, values)).rowcount == 1

    async def rename(self, connection: AsyncConnection[Any], document: str, file: FetchedFile) -> None:
        """Call the document what its source calls it now, in the caller's transaction."""
        names = {"title": file.name, "mimetype": file.mimetype, "permalink": file.permalink}
        await connection.execute(RENAME, {"document": document, **names})

    async def drop(self, connection: AsyncConnection[Any], version: Version) -> None:
        """Remove a version that turned out to be nothing new, in the caller's transaction."""
        await connection.execute(DROP_VERSION, {"version": version.version_id, "state": version.state})

    async def parsed(self, version: Version) -> Parsed:
        """What was read of a version that is PARSED or further."""
        report = version.report
        units = await self.units(version.version_id)
        return Parsed(report["title"], version.modality, units, tuple(report["left_out"]), dict(report["counts"]))

    async def store_units(self, connection: AsyncConnection[Any], version: str, units: Iterable[Unit]) -> None:
        """Make these the version's units, in the caller's transaction."""
        rows = await asyncio.to_thread(lambda: [_unit_row(version, unit) for unit in units])
        await connection.execute(DROP_UNITS, {"version": version})
        async with connection.cursor() as cursor:
            for start in range(0, len(rows), SLICE):
                await cursor.executemany(INSERT_UNIT, rows[start : start + SLICE])

    async def units(self, version: str) -> tuple[Unit, ...]:
        """The version's units as they were parsed."""
        rows = await self._rows(LOAD_UNITS, {"version": version})
        return await asyncio.to_thread(lambda: tuple(_unit(row) for row in rows))

    async def find(self, *, team: str, source: str, source_id: str) -> Document | None:
        """The document of a source's file."""
        rows = await self._rows(FIND_BY_SOURCE, {"team": team, "source": source, "source_id": source_id})
        return _document(rows[0]) if rows else None

    async def documents(self, *, team: str) -> list[dict[str, Any]]:
        """For people: ``document, title, source, number`` (of the published version), ``state, cause`` (of the latest),
        ``principals``; oldest first."""
        return [dict(row) for row in await self._rows(LIST_DOCUMENTS, {"team": team})]

    async def show(self, document: str) -> dict[str, Any] | None:
        """For people: ``document, title, versions[{version, number, state, cause}], units[{place, how, text}]``.

        The units are those of the published version, else of the latest. None for an unknown or deleted document.
        """
        found = await self._rows(FIND_DOCUMENT, {"document": document})
        if not found:
            return None
        versions = [dict(row) for row in await self._rows(LIST_VERSIONS, {"document": document})]
        shown = found[0]["active_version"] or versions[-1]["version"]
        units = [
            {"place": unit.place.to_json(), "how": unit.read_by.value, "text": unit.text}
            for unit in await self.units(shown)
        ]
        return {"document": document, "title": found[0]["title"], "versions": versions, "units": units}

    async def _rows(self, statement: str, arguments: dict[str, Any]) -> list[DictRow]:
        async with self._pool.connection() as connection, connection.cursor(row_factory=dict_row) as cursor:
            await cursor.execute(statement, arguments)
            return await cursor.fetchall()


def _document(row: DictRow) -> Document:
    return Document(
        document_id=row["document_id"],
        team=row["team"],
        source=row["source"],
        source_id=row["source_id"],
        title=row["title"],
        mimetype=row["mimetype"],
        permalink=row["permalink"],
        active_version=row["active_version"],
    )


def _version(row: DictRow) -> Version:
    return Version(
        version_id=row["version_id"],
        document=_document(row),
        number=row["number"],
        state=State(row["state"]),
        cause=Cause(row["cause"]) if row["cause"] else None,
        sha256=row["sha256"],
        size=row["size"],
        object_key=row["object_key"],
        reader=row["reader"],
        modality=Modality(row["modality"]),
        report=row["report"],
        reply=row["reply"],
        created_at=row["created_at"],
    )


def storable(text: str) -> str:
    """The text with its NUL characters replaced: some PDFs hold them, PostgreSQL cannot."""
    return text.replace("\x00", "\ufffd")


def _unit_row(version: str, unit: Unit) -> dict[str, Any]:
    blocks = [
        {
            "kind": block.kind,
            "text": storable(block.text),
            "place": block.place.to_json(),
            "header": storable(block.header),
        }
        for block in unit.blocks
    ]
    return {
        "version": version,
        "ordinal": unit.ordinal,
        "place": json.dumps(unit.place.to_json(), ensure_ascii=False),
        "read_by": unit.read_by,
        "text": storable(unit.text),
        "blocks": json.dumps(blocks, ensure_ascii=False),
    }


def _unit(row: DictRow) -> Unit:
    blocks = tuple(
        Block(BlockKind(item["kind"]), item["text"], Place.from_json(item["place"]), item["header"])
        for item in json.loads(row["blocks"])
    )
    return Unit(row["ordinal"], Place.from_json(json.loads(row["place"])), blocks, ReadBy(row["read_by"]))
