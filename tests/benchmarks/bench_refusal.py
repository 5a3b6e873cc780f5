"""Refusals of the bundled checker on the half of the measured set that it was not fitted to."""

from __future__ import annotations

from bot.agent.offline.calibration import BUNDLED
from bot.evaluation.refusal import REFUSED_GOAL, WRONG_GOAL, report
from tests.benchmarks.figures import Figure
from tests.benchmarks.refusal_set import collect_all


async def measure() -> list[Figure]:
    """Shares of all questions, then by set and by language; the goals are for all."""
    samples = [sample for sample in await collect_all() if not sample.question.is_for_fitting]
    figures = []
    for name, shares in report(samples, BUNDLED).items():
        goals = (REFUSED_GOAL, WRONG_GOAL) if name == "all" else (None, None)
        figures += [
            Figure(
                name=f"refusal: unanswerable refused, {name}",
                value=shares["refused"],
                unit="share",
                goal=goals[0],
                better="higher",
                repetitions=int(shares["unanswerable"]),
            ),
            Figure(
                name=f"refusal: answerable refused wrongly, {name}",
                value=shares["wrongly_refused"],
                unit="share",
                goal=goals[1],
                better="lower",
                repetitions=int(shares["answerable"]),
            ),
        ]
    return [figure for figure in figures if figure.repetitions]
