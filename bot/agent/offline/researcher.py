"""Looks for passages with the hybrid search, once for each part."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Final

from bot.agent.model import Findings, Part
from bot.agent.ports import Searching
from permissions.model import AccessScope
from retrieval.ports import Encoder

LIMIT: Final = 12
LIMIT_OF_A_SOURCE: Final = 30
"""How far down the ranking a named kind of source is looked for: the whole reranked list."""


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
        ranked = result.ranked
        if part.source is not None:
            fitting = tuple(item for item in ranked if part.source.fits(item.passage))
            rest = () if part.wants_source else tuple(item for item in ranked if not part.source.fits(item.passage))
            ranked = (*fitting, *rest)[:LIMIT]
        return Findings(part=part, query=query, vector=vector, ranked=ranked, degraded=result.degraded)
