"""The shared budget of edits: never more than it says, and the last edit of every answer gets its turn."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handlers.pace import CLOSEST_S, EditBudget, Lane, PostBudget

TIER_3 = 50
"""chat.update: about 50 a minute per app and workspace (slack.md, "What shapes the design most", 2)."""


@dataclass
class Clock:
    now: float = 1_000.0

    def __call__(self) -> float:
        return self.now


def drain(clock: Clock, budget: EditBudget, lane: Lane, *, final: bool) -> float:
    """Ask until the edit is given, letting as much time pass as the budget says; the time it was given at."""
    while wait := budget.take_final(lane) if final else budget.take_progress(lane):
        clock.now += wait
    return clock.now


moves = st.lists(
    st.tuples(st.integers(0, 7), st.sampled_from(["progress", "final", "hold"]), st.floats(0, 5)), max_size=250
)


@given(moves)
def test_no_minute_holds_more_edits_than_slack_allows(moves: list[tuple[int, str, float]]) -> None:
    clock = Clock()
    budget = EditBudget(clock=clock)
    lanes = [budget.join() for _ in range(8)]
    given_at: list[float] = []
    for who, what, later in moves:
        clock.now += later
        if what == "hold":
            budget.hold(later)
        elif not (budget.take_final(lanes[who]) if what == "final" else budget.take_progress(lanes[who])):
            given_at.append(clock.now)
    for start in given_at:
        assert sum(start <= at < start + 60 for at in given_at) <= TIER_3


@given(st.integers(1, 30), st.integers(0, 200))
def test_every_final_edit_gets_its_turn_however_busy_progress_is(answers: int, progress: int) -> None:
    clock = Clock()
    budget = EditBudget(clock=clock)
    lanes = [budget.join() for _ in range(answers)]
    for index in range(progress):
        clock.now += 0.05
        budget.take_progress(lanes[index % answers])
    began = clock.now
    for lane in lanes:
        drain(clock, budget, lane, final=True)
        budget.leave(lane)
    free_at_once = min(answers, budget.burst - 1)
    assert clock.now - began <= (answers - free_at_once) * 60 / budget.per_minute + 0.01


@given(moves)
def test_during_a_hold_nobody_edits(moves: list[tuple[int, str, float]]) -> None:
    clock = Clock()
    budget = EditBudget(clock=clock)
    lane = budget.join()
    held_until = clock.now
    for _, what, later in moves:
        clock.now += later
        if what == "hold":
            budget.hold(later)
            held_until = max(held_until, clock.now + later)
        taken = not (budget.take_final(lane) if what == "final" else budget.take_progress(lane))
        assert not (taken and clock.now < held_until)


def test_a_wait_that_was_served_is_enough() -> None:
    clock = Clock()
    budget = EditBudget(clock=clock)
    lane = budget.join()
    budget.hold(30)
    clock.now += budget.take_final(lane)
    assert budget.take_final(lane) == 0.0
    # Slack's own bucket was empty until then: the next edit waits for a refill.
    assert budget.take_final(lane) > 1.0


def test_one_answer_alone_is_edited_often_and_twenty_share() -> None:
    def gaps(answers: int) -> float:
        clock = Clock()
        budget = EditBudget(clock=clock)
        lanes = [budget.join() for _ in range(answers)]
        times = [drain(clock, budget, lanes[0], final=False) for _ in range(3)]
        return times[-1] - times[0]

    assert gaps(1) < 4 * CLOSEST_S
    assert gaps(20) > gaps(5) > gaps(1)


def test_a_budget_without_room_for_a_reserve_is_an_error() -> None:
    with pytest.raises(ValueError, match="reserve"):
        EditBudget(clock=Clock(), burst=1)


@given(st.lists(st.tuples(st.floats(0, 3), st.booleans()), max_size=100))
def test_posts_get_turns_a_second_apart_once_the_burst_is_used(posts: list[tuple[float, bool]]) -> None:
    clock = Clock()
    budget = PostBudget(clock=clock)
    turns: list[float] = []
    for later, urgent in posts:
        clock.now += later
        turns.append(clock.now + budget.take("C1", urgent=urgent))
    for start in turns:
        assert sum(start <= turn < start + 60 for turn in turns) <= budget.burst + 60 / budget.every_s + 1


def test_placeholders_overtake_citations_and_other_channels_are_not_kept_waiting() -> None:
    clock = Clock()
    budget = PostBudget(clock=clock)
    waits = [budget.take("C1") for _ in range(9)]
    assert waits == [0.0] * 8 + [1.0]
    assert budget.take("C1", urgent=True) == 0.0
    assert budget.take("C2") == 0.0


def test_after_a_429_turns_come_one_by_one() -> None:
    clock = Clock()
    budget = PostBudget(clock=clock)
    budget.hold("C1", 7)
    assert [budget.take("C1", urgent=True) for _ in range(3)] == [7.0, 8.0, 9.0]
    clock.now += 60
    assert budget.take("C1") == 0.0
