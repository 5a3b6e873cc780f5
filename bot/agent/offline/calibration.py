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
    none of the best passages holds. ``exact``: 1 when the best passage holds every code and letter that the question
    names a thing by, -1 when not, 0 when it names none. ``is_foreign``: the passages are in the other language, so
    that words can't be compared.
    """

    similarity: float
    margin: float | None
    covered: float
    missing: float
    exact: int
    is_foreign: bool


@dataclass(frozen=True, slots=True)
class Weights:
    """One regression: a bias and a weight for each feature, and the probability from which on a part is supported."""

    bias: float
    similarity: float
    margin: float
    covered: float
    missing: float
    exact: float
    threshold: float

    def probability(self, features: Features) -> float:
        """The probability that the passages answer the question."""
        logit = (
            self.bias
            + self.similarity * features.similarity
            + self.margin * (features.margin or 0.0)
            + self.covered * features.covered
            + self.missing * features.missing
            + self.exact * features.exact
        )
        return 1 / (1 + exp(-max(-500.0, min(500.0, logit))))


@dataclass(frozen=True, slots=True)
class Calibration:
    """The regressions by case: ``usual``, ``few`` passages to compare with, and passages in the other language."""

    usual: Weights
    few: Weights
    foreign: Weights

    def of(self, features: Features) -> Weights:
        """The regression that serves these features."""
        if features.is_foreign:
            return self.foreign
        return self.few if features.margin is None else self.usual


BUNDLED: Final = Calibration(
    usual=Weights(bias=-40.0, similarity=40.0, margin=37.0, covered=5.0, missing=-1.0, exact=1.0, threshold=0.4),
    few=Weights(bias=-53.0, similarity=58.0, margin=0.0, covered=5.5, missing=-1.0, exact=1.0, threshold=0.45),
    foreign=Weights(bias=-59.0, similarity=65.0, margin=39.0, covered=0.0, missing=0.0, exact=1.0, threshold=0.47),
)
"""For the bundled encoder (docs/adr/0070), by ``python -m tests.benchmarks.fit_refusal``."""
