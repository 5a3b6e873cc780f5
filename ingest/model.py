"""Files, versions, and what parsers make of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Any

from retrieval.model import Modality, Place, ReadBy


class State(StrEnum):
    """The states of a version, in their order (design §5)."""

    REGISTERED = "REGISTERED"
    FETCHED = "FETCHED"
    PARSED = "PARSED"
    INDEXED = "INDEXED"
    READY = "READY"
    PUBLISHED = "PUBLISHED"
    FAILED = "FAILED"
    SUPERSEDED = "SUPERSEDED"
    DELETED = "DELETED"


FINAL_STATES = frozenset({State.PUBLISHED, State.FAILED, State.SUPERSEDED, State.DELETED})
"""Nothing more is done for a version in one of these."""


class Cause(StrEnum):
    """Why a file could not be read; the sentence for people is made from it where it is shown."""

    EMPTY = "empty"
    NO_TEXT = "no_text"
    ENCRYPTED = "encrypted"
    DAMAGED = "damaged"
    UNSUPPORTED = "unsupported"
    TOO_LARGE = "too_large"
    TOO_LONG = "too_long"
    TIMEOUT = "timeout"
    OUT_OF_MEMORY = "out_of_memory"
    NO_SPEECH = "no_speech"
    HTML_INSTEAD = "html_instead"
    NOT_FOUND = "not_found"
    ACCESS_DENIED = "access_denied"
    MISSING_SCOPE = "missing_scope"
    INTERNAL = "internal"


class Unreadable(Exception):
    """A file that cannot become text: ``cause`` for code and people, ``detail`` for the log alone."""

    def __init__(self, cause: Cause, detail: str = "") -> None:
        super().__init__(cause, detail)
        self.cause = cause
        self.detail = detail


class BlockKind(StrEnum):
    HEADING = "heading"
    TEXT = "text"
    TABLE = "table"


@dataclass(frozen=True, slots=True)
class Block:
    """A heading, a paragraph, or rows of a table in Markdown.

    ``header`` is the table's header with the rule under it, which each piece of a split table repeats; it is not part
    of ``text``. Blocks of one table may follow each other, so that rows have exact places.
    """

    kind: BlockKind
    text: str
    place: Place
    header: str = ""


@dataclass(frozen=True, slots=True)
class Unit:
    """A page, slide, sheet, section or time span. ``ordinal`` counts from 1 within its version."""

    ordinal: int
    place: Place
    blocks: tuple[Block, ...]
    read_by: ReadBy = ReadBy.TEXT_LAYER

    @property
    def text(self) -> str:
        """All blocks as they stand; a header stands once above the rows it belongs to."""
        parts: list[str] = []
        header = ""
        for block in self.blocks:
            goes_on = block.kind is BlockKind.TABLE and bool(block.header) and block.header == header
            parts.append("\n" if goes_on else "\n\n")
            parts.append(f"{block.header}\n{block.text}" if block.header and not goes_on else block.text)
            header = block.header
        return "".join(parts[1:])


@dataclass(frozen=True, slots=True)
class Parsed:
    """What a parser read, with sentences for people on what it left out (empty when all was read)."""

    title: str
    modality: Modality
    units: tuple[Unit, ...]
    left_out: tuple[str, ...] = ()
    counts: dict[str, int] = field(default_factory=dict)
    """Such as pages, slides, sheets, tables, seconds: for the result that people see."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A file at the place it comes from. ``source_id`` is Slack's file id, or an absolute path (command line)."""

    document_id: str
    team: str
    source: str
    source_id: str
    title: str
    mimetype: str
    permalink: str | None = None
    active_version: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """One content of a document over time. ``reply`` is the uploader's place as its owner wrote it, opaque here.

    ``report`` holds ``title``, ``named_after_file`` (whether that is the file's name of then), ``counts``, ``left_out``
    and ``chunks`` as they become known.
    """

    version_id: str
    document: Document
    number: int
    state: State
    cause: Cause | None
    sha256: str | None
    size: int | None
    object_key: str | None
    reader: str | None
    modality: Modality
    report: Mapping[str, Any]
    reply: Mapping[str, Any]
    created_at: datetime


@dataclass(frozen=True, slots=True)
class FetchedFile:
    """A file on this machine, and what its source calls it now."""

    path: Path
    name: str
    mimetype: str
    permalink: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestReport:
    """How far a version is, for people. ``percent`` runs from 0 to 100 within the work that follows the state.

    ``counts`` are such as pages, tables, seconds, chunks; ``unchanged`` says that the bytes were those of the published
    version already.
    """

    version_id: str
    document: str
    team: str
    title: str
    state: State
    reply: Mapping[str, Any]
    percent: int | None = None
    counts: Mapping[str, int] = field(default_factory=dict)
    left_out: tuple[str, ...] = ()
    cause: Cause | None = None
    unchanged: bool = False


@dataclass(frozen=True, slots=True)
class Receipt:
    """What a deletion removed, in numbers. ``purged_at`` is set once the index and the originals are clean too."""

    document: str
    requested_by: str
    deleted_at: datetime
    removed: Mapping[str, int]
    purged_at: datetime | None
