"""Looks for passages with the hybrid search, once for each part."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Final

from bot.agent.model import Findings, Part
from bot.agent.ports import Searching
from permissions.model import AccessScope
from retrieval.language import detect
from retrieval.model import RankedPassage
from retrieval.ports import Encoder

READ: Final = 40
"""How far down the ranking is read: all that a search has checked."""
LIMIT: Final = 12
"""Passages of each language that are looked at."""


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
        result = await self._search.search(scope, query, limit=READ)
        [vector] = await self._encoder.encode_queries([query])
        ranked = _by_source(part, result.ranked)
        language = detect(query)
        own = tuple(item for item in ranked if detect(item.passage.text) == language)
        other = tuple(item for item in ranked if detect(item.passage.text) != language)
        return Findings(
            part=part,
            query=query,
            vector=vector,
            ranked=own[:LIMIT],
            foreign=other[:LIMIT],
            degraded=result.degraded,
        )


def _by_source(part: Part, ranked: tuple[RankedPassage, ...]) -> tuple[RankedPassage, ...]:
    """What comes from the named kind of source first; nothing else when that very source is wanted."""
    if part.source is None:
        return ranked
    fitting = tuple(item for item in ranked if part.source.fits(item.passage))
    return (
        fitting if part.wants_source else fitting + tuple(item for item in ranked if not part.source.fits(item.passage))
    )
