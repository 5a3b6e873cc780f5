"""Several ranked lists become one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

K = 60
"""The constant of reciprocal rank fusion (Cormack, Clarke and Büttcher, SIGIR 2009)."""


def reciprocal_ranks(
    lists: Mapping[str, Sequence[str]], *, weights: Mapping[str, float] | None = None, k: int = K
) -> list[tuple[str, float]]:
    """Ids with the sum of weight / (k + rank) over the lists that hold them, ranks from 1; highest first.

    A list without a weight counts 1. Equal sums keep the order in which the ids were met, list by list.
    """
    scores: defaultdict[str, float] = defaultdict(float)
    for name, ids in lists.items():
        weight = 1.0 if weights is None else weights.get(name, 1.0)
        for rank, identifier in enumerate(dict.fromkeys(ids), start=1):
            scores[identifier] += weight / (k + rank)
    return sorted(scores.items(), key=lambda item: -item[1])
