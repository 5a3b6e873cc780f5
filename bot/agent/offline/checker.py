"""Decides by measured features which parts have support, and picks the sentences that answer them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from bot.agent.model import Findings, Support
from bot.agent.offline.calibration import BUNDLED, Calibration, Features
from bot.agent.offline.features import features_of, foreign_features_of
from bot.agent.offline.quotes import choose


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
        return alone if alone.confidence > carried.confidence else carried

    def _judge(self, found: Findings) -> Support:
        """By the passages in the question's language; only without support there, by those in the other."""
        own = self._weigh(found, features_of(found))
        if own.quotes or not found.foreign:
            return own
        foreign = self._weigh(replace(found, ranked=found.foreign), foreign_features_of(found))
        return foreign if foreign.quotes else own

    def _weigh(self, found: Findings, features: Features | None) -> Support:
        if features is None:
            return Support(part=found.part, quotes=(), confidence=0.0)
        weights = self._calibration.of(features)
        confidence = weights.probability(features)
        is_supported = confidence >= weights.threshold
        return Support(part=found.part, quotes=choose(found) if is_supported else (), confidence=confidence)
