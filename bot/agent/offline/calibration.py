"""How sure it is that passages answer a question: logistic regressions fitted to a measured set."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp
from typing import Final


@dataclass(frozen=True, slots=True)
class Features:
    """How well the best passages fit a question.

    ``similarity``: cosine of the best sentence. ``margin``: by how much that passes the mean of the passages from the
    fourth on; None when there are too few to compare with. ``covered``: rarity-weighted share (0–1) of the question's
    terms in the one sentence, with its title, that holds most. ``missing``: share (0–1) of its names and numbers that
    none of the best passages holds. ``held``: 1 when the question names a code and the best passage holds all that
    it names, else 0. ``lacked``: 1 when the best passage lacks a code, or a letter that names a thing (house type A).
    """

    similarity: float
    margin: float | None
    covered: float
    missing: float
    held: int
    lacked: int


@dataclass(frozen=True, slots=True)
class Weights:
    """One regression: a bias and a weight for each feature, and the probability from which on a part is supported."""

    bias: float
    similarity: float
    margin: float
    covered: float
    missing: float
    held: float
    lacked: float
    threshold: float

    def probability(self, features: Features) -> float:
        """The probability that the passages answer the question."""
        logit = (
            self.bias
            + self.similarity * features.similarity
            + self.margin * (features.margin or 0.0)
            + self.covered * features.covered
            + self.missing * features.missing
            + self.held * features.held
            + self.lacked * features.lacked
        )
        return 1 / (1 + exp(-max(-500.0, min(500.0, logit))))


@dataclass(frozen=True, slots=True)
class Calibration:
    """The regressions by case: ``usual``, and ``few`` passages to compare with."""

    usual: Weights
    few: Weights

    def of(self, features: Features) -> Weights:
        """The regression that serves these features."""
        return self.few if features.margin is None else self.usual


BUNDLED: Final = Calibration(
    usual=Weights(
        bias=-14.253,
        similarity=12.491,
        margin=21.406,
        covered=4.773,
        missing=-0.961,
        held=2.16,
        lacked=-5.002,
        threshold=0.36,
    ),
    few=Weights(
        bias=-20.112,
        similarity=20.186,
        margin=0.0,
        covered=5.348,
        missing=-0.638,
        held=1.756,
        lacked=-5.815,
        threshold=0.34,
    ),
)
"""For the bundled encoder: docs/adr/0070, fitted by ``python -m tests.benchmarks.fit_refusal``."""
