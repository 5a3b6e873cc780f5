"""The whole proof: as many workspaces as it takes, several at a time, added up and judged."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from bot.evaluation.permissions.course import Course, Outcome, Size
from bot.evaluation.permissions.markers import Markers
from bot.evaluation.permissions.oracle import Leak
from bot.evaluation.permissions.stage import Stage

AT_A_TIME: Final = 6
"""Workspaces that are lived through side by side: while one waits for its bot, others work."""

SHORT: Final = Size(members=5, topics=3, files=4, steps=10)
LONG: Final = Size(members=150, topics=4, files=8, steps=40)
"""Of many checks most come from places with many readers, where more happens while much stands."""

FULL: Final = 20_000
"""Checks from which on a proof must have seen WORKSPACES."""
WORKSPACES: Final = 200
MANY_QUESTIONS: Final = 100
"""Questions from which on the shares below say something."""
FORBIDDEN_BEST: Final = 0.3
OVER_PUBLIC: Final = 1.5


@dataclass(slots=True, kw_only=True)
class Figures:
    """What all workspaces together have shown."""

    seed: int
    wanted: int = 0
    outcomes: list[Outcome] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def checks(self) -> int:
        return sum(sum(one.checks.values()) for one in self.outcomes)

    @property
    def leaks(self) -> list[tuple[Outcome, Leak]]:
        return [(outcome, leak) for outcome in self.outcomes for leak in outcome.leaks]

    def total(self, name: str) -> int:
        """The sum of a number that every outcome has."""
        return sum(getattr(one, name) for one in self.outcomes)

    def to_json(self) -> dict[str, Any]:
        """The figures under the names that they are known by."""
        return {
            "checks": self.checks,
            "leaks": len(self.leaks),
            "workspaces": len(self.outcomes),
            "questions": self.total("questions"),
            "forbidden_best": self.total("forbidden_best"),
            "answers": self.total("answers"),
            "answers_public_only": self.total("public_answers"),
            "refusals": dict(sum((one.refusals for one in self.outcomes), Counter[str]()).most_common()),
            "leaks_by_kind": dict(Counter(leak.kind for _, leak in self.leaks).most_common()),
            "checks_by_kind": dict(sum((one.checks for one in self.outcomes), Counter[str]()).most_common()),
            "out_of_reach": self.total("out_of_reach"),
            "unanswered": sum(len(one.unanswered) for one in self.outcomes),
            "seed": self.seed,
            "seconds": round(self.seconds, 1),
        }

    def shortcomings(self) -> list[str]:
        """Why this is no proof; empty when it is one. Shares are asked of as many questions as say something."""
        questions, answers, public = self.total("questions"), self.total("answers"), self.total("public_answers")
        found = []
        if self.leaks:
            found.append(
                f"{len(self.leaks)} of {self.checks} checks found somebody who was shown what they may not read"
            )
        for outcome in self.outcomes:
            found += [f"no end of the question {one} in workspace {outcome.number}" for one in outcome.unanswered]
        if self.wanted >= FULL and len(self.outcomes) < WORKSPACES:
            found.append(f"only {len(self.outcomes)} workspaces, {WORKSPACES} are needed")
        if questions >= MANY_QUESTIONS and self.total("forbidden_best") < FORBIDDEN_BEST * questions:
            found.append("too few questions whose best passage somebody in the audience may not read")
        if questions >= MANY_QUESTIONS and answers < OVER_PUBLIC * public:
            found.append(
                f"{answers} answers are less than {OVER_PUBLIC} times those that public files would have given"
            )
        return found


async def prove(
    stage: Stage, *, checks: int, seed: int, only: int | None = None, done: Callable[[Figures], None]
) -> Figures:
    """Live through workspaces until there were so many checks, in as many workspaces as the figures ask for.

    ``only`` replays the workspace of that number alone. ``done`` is called after each. Raises NeverAtRest.
    """
    figures, markers = Figures(seed=seed, wanted=checks), Markers()
    needed = min(WORKSPACES, -(-checks * WORKSPACES // FULL))
    size = SHORT if checks <= FULL else LONG
    began = time.monotonic()

    def wanted() -> Iterator[int]:
        number = 0
        while figures.checks < checks or number < needed:
            yield number
            number += 1

    async def live(numbers: Iterable[int]) -> None:
        for number in numbers:
            outcome = await Course(stage=stage, markers=markers, seed=seed, number=number, size=size).run()
            figures.outcomes.append(outcome)
            figures.seconds = time.monotonic() - began
            done(figures)

    numbers = iter([only]) if only is not None else wanted()
    async with asyncio.TaskGroup() as group:
        for place in range(AT_A_TIME):
            group.create_task(live(numbers), name=f"workspaces {place}")
    return figures


def described(figures: Figures, *, most: int = 10) -> list[str]:
    """The first leaks, each message and file once, with what it takes to see them again."""
    lines: list[str] = []
    told: set[tuple[int, str, str]] = set()
    for outcome, leak in figures.leaks:
        name = (outcome.number, leak.where, leak.shown.file)
        if name in told or len(told) == most:
            continue
        told.add(name)
        lines.append(
            f"LEAK {leak.kind}: {leak.person} sees {leak.shown.file} of {leak.shown.team} at {leak.where}: {leak.text}"
        )
        again = f"--checks {figures.wanted} --seed {figures.seed} --workspace {outcome.number}"
        lines.append(f"  again: haitang eval permissions {again}; its steps:")
        lines += [f"    {number:3} {step}" for number, step in enumerate(outcome.trail, start=1)]
    return lines
