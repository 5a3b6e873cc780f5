"""How long a scope takes in a company of 10,000 people, 5,000 channels and 200 memberships a person."""

from __future__ import annotations

import statistics

from tests.benchmarks.company import company
from tests.benchmarks.figures import Figure, percentile

ASKERS = 60


async def measure() -> list[Figure]:
    """Median and 95th percentile for each kind of place, in milliseconds, and the first question after a load."""
    async with company(people=10_000, channels=5_000, memberships=200) as place:
        kinds = {
            "alone": (None, 5),
            "typical channel of 300": (await place.place_of(300), 5),
            "typical channel of 1,500": (await place.place_of(1_500), 5),
            "channel of 1,500, 18 cover, 10 lack one reader": ("MANY", 5),
            "public, 9,000 in it, 10,000 readers, 4 cover, 3 lack one of them": ("MOST", 30),
        }
        figures = []
        for name, (conversation, goal) in kinds.items():
            figures += _figures(name, await place.time(conversation, askers=ASKERS), goal)
            work = await place.work(conversation, askers=ASKERS)
            figures.append(
                Figure(
                    name=f"scope, {name}, PostgreSQL's processor time",
                    value=work,
                    unit="ms",
                    goal=None,
                    better="lower",
                    repetitions=ASKERS,
                )
            )
        return [*figures, *_figures("first question after a load", await place.first("MANY", askers=10), None)]


def _figures(name: str, took: list[float], goal: float | None) -> list[Figure]:
    values = (("median", statistics.median(took), None), ("P95", percentile(took, 0.95), goal))
    return [
        Figure(
            name=f"scope, {name}, {which}", value=value, unit="ms", goal=wanted, better="lower", repetitions=len(took)
        )
        for which, value, wanted in values
    ]
