"""Decides by measured features which parts have support, and picks the sentences that answer them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from bot.agent.model import Findings, Support
from bot.agent.offline.calibration import BUNDLED, Calibration, Features
from bot.agent.offline.quotes import choose
from bot.agent.offline.terms import TermsOf, content_terms, coverage, exact_terms, rarity
from retrieval.model import Passage

TOGETHER: Final = 3
"""Passages that may answer a question together."""


class CalibratedChecker:
    """The offline Checker: pure computation of a few milliseconds."""

    def __init__(self, *, calibration: Calibration = BUNDLED) -> None:
        self._calibration = calibration

    async def check(self, findings: Sequence[Findings]) -> tuple[Support, ...]:
        """A part is supported from the calibration's threshold on; its quotes come from the best passages."""
        return tuple(self._better_reading(found) for found in findings)

    def _better_reading(self, found: Findings) -> Support:
        carried = self._judge(found)
        if found.alone is None:
            return carried
        alone = self._judge(found.alone)
        return alone if alone.confidence > carried.confidence else carried

    def _judge(self, found: Findings) -> Support:
        features = features_of(found)
        if features is None:
            return Support(part=found.part, quotes=(), confidence=0.0)
        confidence = self._calibration.probability(features)
        is_supported = confidence >= self._calibration.threshold
        return Support(part=found.part, quotes=choose(found) if is_supported else (), confidence=confidence)


def features_of(found: Findings) -> Features | None:
    """The features of a finding; None when nothing was found."""
    if not found.ranked:
        return None
    texts = [TermsOf(whole_text(item.passage)) for item in found.ranked]
    weights = rarity(content_terms(found.query), texts)
    best = texts[:TOGETHER]
    similarities = [item.similarity for item in found.ranked]
    others = similarities[TOGETHER:] or similarities[-1:]
    together = sum(weight for term, weight in weights.items() if any(term in text for text in best))
    exact = exact_terms(weights)
    missing = [term for term in exact if not any(term in text for text in best)]
    return Features(
        similarity=max(similarities[:TOGETHER]),
        margin=max(similarities[:TOGETHER]) - sum(others) / len(others),
        covered=max(coverage(weights, text) for text in best),
        covered_together=together / sum(weights.values()) if weights else 0.0,
        exact_missing=len(missing) / len(exact) if exact else 0.0,
    )


def whole_text(passage: Passage) -> str:
    """All words by which a passage may fit a question: title, context and text."""
    return f"{passage.title}\n{passage.context}\n{passage.text}"
