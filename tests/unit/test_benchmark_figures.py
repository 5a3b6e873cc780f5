"""The arithmetic of the benchmark runner."""

import pytest

from tests.benchmarks.figures import Figure, percentile


def figure(value: float, better: str, goal: float | None = 1.0) -> Figure:
    return Figure(name="x", value=value, unit="s", goal=goal, better=better, repetitions=1)


@pytest.mark.parametrize(
    ("value", "better", "met"), [(1, "higher", True), (0.9, "higher", False), (1, "lower", True), (1.1, "lower", False)]
)
def test_a_goal_is_met_in_its_direction(value: float, better: str, met: bool) -> None:
    assert figure(value, better).met is met


def test_without_a_goal_there_is_no_verdict() -> None:
    assert figure(1, "higher", None).met is None


def test_an_unknown_direction_is_refused() -> None:
    with pytest.raises(ValueError, match="better"):
        figure(1, "sideways")


@pytest.mark.parametrize(("share", "value"), [(0.5, 10), (0.95, 19), (1.0, 20), (0.0, 1)])
def test_nearest_rank_percentile_of_1_to_20(share: float, value: int) -> None:
    assert percentile([float(n) for n in range(20, 0, -1)], share) == value


def test_no_values_no_percentile() -> None:
    with pytest.raises(ValueError, match="no values"):
        percentile([], 0.5)
