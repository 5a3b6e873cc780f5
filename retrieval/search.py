"""One search: vectors and full text at once, fused, checked against the rows, reranked."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import structlog

from permissions.model import AccessScope
from retrieval import fusion, rerank
from retrieval.errors import ChannelFailed, SearchFailed
from retrieval.model import Hit, Passage, Place, SearchResult, Vector
from retrieval.ports import Encoder, FullTextSearch, Passages, VectorSearch

log = structlog.get_logger()

Result = TypeVar("Result")

VECTORS = "vectors"
FULL_TEXT = "full_text"


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """Deadlines are seconds. ``depth``: candidates of each channel; ``checked``: how many of them are read."""

    channel_seconds: float = 1.0
    total_seconds: float = 5.0
    depth: int = 100
    checked: int = 40
    vector_weight: float = 1.0
    full_text_weight: float = 1.0
    rerank: rerank.Weights = field(default_factory=rerank.Weights)


@dataclass(frozen=True, slots=True)
class _Candidates:
    """What the channels found; None for a channel that failed."""

    vector: Vector | None
    by_vector: list[Hit] | None
    by_words: list[Hit] | None

    @property
    def degraded(self) -> tuple[str, ...]:
        channels = ((VECTORS, self.by_vector), (FULL_TEXT, self.by_words))
        return tuple(name for name, hits in channels if hits is None)


class Search:
    """Finds the passages that answer a question best, among those that the scope may read."""

    def __init__(
        self,
        *,
        encoder: Encoder,
        vectors: VectorSearch,
        full_text: FullTextSearch,
        passages: Passages,
        settings: SearchSettings | None = None,
    ) -> None:
        self._encoder = encoder
        self._vectors = vectors
        self._full_text = full_text
        self._passages = passages
        self._settings = settings or SearchSettings()

    async def search(self, scope: AccessScope, query: str, *, limit: int = 12) -> SearchResult:
        """The best ``limit`` passages. One channel may fail and is named in the result.

        Raises SearchFailed when both failed, ChannelFailed or TimeoutError when the rights could not be checked.
        """
        if not scope.principals or not query.strip():
            return SearchResult(())
        async with asyncio.timeout(self._settings.total_seconds):
            found = await self._candidates(scope, query)
            # Until here there are ids alone. What the index believes to be allowed is checked where it is decided.
            passages = _distinct(await self._passages.load(scope, self._fused(found)[: self._settings.checked]))
        ranked = rerank.by_best_sentence(
            query,
            found.vector,
            passages,
            word_scores={hit.chunk_id: hit.score for hit in found.by_words or ()},
            passage_scores={hit.chunk_id: hit.score for hit in found.by_vector or ()},
            weights=self._settings.rerank,
        )
        return SearchResult(tuple(ranked[:limit]), found.degraded)

    def _fused(self, found: _Candidates) -> list[str]:
        lists = {
            VECTORS: [hit.chunk_id for hit in found.by_vector or ()],
            FULL_TEXT: [hit.chunk_id for hit in found.by_words or ()],
        }
        weights = {VECTORS: self._settings.vector_weight, FULL_TEXT: self._settings.full_text_weight}
        return [identifier for identifier, _score in fusion.reciprocal_ranks(lists, weights=weights)]

    async def _candidates(self, scope: AccessScope, query: str) -> _Candidates:
        async with asyncio.TaskGroup() as group:
            vector = group.create_task(self._nearest(scope, query), name="search.vectors")
            words = group.create_task(
                self._attempt(FULL_TEXT, self._matching(scope, query)),
                name="search.full_text",
            )
        found = _Candidates(*vector.result(), words.result())
        if found.by_vector is None and found.by_words is None:
            raise SearchFailed(found.degraded)
        return found

    async def _matching(self, scope: AccessScope, query: str) -> list[Hit]:
        """The index's rights may lag behind: what the scope may not read takes no place from what it may."""
        hits = await self._full_text.match(scope, query, limit=self._settings.depth)
        readable = await self._passages.readable(scope, [hit.chunk_id for hit in hits])
        return [hit for hit in hits if hit.chunk_id in readable]

    async def _nearest(self, scope: AccessScope, query: str) -> tuple[Vector | None, list[Hit] | None]:
        """The query's vector and its hits; the vector still reranks when the hits fail."""
        vectors = await self._attempt(VECTORS, self._encoder.encode_queries([query]))
        if vectors is None:
            return None, None
        nearest = self._vectors.nearest(scope, vectors[0], limit=self._settings.depth)
        hits = await self._attempt(VECTORS, nearest)
        return vectors[0], hits and [hit for hit in hits if hit.score >= self._encoder.floor]

    async def _attempt(self, channel: str, work: Awaitable[Result]) -> Result | None:
        """The work's result; None when its channel failed or its deadline passed."""
        try:
            async with asyncio.timeout(self._settings.channel_seconds):
                return await work
        except (ChannelFailed, TimeoutError) as error:
            log.warning("search.channel_failed", channel=channel, error=str(error) or "deadline passed", exc_info=True)
            return None


def _distinct(passages: Sequence[Passage]) -> list[Passage]:
    """One of those that say the same at the same place, where the first stood: one file shared twice is one source
    (docs/adr/0013). It is the one that was published first, so that all passages of a file name the same one."""
    kept: dict[tuple[str, Place], Passage] = {}
    for passage in passages:
        other = kept.setdefault((passage.text, passage.place), passage)
        if (passage.published_at, passage.document) < (other.published_at, other.document):
            kept[passage.text, passage.place] = passage
    return list(kept.values())
