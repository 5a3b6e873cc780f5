"""How the work of a scope grows with each dimension of a company; draws docs/plots/scopes.svg."""

from __future__ import annotations

from pathlib import Path

from tests.benchmarks.company import company
from tests.benchmarks.figures import Figure
from tests.benchmarks.plot import Line, draw

PLOT = Path(__file__).parents[2] / "docs/plots/scopes.svg"
ASKERS = 40


async def measure() -> list[Figure]:
    """Processor time of PostgreSQL in milliseconds, along each dimension while the others stay."""
    async with company(people=10_000, channels=5_000, memberships=200) as place:
        readers = []
        for count in (50, 300, 1_000, 3_000, 9_000):
            channel = await place.place_of(count)
            readers.append((await place.size(channel), await place.work(channel, askers=ASKERS)))
        held = []
        for count in (200, 100, 50, 10):
            await place.keep(count, "MANY")
            held.append((count, await place.work("MANY", askers=ASKERS)))
    people, channels = [], []
    for count in (2_000, 5_000, 10_000):
        async with company(people=count, channels=2_000, memberships=50) as place:
            people.append((count, await place.work("MANY", askers=ASKERS)))
    for count in (500, 2_000, 5_000):
        async with company(people=5_000, channels=count, memberships=50) as place:
            channels.append((count, await place.work("MANY", askers=ASKERS)))
    lines = [
        Line("readers of the channel", readers),
        Line("memberships of the asker", sorted(held)),
        Line("people of the workspace", people),
        Line("channels of the workspace", channels),
    ]
    PLOT.parent.mkdir(exist_ok=True)
    PLOT.write_text(draw("PostgreSQL's processor time for a scope, in ms", lines), "utf-8")
    return [
        Figure(name=f"scope, {at:,} {line.name}", value=value, unit="ms", goal=None, better="lower", repetitions=ASKERS)
        for line in lines
        for at, value in line.points
    ]
