"""What is searched and what is found: places, chunks, passages and evidence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from enum import StrEnum
from typing import Any

import numpy as np
import numpy.typing as npt

Vector = npt.NDArray[np.float32]
"""A unit-length float32 vector of the encoder's dimensions."""


class Modality(StrEnum):
    DOCUMENT = "document"
    IMAGE = "image"
    AUDIO = "audio"
    VIDEO = "video"


class ReadBy(StrEnum):
    """How the text was obtained; shown with every citation that did not come from a text layer."""

    TEXT_LAYER = "text_layer"
    OCR = "ocr"
    SPEECH = "speech"
    VISION = "vision"


@dataclass(frozen=True, slots=True)
class Place:
    """Where in a file something stands. Pages and slides count from 1, times are milliseconds."""

    page: int | None = None
    slide: int | None = None
    sheet: str | None = None
    cells: str | None = None
    headings: tuple[str, ...] = ()
    lines: tuple[int, int] | None = None
    start_ms: int | None = None
    end_ms: int | None = None

    def to_json(self) -> dict[str, Any]:
        """The set fields alone, as JSON values."""
        values = {item.name: getattr(self, item.name) for item in fields(self)}
        return {name: list(v) if isinstance(v, tuple) else v for name, v in values.items() if v not in (None, ())}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Place:
        """Read what :meth:`to_json` wrote."""
        values: dict[str, Any] = {name: tuple(v) if isinstance(v, list) else v for name, v in data.items()}
        return cls(**values)


@dataclass(frozen=True, slots=True)
class Span:
    """Characters ``start`` (in) to ``end`` (out) of a text."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of one version that is indexed; its id is the same in every store.

    ``text`` is what is quoted; ``context`` (title, heading path) is indexed with it but never quoted.
    """

    chunk_id: str
    document: str
    version: str
    unit: int
    ordinal: int
    text: str
    context: str
    place: Place
    sentences: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class ChunkVectors:
    """The vectors of one chunk: the whole, and one row for each of its sentences."""

    whole: Vector
    sentences: npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class IndexedVersion:
    """A version's chunks with what a full-text index needs to know of their document."""

    chunks: tuple[Chunk, ...]
    title: str
    principals: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Hit:
    """A candidate by id alone: no text before the authoritative check."""

    chunk_id: str
    score: float


@dataclass(frozen=True, slots=True)
class Passage:
    """A chunk that the scope was just found to be allowed to read, with what a citation needs."""

    chunk_id: str
    document: str
    version: str
    version_number: int
    unit: int
    title: str
    text: str
    context: str
    place: Place
    read_by: ReadBy
    modality: Modality
    published_at: str
    sentences: tuple[Span, ...]
    sentence_vectors: npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class UnitText:
    """A whole unit around a passage; ``is_current`` is false when its version has been superseded."""

    text: str
    place: Place
    is_current: bool


@dataclass(frozen=True, slots=True)
class RankedPassage:
    """A passage with its final score (higher is better) and its best sentence's similarity to the query."""

    passage: Passage
    score: float
    similarity: float


@dataclass(frozen=True, slots=True)
class SearchResult:
    """Passages, best first. ``degraded`` names the channels that failed (vectors, full_text): visible, never silent."""

    ranked: tuple[RankedPassage, ...]
    degraded: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Evidence:
    """One frozen piece of evidence; ``number`` is its citation number in the answer."""

    evidence_id: str
    number: int
    document: str
    version: str
    version_number: int
    unit: int
    chunk_id: str
    title: str
    excerpt: str
    place: Place
    modality: Modality
    read_by: ReadBy
    media_ref: str
    sha256: str
    published_at: str


@dataclass(frozen=True, slots=True)
class EvidenceSet:
    """What an answer stands on; frozen before the first word and never added to."""

    evidence_set_id: str
    run_id: str
    revision: int
    evidence: tuple[Evidence, ...]

    def by_number(self, number: int) -> Evidence | None:
        return next((item for item in self.evidence if item.number == number), None)
