"""Search on the two labelled sets of the shared data, by the command that people run."""

from __future__ import annotations

import json
import sys
from asyncio import create_subprocess_exec, subprocess
from pathlib import Path

from tests.benchmarks.figures import Figure

DATA = Path(__file__).parents[3] / "shared" / "data" / "retrieval"
GOALS = {
    ("hotpotqa_100", "all_gold@5"): 0.72,
    ("hotpotqa_100", "passages_per_s"): 25.0,
    ("cmrc2018_dev_zh", "recall@1"): 0.96,
    ("cmrc2018_dev_zh", "passages_per_s"): None,
}
SHOWN = ("recall@1", "recall@5", "ndcg@10", "all_gold@5", "search_ms_p50", "search_ms_p95", "passages_per_s")


async def measure() -> list[Figure]:
    """Raises FileNotFoundError without the shared data."""
    found: list[Figure] = []
    for name in ("hotpotqa_100", "cmrc2018_dev_zh"):
        if not (DATA / name).is_dir():
            raise FileNotFoundError(f"{DATA / name}: the shared data is not beside this checkout")
        figures = await _evaluate(DATA / name)
        found += [_figure(name, key, figures) for key in SHOWN]
    return found


async def _evaluate(directory: Path) -> dict[str, float]:
    command = [sys.executable, "-m", "bot.cli", "eval", "retrieval", str(directory), "--json"]
    process = await create_subprocess_exec(*command, stdout=subprocess.PIPE)
    out, _ = await process.communicate()
    if process.returncode != 0:
        raise RuntimeError(f"eval retrieval {directory.name} ended with {process.returncode}")
    return dict(json.loads(out))


def _figure(name: str, key: str, figures: dict[str, float]) -> Figure:
    unit = "ms" if "_ms_" in key else "1/s" if key.endswith("_per_s") else ""
    better = "lower" if unit == "ms" else "higher"
    return Figure(
        name=f"{name} {key}",
        value=figures[key],
        unit=unit,
        goal=GOALS.get((name, key)),
        better=better,
        repetitions=int(figures["queries"]),
    )
