"""The benchmark runner: ``python -m tests.benchmarks NAME… [--json FILE]``; without a name it lists them."""

from __future__ import annotations

import argparse
import asyncio
import importlib
import json
import logging
import pkgutil
import sys
from pathlib import Path

import tests.benchmarks
from bot import logs
from tests.benchmarks.figures import Figure, machine


def names() -> list[str]:
    """Every module ``bench_NAME`` of this folder is a benchmark with ``async def measure() -> list[Figure]``."""
    found = pkgutil.iter_modules(tests.benchmarks.__path__)
    return sorted(module.name.removeprefix("bench_") for module in found if module.name.startswith("bench_"))


def row(figure: Figure) -> str:
    goal = "–" if figure.goal is None else f"{'≥' if figure.better == 'higher' else '≤'} {figure.goal:g}"
    verdict = {True: "met", False: "MISSED", None: ""}[figure.met]
    columns = (figure.name, f"{figure.value:.4g}", figure.unit, goal, str(figure.repetitions), verdict)
    return f"| {' | '.join(columns)} |"


def main(arguments: list[str]) -> int:
    """Print a table of figures; 0 when every goal is met, 1 when one is missed, 2 for a wrong name."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="one or more of: " + ", ".join(names()))
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures there")
    options = parser.parse_args(arguments)
    if unknown := sorted(set(options.names) - set(names())) or ([] if options.names else ["(none given)"]):
        parser.error(f"no benchmark {', '.join(unknown)}; there are: {', '.join(names())}")
    logs.configure(level=logging.WARNING)
    figures: list[Figure] = []
    sys.stdout.write("| figure | value | unit | goal | repetitions | |\n|---|---|---|---|---|---|\n")
    for name in options.names:
        measured = asyncio.run(importlib.import_module(f"tests.benchmarks.bench_{name}").measure())
        sys.stdout.write("".join(row(figure) + "\n" for figure in measured))
        sys.stdout.flush()
        figures += measured
    if options.json:
        document = {"machine": machine(), "figures": [figure.to_json() for figure in figures]}
        options.json.write_text(json.dumps(document, ensure_ascii=False, indent=2) + "\n", "utf-8")
    return 1 if any(figure.met is False for figure in figures) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
