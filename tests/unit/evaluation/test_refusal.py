"""Measuring refusals, and fitting to a measured set."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from bot.agent.model import Findings, Part
from bot.agent.offline.calibration import Calibration, Weights
from bot.agent.offline.understander import RuleUnderstander
from bot.agent.roles import Researcher
from bot.evaluation.refusal import MeasuredQuestion, Sample, collect, fit, report
from permissions.model import AccessScope
from tests.unit.agent.scopes import scope_of_a_channel
from tests.unit.agent.toys import found, passage

THINGS = ["paint", "tile", "floor", "door", "window", "lamp", "sofa", "table", "carpet", "mirror", "heater", "stove"]
BY_WORDS = Weights(bias=-3, similarity=0, margin=0, covered=6, missing=0, held=0, lacked=0, threshold=0.5)
CALIBRATION = Calibration(usual=BY_WORDS, few=BY_WORDS)


def sample(number: int, *, is_answerable: bool) -> Sample:
    """A question whose thing stands in its passage when it is answerable; every third counts as Chinese."""
    chance = random.Random(number)  # noqa: S311 - the same questions every time
    asked, other = chance.sample(THINGS, 2)
    held = f"The {asked if is_answerable else other} of the house was delivered in week {number}."
    others = [passage(f"Nothing here about {thing}, part {number}.") for thing in chance.sample(THINGS, 7)]
    language, text = "zh" if number % 3 == 0 else "en", f"When was the {asked} delivered?"
    question = MeasuredQuestion(f"q{number}", "toys", language, text, is_answerable)
    return Sample(question, (found(question.text, passage(held), *others),))


SAMPLES = [sample(number, is_answerable=number % 2 == 0) for number in range(120)]


def test_shares_are_counted_by_set_and_language() -> None:
    counted = report(SAMPLES[:12], CALIBRATION)
    assert counted["all"]["answerable"] == counted["all"]["unanswerable"] == 6
    assert (counted["zh"]["answerable"], counted["en"]["answerable"]) == (2, 4)
    assert counted["toys"] == counted["all"]


def test_questions_in_the_other_language_are_counted_apart() -> None:
    abroad = replace(SAMPLES[0], question=replace(SAMPLES[0].question, source="abroad", is_foreign=True))
    counted = report([*SAMPLES[1:3], abroad], CALIBRATION)
    assert counted["all"]["answerable"] == counted["abroad"]["answerable"] == 1


def test_what_was_not_found_at_all_is_refused() -> None:
    nothing = replace(SAMPLES[0], findings=(found("x"),))
    assert report([nothing], CALIBRATION)["all"]["wrongly_refused"] == 1


def test_a_fit_separates_what_it_was_not_fitted_to() -> None:
    held_out = [item for item in SAMPLES if not item.question.is_for_fitting]
    shares = report(held_out, fit(SAMPLES))["all"]
    assert shares["refused"] > 0.85
    assert shares["wrongly_refused"] < 0.1


def test_a_fit_does_not_look_at_the_other_half() -> None:
    flipped = [
        item
        if item.question.is_for_fitting
        else replace(item, question=replace(item.question, is_answerable=not item.question.is_answerable))
        for item in SAMPLES
    ]
    assert fit(flipped) == fit(SAMPLES)


def test_halves_are_halves() -> None:
    fitting = sum(item.question.is_for_fitting for item in SAMPLES)
    assert fitting == pytest.approx(len(SAMPLES) / 2, abs=20)


async def test_questions_are_understood_and_searched_as_in_a_run() -> None:
    class Noting:
        """A researcher that notes what it was asked."""

        def __init__(self) -> None:
            self.asked: list[str] = []

        async def find(self, scope: AccessScope, part: Part) -> Findings:
            self.asked.append(part.query)
            return found("x")

    noting = Noting()
    researcher: Researcher = noting
    [collected] = await collect(
        [MeasuredQuestion("q", "toys", "en", "What was used and who supplies it?", True)],
        scopes={"toys": await scope_of_a_channel()},
        understander=RuleUnderstander(),
        researcher=researcher,
    )
    assert len(collected.findings) == len(noting.asked) == 2
