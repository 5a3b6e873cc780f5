"""How sure a passage answers a question: a logistic regression over a few features."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp
from typing import Final


@dataclass(frozen=True, slots=True)
class Features:
    """What is known of how well the best passages fit a question; all but ``similarity`` and ``margin`` are in 0–1.

    ``similarity``: cosine of the best sentence; ``margin``: by how much it passes the mean of the passages ranked from
    fourth on; ``covered``: rarity-weighted share of the question's terms in the best passage; ``covered_together``: in
    the best three; ``exact_missing``: share of numbers and codes that none of the best three holds.
    """

    similarity: float
    margin: float
    covered: float
    covered_together: float
    exact_missing: float


@dataclass(frozen=True, slots=True)
class Calibration:
    """Weights of the features and the probability from which on a part counts as supported."""

    bias: float
    similarity: float
    margin: float
    covered: float
    covered_together: float
    exact_missing: float
    threshold: float

    def probability(self, features: Features) -> float:
        """The probability that the passages answer the question."""
        logit = (
            self.bias
            + self.similarity * features.similarity
            + self.margin * features.margin
            + self.covered * features.covered
            + self.covered_together * features.covered_together
            + self.exact_missing * features.exact_missing
        )
        return 1 / (1 + exp(-logit))


BUNDLED: Final = Calibration(
    bias=-24.0,
    similarity=26.0,
    margin=10.0,
    covered=2.0,
    covered_together=2.0,
    exact_missing=-2.0,
    threshold=0.5,
)
