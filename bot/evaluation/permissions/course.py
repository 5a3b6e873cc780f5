"""One generated workspace from its first file to its last event, watched and judged."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random

from bot.evaluation.permissions.acts import Acts
from bot.evaluation.permissions.baseline import Baseline
from bot.evaluation.permissions.events import Kind, Step, steps
from bot.evaluation.permissions.eyes import Eyes
from bot.evaluation.permissions.hands import Hands
from bot.evaluation.permissions.markers import Markers
from bot.evaluation.permissions.oracle import Leak, Oracle
from bot.evaluation.permissions.questions import Questions
from bot.evaluation.permissions.refusals import of_window
from bot.evaluation.permissions.stage import Stage
from bot.evaluation.permissions.workspace import Blueprint, blueprint, settle_in


@dataclass(frozen=True, slots=True)
class Size:
    """About how many full members a workspace has, how much there is to ask about, how many files answer it, and how
    much happens after that."""

    members: int
    topics: int
    files: int
    steps: int


@dataclass(slots=True)
class Outcome:
    """What one workspace has shown. ``trail`` are the steps that were taken, in words."""

    number: int
    checks: Counter[str] = field(default_factory=Counter)
    leaks: list[Leak] = field(default_factory=list)
    questions: int = 0
    forbidden_best: int = 0
    answers: int = 0
    public_answers: int = 0
    out_of_reach: int = 0
    unanswered: list[str] = field(default_factory=list)
    refusals: Counter[str] = field(default_factory=Counter)
    trail: list[str] = field(default_factory=list)


class Course:
    """Lives through a list of steps in a workspace of ``stage``."""

    def __init__(self, *, stage: Stage, markers: Markers, seed: int, number: int, size: Size, team: str = "") -> None:
        """``team``: the workspace's id, by default made of its number."""
        self._stage = stage
        self._markers = markers
        self._seed = seed
        self._number = number
        self._size = size
        self._team = team or f"T{number:06d}PROOF"

    async def run(self, taken: Sequence[Step] | None = None) -> Outcome:
        """Live through these steps, by default those that seed and number give. Raises NeverAtRest."""
        random = Random(f"{self._seed}/{self._number}")  # noqa: S311 - a course of events, no secret
        plan = blueprint(random, topics=self._size.topics, files=self._size.files)
        course = steps(random, count=self._size.steps) if taken is None else taken
        async with self._stage.bot(
            self._team, lambda workspace: settle_in(workspace, random, members=self._size.members)
        ) as bot:
            oracle = Oracle(bot.workspace)
            eyes = Eyes(context=bot.sandbox.context, markers=self._markers, oracle=oracle)
            questions = Questions(
                bot=bot, markers=self._markers, oracle=oracle, baseline=Baseline(bot.core, self._team)
            )
            acts = Acts(
                bot=bot,
                hands=Hands(self._stage.session, bot.sandbox.site),
                markers=self._markers,
                plan=plan,
                oracle=oracle,
                eyes=eyes,
                questions=questions,
            )
            outcome = Outcome(self._number)
            await self._begin(acts, plan)
            for step in course:
                outcome.trail.append(f"{step} {await acts.take(step)}")
            await acts.settle()
            await questions.count(outcome)
            outcome.checks.update(oracle.checks)
            outcome.leaks = oracle.leaks
            outcome.out_of_reach = len(oracle.out_of_reach)
            outcome.refusals.update(filter(None, map(of_window, eyes.windows)))
            return outcome

    async def _begin(self, acts: Acts, plan: Blueprint) -> None:
        async with asyncio.TaskGroup() as group:
            for upload in plan.uploads:
                group.create_task(acts.take(Step(Kind.UPLOAD, upload.by, upload.place, upload.what)))
        await acts.settle()
