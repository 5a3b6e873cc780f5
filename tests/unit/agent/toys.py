"""Small stand-ins for search and encoder, so that the roles are tested on text that a reader can follow."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np

from bot.agent.model import Findings, Part
from bot.agent.offline.terms import content_terms
from permissions.model import AccessScope
from retrieval.model import (
    Chunk,
    ChunkVectors,
    Modality,
    Passage,
    Place,
    RankedPassage,
    ReadBy,
    SearchResult,
    Vector,
)
from retrieval.sentences import split

DIMENSIONS = 512


def embed(text: str) -> Vector:
    """A unit vector of the text's content terms. Cosines lie between about 0.8 and 1, as those of e5 do."""
    vector = np.full(DIMENSIONS, 0.2, np.float32)
    for term in content_terms(text):
        vector[int(hashlib.sha256(term.encode()).hexdigest()[:8], 16) % DIMENSIONS] += 1
    return vector / np.float32(np.linalg.norm(vector))


def passage(
    text: str, *, chunk: str = "", title: str = "", modality: Modality = Modality.DOCUMENT, place: Place | None = None
) -> Passage:
    """A passage with its real sentences."""
    sentences = split(text)
    return Passage(
        chunk_id=chunk or hashlib.sha256(text.encode()).hexdigest()[:12],
        document=f"doc-{title or chunk}",
        version=f"doc-{title or chunk}-v1",
        version_number=1,
        unit=1,
        title=title,
        text=text,
        context=title,
        place=place or Place(page=1),
        read_by=ReadBy.TEXT_LAYER,
        modality=modality,
        published_at="2026-11-30T09:00:00+00:00",
        sentences=sentences,
        sentence_vectors=np.array([embed(text[span.start : span.end]) for span in sentences], np.float32).reshape(
            len(sentences), -1
        ),
    )


class ToyEncoder:
    """``retrieval.ports.Encoder`` over :func:`embed`."""

    name = "toy"
    dimensions = DIMENSIONS
    floor = 0.2

    async def encode_queries(self, texts: Sequence[str]) -> list[Vector]:
        return [embed(text) for text in texts]

    async def encode_chunks(self, chunks: Sequence[Chunk]) -> list[ChunkVectors]:
        raise NotImplementedError


class ToySearch:
    """Ranks its passages by their best sentence."""

    def __init__(self, *passages: Passage, degraded: tuple[str, ...] = ()) -> None:
        self._passages = passages
        self._degraded = degraded
        self.scopes: list[AccessScope] = []

    async def search(self, scope: AccessScope, query: str, *, limit: int = 12) -> SearchResult:
        self.scopes.append(scope)
        return SearchResult(ranked(query, self._passages)[:limit], self._degraded)


def ranked(query: str, passages: Sequence[Passage]) -> tuple[RankedPassage, ...]:
    scored = [(float((item.sentence_vectors @ embed(query)).max()), item) for item in passages]
    ordered = sorted(scored, key=lambda pair: -pair[0])
    return tuple(RankedPassage(passage=item, score=score, similarity=score) for score, item in ordered)


def found(query: str, *passages: Passage, part: Part | None = None) -> Findings:
    """What a search for ``query`` among ``passages`` gives."""
    return Findings(
        part=part or Part(text=query, query=query), query=query, vector=embed(query), ranked=ranked(query, passages)
    )
