"""``python -m tests.mutations``: take away each check of permissions, one at a time; a test must fail each time.

Exit code 1 when a mutant survives, when one can't be made because the code has moved, or when the tests fail without
any. ``--only WORD …`` runs the mutants whose check or file has one of the words in it; ``--list`` names them.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import AsyncExitStack
from pathlib import Path

from tests.mutations.model import Mutant
from tests.mutations.mutants import ALL
from tests.mutations.run import PASSED, Fate, Host, Outcome, copy_tree, judge


async def judge_all(mutants: Sequence[Mutant], *, hosts: Sequence[Host], folder: Path) -> list[Outcome]:
    """In a copy for each host; each outcome is printed as it comes."""
    waiting = asyncio.Queue[Mutant]()
    for mutant in mutants:
        waiting.put_nowait(mutant)
    outcomes: list[Outcome] = []

    async def work(host: Host, root: Path) -> None:
        while not waiting.empty():
            outcome = await judge(host, root, waiting.get_nowait())
            outcomes.append(outcome)
            print(_line(outcome), flush=True)

    async with asyncio.TaskGroup() as group:
        for number, host in enumerate(hosts):
            root = folder / str(number)
            await asyncio.to_thread(copy_tree, root, of=folder / "clean")
            group.create_task(work(host, root))
    return outcomes


def _line(outcome: Outcome) -> str:
    place = f"{outcome.mutant.file}:{outcome.mutant.where}"
    line = f"{outcome.fate:<9} {outcome.seconds:5.1f} s  {outcome.mutant.check:<70} {place}"
    return line if outcome.fate is Fate.KILLED else f"{line}\n{outcome.told}"


async def run(mutants: Sequence[Mutant], *, folder: Path, jobs: int) -> int:
    began = time.monotonic()
    clean = folder / "clean"
    await asyncio.to_thread(copy_tree, clean)
    async with AsyncExitStack() as stack:
        hosts = [Host(clean) for _ in range(jobs)]
        for host in hosts:
            stack.push_async_callback(host.aclose)
        killers = sorted({killer for mutant in mutants for killer in mutant.killers})
        code, told = await hosts[0].pytest(clean, killers)
        if code != PASSED:
            print(f"the tests fail without any mutant:\n{told}")
            return 1
        print(f"{len(killers)} tests pass as it is, after {time.monotonic() - began:.0f} s", flush=True)
        outcomes = await judge_all(mutants, hosts=hosts, folder=folder)
    counts = {fate: sum(outcome.fate is fate for outcome in outcomes) for fate in Fate}
    summary = ", ".join(f"{count} {fate.lower()}" for fate, count in counts.items())
    print(f"{len(outcomes)} checks taken away: {summary}, in {time.monotonic() - began:.0f} s")
    return 0 if counts[Fate.KILLED] == len(mutants) else 1


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.mutations", description=__doc__)
    parser.add_argument("--only", nargs="+", default=[""], metavar="WORD")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    chosen = [one for one in ALL if any(word in f"{one.check} {one.file}" for word in options.only)]
    if options.list or not chosen:
        print("\n".join(f"{one.check:<70} {one.file}:{one.where}" for one in chosen) or "no such mutant")
        return 0 if chosen else 2
    with tempfile.TemporaryDirectory(prefix="mut-") as name:
        folder = Path(name)
        folder.chmod(0o755)  # PostgreSQL may run under an account of its own
        return asyncio.run(run(chosen, folder=folder, jobs=options.jobs))


if __name__ == "__main__":
    sys.exit(main())
