"""One measured figure, and the machine it was measured on."""

from __future__ import annotations

import math
import os
import platform
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A value with its unit and goal; ``met`` compares in the direction that ``better`` names."""

    name: str
    value: float
    unit: str
    goal: float | None
    better: str
    repetitions: int

    def __post_init__(self) -> None:
        if self.better not in ("higher", "lower"):
            raise ValueError(f"{self.name}: better is 'higher' or 'lower', not {self.better!r}")

    @property
    def met(self) -> bool | None:
        """None without a goal."""
        if self.goal is None:
            return None
        return self.value >= self.goal if self.better == "higher" else self.value <= self.goal

    def to_json(self) -> dict[str, Any]:
        return {**asdict(self), "met": self.met}


def percentile(values: list[float], share: float) -> float:
    """The nearest-rank percentile: the smallest value that ``share`` (0–1) of all values do not exceed."""
    if not values:
        raise ValueError("no values to take a percentile of")
    ordered = sorted(values)
    return ordered[max(0, math.ceil(len(ordered) * share) - 1)]


def machine() -> dict[str, str]:
    """What the figures were measured on; no host name, no path."""
    model = next(
        (line.partition(":")[2].strip() for line in _lines(Path("/proc/cpuinfo")) if line.startswith("model name")),
        platform.processor() or platform.machine(),
    )
    return {
        "processor": model,
        "cores": str(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 0),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "load": f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "unknown",
    }


def _lines(file: Path) -> list[str]:
    return file.read_text("utf-8").splitlines() if file.is_file() else []
