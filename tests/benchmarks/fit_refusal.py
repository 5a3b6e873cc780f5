"""Fits the checker's calibration anew: ``python -m tests.benchmarks.fit_refusal`` prints what calibration.py holds."""

from __future__ import annotations

import asyncio
import json
import sys

from bot.evaluation.refusal import fit, report
from tests.benchmarks.refusal_set import collect_all


async def main() -> None:
    """Print the fitted constants, and what they give on the half that they were not fitted to."""
    samples = await collect_all()
    calibration = fit(samples)
    held_out = [sample for sample in samples if not sample.question.is_for_fitting]
    sys.stdout.write(f"{calibration}\n{json.dumps(report(held_out, calibration), ensure_ascii=False, indent=1)}\n")


if __name__ == "__main__":
    asyncio.run(main())
