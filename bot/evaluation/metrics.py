"""Measures of rankings against labels."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Ranking:
    """What was found for one question, best first, with its right passages (gain > 0) and the seconds it took."""

    found: Sequence[str]
    gold: Mapping[str, float]
    seconds: float


def figures(rankings: Sequence[Ranking]) -> dict[str, float]:
    """Means over the questions, and nearest-rank percentiles of the time."""
    times = sorted(ranking.seconds * 1000 for ranking in rankings)
    return {
        **{f"recall@{k}": _mean(recall(ranking, k) for ranking in rankings) for k in (1, 2, 5, 10)},
        "ndcg@10": _mean(ndcg(ranking, 10) for ranking in rankings),
        "all_gold@5": _mean(float(recall(ranking, 5) == 1) for ranking in rankings),
        "queries": len(rankings),
        "search_ms_p50": round(_percentile(times, 0.5), 2),
        "search_ms_p95": round(_percentile(times, 0.95), 2),
    }


def recall(ranking: Ranking, k: int) -> float:
    """The share of the right passages that are among the first ``k``."""
    return len(ranking.gold.keys() & set(ranking.found[:k])) / len(ranking.gold)


def ndcg(ranking: Ranking, k: int) -> float:
    """Normalised discounted cumulative gain with linear gains (Järvelin and Kekäläinen, 2002; log 2 of rank + 1)."""
    gained = _discounted([ranking.gold.get(identifier, 0.0) for identifier in ranking.found[:k]])
    return gained / _discounted(sorted(ranking.gold.values(), reverse=True)[:k])


def _discounted(gains: Sequence[float]) -> float:
    return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, start=1))


def _mean(values: Iterable[float]) -> float:
    return round(statistics.fmean(values), 4)


def _percentile(ordered: Sequence[float], share: float) -> float:
    return ordered[max(0, math.ceil(len(ordered) * share) - 1)]
