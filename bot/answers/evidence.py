"""Freezing of evidence: which passages an answer stands on, each with one number."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from uuid import uuid4

from retrieval.model import Evidence, EvidenceSet, Passage


@dataclass(frozen=True, slots=True)
class Chosen:
    """Characters ``start`` to ``end`` of a passage that the answer is going to quote."""

    passage: Passage
    start: int
    end: int


def new_id(prefix: str) -> str:
    """A fresh random id such as ``run_5f3c…``."""
    return f"{prefix}_{uuid4().hex}"


def freeze(
    chosen: Iterable[Chosen], *, run_id: str, revision: int = 1, make_id: Callable[[str], str] = new_id
) -> EvidenceSet:
    """The evidence set of what was chosen: numbers from 1 in the order of first use, one for each passage.

    An excerpt is the stretch of the passage from its first chosen character to its last. ``sha256`` is of the
    excerpt's UTF-8 bytes, so that it can be recognised after the text itself was emptied. ``media_ref`` names the
    version whose original file holds the passage.
    """
    by_chunk: dict[str, list[Chosen]] = {}
    for item in chosen:
        by_chunk.setdefault(item.passage.chunk_id, []).append(item)
    evidence = tuple(_evidence(number, items, make_id) for number, items in enumerate(by_chunk.values(), start=1))
    return EvidenceSet(evidence_set_id=make_id("evs"), run_id=run_id, revision=revision, evidence=evidence)


def _evidence(number: int, items: list[Chosen], make_id: Callable[[str], str]) -> Evidence:
    passage = items[0].passage
    excerpt = passage.text[min(item.start for item in items) : max(item.end for item in items)]
    return Evidence(
        evidence_id=make_id("ev"),
        number=number,
        document=passage.document,
        version=passage.version,
        version_number=passage.version_number,
        unit=passage.unit,
        chunk_id=passage.chunk_id,
        title=passage.title,
        excerpt=excerpt,
        place=passage.place,
        modality=passage.modality,
        read_by=passage.read_by,
        media_ref=passage.version,
        sha256=hashlib.sha256(excerpt.encode()).hexdigest(),
        published_at=passage.published_at,
    )
