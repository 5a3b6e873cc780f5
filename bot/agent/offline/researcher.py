"""Looks for passages with the hybrid search, once for each part."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Final

from bot.agent.model import Findings, Part
from bot.agent.ports import Searching
from permissions.model import AccessScope
from retrieval.model import RankedPassage, ReadBy
from retrieval.ports import Encoder

LIMIT: Final = 12
LIMIT_OF_A_SOURCE: Final = 40
"""How far down the ranking a named kind of source is looked for: all that a search has checked."""


AS_WELL: Final = 0.03
"""Cosines this close are of passages that say the same (e5's differ by 0.02–0.05 between related sentences)."""
AMONG: Final = 5
"""Passages among which a written one is looked for when the best was recognised."""


class SearchingResearcher:
    """The offline Researcher: one search, no rewriting."""

    def __init__(self, *, search: Searching, encoder: Encoder) -> None:
        self._search = search
        self._encoder = encoder

    async def find(self, scope: AccessScope, part: Part) -> Findings:
        """Passages of the kind that the part names come first, and alone when it wants that very source."""
        if not part.alone:
            return await self._find(scope, part, part.query)
        carried, alone = await asyncio.gather(self._find(scope, part, part.query), self._find(scope, part, part.alone))
        return replace(carried, alone=alone)

    async def _find(self, scope: AccessScope, part: Part, query: str) -> Findings:
        limit = LIMIT if part.source is None else LIMIT_OF_A_SOURCE
        result = await self._search.search(scope, query, limit=limit)
        [vector] = await self._encoder.encode_queries([query])
        ranked = _by_source(part, result.ranked)[:LIMIT]
        return Findings(part=part, query=query, vector=vector, ranked=ranked, degraded=result.degraded)


def _by_source(part: Part, ranked: tuple[RankedPassage, ...]) -> tuple[RankedPassage, ...]:
    """What comes from the named kind of source first; nothing else when that very source is wanted."""
    if part.source is None:
        return _written_first(ranked)
    fitting = tuple(item for item in ranked if part.source.fits(item.passage))
    return (
        fitting if part.wants_source else fitting + tuple(item for item in ranked if not part.source.fits(item.passage))
    )


def _written_first(ranked: tuple[RankedPassage, ...]) -> tuple[RankedPassage, ...]:
    """What is written, when it fits as well as what was recognised: speech and pictures are read with mistakes."""
    if not ranked or ranked[0].passage.read_by is ReadBy.TEXT_LAYER:
        return ranked
    floor = ranked[0].similarity - AS_WELL
    written = [
        item for item in ranked[:AMONG] if item.passage.read_by is ReadBy.TEXT_LAYER and item.similarity >= floor
    ]
    return (*written, *(item for item in ranked if all(item is not first for first in written)))
