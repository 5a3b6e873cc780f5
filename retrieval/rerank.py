"""The order of the best candidates, once their text may be read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from retrieval.analysis import analyse, identifiers
from retrieval.model import Passage, RankedPassage, Vector


@dataclass(frozen=True, slots=True)
class Weights:
    """Shares of the three signals, each scaled to 0–1 over the candidates; their sum is 1."""

    words: float = 0.3
    passage: float = 0.2
    sentence: float = 0.5


def by_best_sentence(
    query: str,
    vector: Vector | None,
    passages: Sequence[Passage],
    *,
    word_scores: Mapping[str, float],
    passage_scores: Mapping[str, float],
    weights: Weights,
) -> list[RankedPassage]:
    """Passages by the weighted sum of their BM25 score, their similarity, and their best sentence's similarity.

    A candidate that a channel did not name gets that channel's lowest score. Codes of the query come first: a passage
    gains the share of them that it holds, which outweighs everything else.
    """
    wanted = identifiers(query)
    similarities = [best_sentence(passage, vector) for passage in passages]
    ids = [passage.chunk_id for passage in passages]
    words = _scaled([word_scores.get(identifier) for identifier in ids])
    wholes = _scaled([passage_scores.get(identifier) for identifier in ids])
    sentences = _scaled(similarities)
    ranked = [
        RankedPassage(
            passage,
            weights.words * words[at]
            + weights.passage * wholes[at]
            + weights.sentence * sentences[at]
            + _share_of_codes(wanted, passage),
            similarities[at],
        )
        for at, passage in enumerate(passages)
    ]
    return sorted(ranked, key=lambda item: (-item.score, item.passage.chunk_id))


def best_sentence(passage: Passage, vector: Vector | None) -> float:
    """The highest cosine of a sentence of the passage with the query's vector; 0 when either is missing."""
    if vector is None or not len(passage.sentence_vectors):
        return 0.0
    return float((passage.sentence_vectors @ vector).max())


def _share_of_codes(wanted: frozenset[str], passage: Passage) -> float:
    """How many of the wanted codes the passage holds, as a share of them; 0 when none is wanted."""
    if not wanted:
        return 0.0
    return len(wanted.intersection(analyse(f"{passage.context}\n{passage.text}").codes)) / len(wanted)


def _scaled(values: Sequence[float | None]) -> list[float]:
    """Lowest to 0, highest to 1; what is missing counts as lowest, and equal values as 0."""
    known = [value for value in values if value is not None]
    low, high = min(known, default=0.0), max(known, default=0.0)
    span = high - low
    return [(value - low) / span if value is not None and span > 0 else 0.0 for value in values]
