"""Support is decided by features, each of which counts in its own direction."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.agent.model import Part
from bot.agent.offline.calibration import BUNDLED, Calibration, Features, Weights
from bot.agent.offline.checker import CalibratedChecker
from bot.agent.offline.features import ENOUGH, features_of, names_of
from tests.unit.agent.toys import found, passage

SHARES = st.floats(0, 1)
FEATURES = st.builds(
    Features,
    similarity=st.floats(0.6, 1),
    margin=st.one_of(st.none(), st.floats(-0.1, 0.3)),
    covered=SHARES,
    missing=SHARES,
    held=st.sampled_from([0, 1]),
    lacked=st.sampled_from([0, 1]),
)
NEVER = Weights(bias=-9, similarity=0, margin=0, covered=0, missing=0, held=0, lacked=0, threshold=0.5)
PAINT = passage("Kasa paint covers the kitchen walls. Delta supplies it.", title="Paint")


@given(FEATURES)
def test_a_better_fit_is_never_less_sure(features: Features) -> None:
    weights = BUNDLED.of(features)
    better = [
        replace(features, similarity=features.similarity + 0.02),
        replace(features, covered=min(1.0, features.covered + 0.1)),
        replace(features, missing=max(0.0, features.missing - 0.1)),
    ]
    if features.margin is not None:
        better.append(replace(features, margin=features.margin + 0.02))
    assert all(weights.probability(item) >= weights.probability(features) for item in better)


@given(FEATURES)
def test_a_probability_is_one(features: Features) -> None:
    assert 0 <= BUNDLED.of(features).probability(features) <= 1


def test_few_passages_are_judged_apart() -> None:
    usual = Features(similarity=0.9, margin=0.1, covered=1, missing=0, held=0, lacked=0)
    assert BUNDLED.of(usual) is BUNDLED.usual
    assert BUNDLED.of(replace(usual, margin=None)) is BUNDLED.few


def test_features_of_a_good_passage() -> None:
    garden = [passage(f"Rose {n} grows in the garden.") for n in range(ENOUGH)]
    features = features_of(found("Which paint covers the kitchen walls?", PAINT, *garden))
    assert features is not None
    assert features.covered == 1
    assert features.margin is not None
    assert features.margin > 0.05


def test_a_margin_needs_something_to_compare_with() -> None:
    features = features_of(found("Which paint covers the kitchen walls?", PAINT))
    assert features is not None
    assert features.margin is None


@pytest.mark.parametrize(
    ("question", "held", "lacked"),
    [("Where is M-208 used?", 1, 0), ("Where is M-999 used?", 0, 1), ("Where is it used?", 0, 0), ("Type B?", 0, 1)],
)
def test_a_code_is_held_or_not(question: str, held: int, lacked: int) -> None:
    features = features_of(found(question, passage("M-208 is used in the kitchen of type A.")))
    assert features is not None
    assert (features.held, features.lacked) == (held, lacked)


def test_a_row_is_read_with_its_header_and_what_is_asked_of_a_code_counts() -> None:
    table = passage("| order | status |\n| --- | --- |\n| WO-1 | late |\n| WO-2 | here |")
    asked = {text: features_of(found(text, table)) for text in ("What is the status of WO-2?", "Who drove WO-2?")}
    assert [features.covered if features else None for features in asked.values()] == [1, 0]


def test_nothing_found_has_no_features() -> None:
    assert features_of(found("Which paint?")) is None


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("When did Anna Berg join?", {"anna", "berg"}),
        ("订单 WO-2026-2077 到货了吗？", {"wo", "wo-2026-2077", "2026", "2077"}),
        ("《海棠集》的作者是谁？", {"海棠", "棠集"}),
        ("what is the leave policy?", set()),
    ],
)
def test_names(question: str, names: set[str]) -> None:
    assert set(names_of(question)) == names


def test_a_code_that_no_passage_holds_is_missing() -> None:
    features = features_of(found("Is WO-2026-2077 about the kitchen walls?", PAINT))
    assert features is not None
    assert features.missing == 1


async def test_below_the_threshold_nothing_is_quoted() -> None:
    never = Calibration(usual=NEVER, few=NEVER)
    [support] = await CalibratedChecker(calibration=never).check([found("Which paint?", PAINT)])
    assert support.quotes == ()
    assert support.confidence < 0.5


async def test_the_reading_that_is_surer_wins() -> None:
    carried = found("garden roses Which paint covers the walls", passage("Roses need water."))
    alone = found("Which paint covers the walls?", PAINT, part=Part("Which paint?", "x"))
    by_words = replace(NEVER, bias=-3, covered=6)
    checker = CalibratedChecker(calibration=Calibration(usual=by_words, few=by_words))
    [support] = await checker.check([replace(carried, alone=alone)])
    assert support.quotes[0].text == "Kasa paint covers the kitchen walls."
    [nothing] = await checker.check([found("Which paint?")])
    assert nothing.confidence == 0


async def test_what_no_passage_knows_is_not_answered_with_the_topic() -> None:
    always = replace(NEVER, bias=9, covered=1)
    roses = passage("Roses need water.")
    part = Part("what about tulips", "Roses need how much water tulips", alone="tulips", own="tulips", instead=True)
    carried = replace(found(part.query, roses, part=part), alone=found("tulips", part=part))
    [support] = await CalibratedChecker(calibration=Calibration(usual=always, few=always)).check([carried])
    assert support.quotes == ()


async def test_what_was_asked_is_put_to_the_other_subject() -> None:
    always = replace(NEVER, bias=9, covered=1)
    price, place = passage("Tulips cost four yuan."), passage("Tulips stand beside the garden door.")
    part = Part("and tulips", "How many yuan roses cost tulips", alone="tulips", own="tulips", instead=True)
    carried = replace(found(part.query, price, place, part=part), alone=found("tulips", place, part=part))
    [support] = await CalibratedChecker(calibration=Calibration(usual=always, few=always)).check([carried])
    assert [quote.text for quote in support.quotes] == ["Tulips cost four yuan."]
