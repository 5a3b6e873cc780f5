"""Generated workspaces happen to real bots: nobody is shown what they may not read, and the proof can fail."""

from __future__ import annotations

import itertools
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.evaluation.permissions.course import Course, Outcome, Size
from bot.evaluation.permissions.events import Kind, Step
from bot.evaluation.permissions.markers import Markers
from bot.evaluation.permissions.proof import Figures, described, prove
from bot.evaluation.permissions.stage import Stage, open_stage
from permissions.scopes import ScopeBuilder

SMALL = Size(members=5, topics=2, files=4, steps=12)
EXAMPLES = max(2, settings.default.max_examples // 50) if settings.default else 2
"""Each is a workspace of its own; more of them with ``--hypothesis-profile=thorough``."""

_numbers = itertools.count(1)
_choice = st.integers(0, 999_999)


@pytest.fixture(scope="module")
async def stage(short_folder: Path) -> AsyncIterator[Stage]:
    async with open_stage(short_folder / "proof") as opened:
        yield opened


async def live(stage: Stage, *, seed: int, taken: list[Step] | None = None, size: Size = SMALL) -> Outcome:
    number = next(_numbers)
    course = Course(stage=stage, markers=Markers(), seed=seed, number=0, size=size, team=f"T{number}TEST")
    return await course.run(taken)


def told(*outcomes: Outcome) -> str:
    return "\n".join(described(Figures(seed=0, outcomes=list(outcomes))))


async def test_a_seeded_run_finds_no_leak(stage: Stage) -> None:
    figures = await prove(stage, checks=300, seed=11, done=lambda _: None)
    assert not figures.leaks, told(*figures.outcomes)
    assert figures.shortcomings() == []
    assert figures.to_json()["answers"] > 0


@given(seed=st.integers(0, 999), taken=st.lists(st.builds(Step, st.sampled_from(Kind), _choice, _choice, _choice)))
@settings(max_examples=EXAMPLES, suppress_health_check=list(HealthCheck))
async def test_whatever_happens_nobody_reads_what_they_may_not(stage: Stage, seed: int, taken: list[Step]) -> None:
    """A list of steps is what hypothesis shrinks to the few that matter."""
    outcome = await live(stage, seed=seed, taken=taken)
    assert not outcome.leaks, told(outcome)
    assert not outcome.unanswered


async def test_a_bot_that_forgets_the_readers_is_found_out(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    """The asker's whole scope in place of what everybody may read: what many bots do."""
    real = ScopeBuilder.scope

    async def of_the_asker_alone(self: ScopeBuilder, *, team: str, asker: str, conversation: str | None) -> Any:
        _ = conversation
        return await real(self, team=team, asker=asker, conversation=None)

    monkeypatch.setattr(ScopeBuilder, "scope", of_the_asker_alone)
    questions = [
        Step(Kind.ASK, who, where, 99 + 100 * what) for who in range(2) for where in range(7) for what in (0, 1)
    ]
    outcome = await live(stage, seed=3, taken=questions)
    assert {leak.kind for leak in outcome.leaks} >= {"shown_text", "standing_text"}
