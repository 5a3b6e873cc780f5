"""What search needs from outside. Every way to reach passages takes the scope first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from permissions.model import AccessScope
from retrieval.model import Chunk, ChunkVectors, Hit, Passage, Vector


class Encoder(Protocol):
    """Text to vectors. ``floor`` is the similarity below which nothing counts as found (measured per model)."""

    @property
    def name(self) -> str: ...

    @property
    def dimensions(self) -> int: ...

    @property
    def floor(self) -> float: ...

    async def encode_queries(self, texts: Sequence[str]) -> list[Vector]: ...

    async def encode_chunks(self, chunks: Sequence[Chunk]) -> list[ChunkVectors]: ...


class VectorSearch(Protocol):
    """Nearest published chunks by cosine, within the scope."""

    async def nearest(self, scope: AccessScope, query: Vector, *, limit: int) -> list[Hit]: ...


class FullTextSearch(Protocol):
    """Words of published chunks, within the scope; exact codes and Chinese bigrams count.

    Scores and order depend on what the scope may read alone: the rest moves nothing, not even how rare a word is.
    """

    async def match(self, scope: AccessScope, query: str, *, limit: int) -> list[Hit]: ...


class Passages(Protocol):
    """The authority: reads text only of chunks that the scope may see now, of active versions alone."""

    async def readable(self, scope: AccessScope, chunk_ids: Sequence[str]) -> frozenset[str]:
        """Those of them that ``load`` would give text of."""
        ...

    async def load(self, scope: AccessScope, chunk_ids: Sequence[str]) -> list[Passage]: ...
