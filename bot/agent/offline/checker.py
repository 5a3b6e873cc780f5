"""Decides by measured features which parts have support, and picks the sentences that answer them."""

from __future__ import annotations

from collections.abc import Sequence

from bot.agent.model import Findings, Support
from bot.agent.offline.calibration import BUNDLED, Calibration
from bot.agent.offline.expected import answering, narrowed
from bot.agent.offline.features import features_of, held_of
from bot.agent.offline.quotes import choose
from bot.agent.offline.terms import content_terms


class CalibratedChecker:
    """The offline Checker: pure computation of a few milliseconds for each part."""

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
        if found.part.instead:
            # What is asked of the other subject counts; its name alone, as far as nothing answers that.
            return carried if carried.quotes and _holds_own_words(found) else alone
        return alone if alone.confidence > carried.confidence else carried

    def _judge(self, found: Findings) -> Support:
        found = narrowed(found)
        features = features_of(found)
        if features is None:
            return Support(part=found.part, quotes=(), confidence=0.0)
        weights = self._calibration.of(features)
        confidence = weights.probability(features)
        quotes = answering(found, choose(found)) if confidence >= weights.threshold else ()
        return Support(part=found.part, quotes=quotes, confidence=confidence)


def _holds_own_words(found: Findings) -> bool:
    """Whether any passage has a word of the subject that the topic's question is put to."""
    words = content_terms(found.part.own)
    return any(held_of(words, item.passage.text) for item in found.ranked)
