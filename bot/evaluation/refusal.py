"""Does the bot refuse what its sources don't answer, and nothing else? Measures it, and fits the checker to it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from bot.agent.model import Findings
from bot.agent.offline.calibration import Calibration, Features, Weights
from bot.agent.offline.features import TOGETHER, features_of
from bot.agent.roles import Researcher, Understander
from permissions.model import AccessScope

REFUSED_GOAL: Final = 0.85
"""Share of the unanswerable questions that are to be refused."""
WRONG_GOAL: Final = 0.10
"""Share of the answerable questions that may be refused wrongly."""

RIDGE: Final = 5e-3
"""Penalty on standardised weights: keeps a fit to few questions from growing without bound."""

Matrix = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class MeasuredQuestion:
    """A question of the set ``source``, of which it is known whether the indexed sources answer it.

    ``is_foreign``: what answers it is in the other language, which the offline roles are not fitted to.
    """

    id: str
    source: str
    language: str
    text: str
    is_answerable: bool
    is_foreign: bool = False

    @property
    def is_for_fitting(self) -> bool:
        """One half is for fitting, the other for reporting, by the digest of the id."""
        return hashlib.sha256(self.id.encode()).digest()[0] % 2 == 0


@dataclass(frozen=True, slots=True)
class Sample:
    """A question with what was found for each of its parts."""

    question: MeasuredQuestion
    findings: tuple[Findings, ...]

    def features(self) -> list[Features]:
        """Of each part for which anything was found."""
        found = (features_of(item) for item in self.findings)
        return [features for features in found if features is not None]

    def is_supported(self, calibration: Calibration) -> bool:
        """Whether any part would be answered."""
        return any(
            calibration.of(features).probability(features) >= calibration.of(features).threshold
            for features in self.features()
        )


async def collect(
    questions: Iterable[MeasuredQuestion],
    *,
    scopes: Mapping[str, AccessScope],
    understander: Understander,
    researcher: Researcher,
) -> list[Sample]:
    """Understand and search every question as a run does, under the scope of its set."""
    samples = []
    for question in questions:
        understood = await understander.understand(question.text, ())
        findings = [await researcher.find(scopes[question.source], part) for part in understood.parts]
        samples.append(Sample(question, tuple(findings)))
    return samples


def report(samples: Sequence[Sample], calibration: Calibration) -> dict[str, Any]:
    """Refusals of all samples, and by set and by language: questions and shares from 0 to 1.

    Questions in the other language than their source are a set of their own, and counted nowhere else.
    """
    verdicts = [(sample.question, sample.is_supported(calibration)) for sample in samples]
    groups: dict[str, list[tuple[MeasuredQuestion, bool]]] = {"all": []}
    for question, is_supported in verdicts:
        names = (question.source,) if question.is_foreign else ("all", question.source, question.language)
        for name in names:
            groups.setdefault(name, []).append((question, is_supported))
    return {name: _shares(group) for name, group in groups.items()}


def _shares(verdicts: Sequence[tuple[MeasuredQuestion, bool]]) -> dict[str, float]:
    answerable = [is_supported for question, is_supported in verdicts if question.is_answerable]
    unanswerable = [is_supported for question, is_supported in verdicts if not question.is_answerable]
    return {
        "answerable": len(answerable),
        "unanswerable": len(unanswerable),
        "refused": _share(not is_supported for is_supported in unanswerable),
        "wrongly_refused": _share(not is_supported for is_supported in answerable),
    }


def _share(values: Iterable[bool]) -> float:
    listed = list(values)
    return sum(listed) / len(listed) if listed else 0.0


def fit(samples: Sequence[Sample]) -> Calibration:
    """The calibration of the samples' fitting half; each set counts the same, whatever its size.

    Raises ValueError when one of the cases has no questions in that half.
    """
    fitting = [sample for sample in samples if sample.question.is_for_fitting and not sample.question.is_foreign]
    rows = [row for sample in fitting for row in _rows(sample)]
    few = [row for sample in fitting for row in _rows(_with_few(sample))]
    return Calibration(
        usual=_fit([row for row in rows if row.features.margin is not None]),
        few=_fit(few),
    )


@dataclass(frozen=True, slots=True)
class _Row:
    """Features of one part of a question, and whether the question is answerable."""

    source: str
    language: str
    features: Features
    is_answerable: bool

    def values(self) -> list[float]:
        """The features as numbers, in the order of the weights."""
        return [
            self.features.similarity,
            self.features.margin or 0.0,
            self.features.covered,
            self.features.missing,
            self.features.held,
            self.features.lacked,
        ]


def _rows(sample: Sample) -> list[_Row]:
    question = sample.question
    return [
        _Row(question.source, question.language, features, question.is_answerable) for features in sample.features()
    ]


def _with_few(sample: Sample) -> Sample:
    """The same with no more passages than could answer together, as in a workspace that has just begun."""
    return replace(sample, findings=tuple(replace(found, ranked=found.ranked[:TOGETHER]) for found in sample.findings))


def _fit(rows: Sequence[_Row]) -> Weights:
    if not rows:
        raise ValueError("a case of the calibration has no questions to be fitted to")
    values = np.array([row.values() for row in rows], np.float64)
    labels = np.array([row.is_answerable for row in rows], np.float64)
    sources = [row.source for row in rows]
    shares = np.array([1 / (sources.count(source) * len(set(sources))) for source in sources])
    centre, spread = values.mean(0), values.std(0)
    spread[spread == 0] = 1.0
    bias, *weights = _regression((values - centre) / spread, labels, shares)
    scaled = np.array(weights) / spread
    similarity, margin, covered, missing, held, lacked = (round(float(weight), 3) for weight in scaled)
    fitted = Weights(
        bias=round(float(bias - scaled @ centre), 3),
        similarity=similarity,
        margin=margin,
        covered=covered,
        missing=missing,
        held=held,
        lacked=lacked,
        threshold=0.5,
    )
    return replace(fitted, threshold=_threshold(fitted, rows))


def _regression(values: Matrix, labels: Matrix, shares: Matrix) -> Matrix:
    """Weighted logistic regression by Newton's method (iteratively reweighted least squares), bias first."""
    design = np.column_stack([np.ones(len(values)), values])
    ridge = RIDGE * np.diag([0.0] + [1.0] * values.shape[1])
    weights = np.zeros(design.shape[1])
    for _ in range(50):
        predicted = 1 / (1 + np.exp(-design @ weights))
        gradient = design.T @ (shares * (labels - predicted)) - ridge @ weights
        curvature = (design.T * (shares * predicted * (1 - predicted))) @ design + ridge
        weights = weights + np.linalg.solve(curvature, gradient)
    return weights


def _threshold(weights: Weights, rows: Sequence[_Row]) -> float:
    """The threshold that leaves the most room to both goals, for all and for the language that has the least."""
    groups: dict[str, list[tuple[float, bool]]] = {"all": []}
    for row in rows:
        verdict = (weights.probability(row.features), row.is_answerable)
        groups["all"].append(verdict)
        groups.setdefault(row.language, []).append(verdict)
    mixed = [group for group in groups.values() if len({is_answerable for _, is_answerable in group}) > 1]

    def room(threshold: float) -> float:
        return min((_room(group, threshold) for group in mixed), default=0.0)

    return max((round(0.02 * step, 2) for step in range(1, 50)), key=room)


def _room(group: Sequence[tuple[float, bool]], threshold: float) -> float:
    refused = _share(probability < threshold for probability, is_answerable in group if not is_answerable)
    wrongly = _share(probability < threshold for probability, is_answerable in group if is_answerable)
    return min(refused - REFUSED_GOAL, WRONG_GOAL - wrongly)
