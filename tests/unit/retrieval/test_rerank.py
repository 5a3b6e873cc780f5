"""The last ordering, by best sentence and exact codes."""

import numpy as np
import pytest

from retrieval.model import Modality, Passage, Place, ReadBy, Span
from retrieval.rerank import Weights, best_sentence, by_best_sentence

QUERY = np.array([1.0, 0.0], np.float32)


def passage(name: str, *sentences: tuple[float, float], text: str = "text", context: str = "") -> Passage:
    return Passage(
        chunk_id=name,
        document=name,
        version=f"{name}-v1",
        version_number=1,
        unit=1,
        title=name,
        text=text,
        context=context,
        place=Place(),
        read_by=ReadBy.TEXT_LAYER,
        modality=Modality.DOCUMENT,
        published_at="2026-11-30T09:00:00+00:00",
        sentences=tuple(Span(0, 1) for _ in sentences),
        sentence_vectors=np.array(sentences, np.float32).reshape(len(sentences), 2),
    )


def names(ranked):
    return [item.passage.chunk_id for item in ranked]


def rank(query, passages, *, words=None, wholes=None, vector=QUERY, weights=None):
    return by_best_sentence(
        query,
        vector,
        passages,
        word_scores=words or {},
        passage_scores=wholes or {},
        weights=weights or Weights(),
    )


def test_the_best_sentence_speaks_for_its_passage():
    assert best_sentence(passage("a", (0.0, 1.0), (0.8, 0.6)), QUERY) == pytest.approx(0.8)


def test_one_good_sentence_beats_two_fair_ones():
    ranked = rank("question", [passage("fair", (0.7, 0.7), (0.7, 0.7)), passage("good", (0.9, 0.1), (0.0, 1.0))])
    assert names(ranked) == ["good", "fair"]
    assert [item.similarity for item in ranked] == pytest.approx([0.9, 0.7])


def test_words_decide_between_equal_sentences():
    ranked = rank("question", [passage("a", (1, 0)), passage("b", (1, 0))], words={"a": 3.0, "b": 7.0})
    assert names(ranked) == ["b", "a"]


def test_a_candidate_that_a_channel_missed_counts_as_its_lowest():
    passages = [passage("missed", (1, 0)), passage("lowest", (1, 0)), passage("best", (1, 0))]
    scores = {item.passage.chunk_id: item.score for item in rank("q", passages, words={"lowest": 3.0, "best": 7.0})}
    assert scores["missed"] == scores["lowest"] < scores["best"]


def test_an_exact_code_stands_before_everything_else():
    other = passage("other", (1, 0), text="PPR-1044 was delivered")
    exact = passage("exact", (0, 1), text="Order PPR-9087")
    ranked = rank("PPR-9087", [other, exact], words={"other": 9.0}, wholes={"other": 0.9, "exact": 0.1})
    assert names(ranked) == ["exact", "other"]


def test_a_code_in_the_heading_counts():
    exact = passage("exact", (0, 1), text="Costs 12", context="Price list > M-208")
    assert names(rank("m208 price", [passage("other", (1, 0)), exact])) == ["exact", "other"]


def test_equals_are_ordered_by_id():
    assert names(rank("q", [passage("b", (1, 0)), passage("a", (1, 0))])) == ["a", "b"]


def test_without_a_vector_words_alone_decide():
    ranked = rank("q", [passage("a", (1, 0)), passage("b", (1, 0))], words={"b": 1.0, "a": 0.5}, vector=None)
    assert names(ranked) == ["b", "a"]
    assert [item.similarity for item in ranked] == [0.0, 0.0]


def test_a_passage_without_sentences_is_not_similar():
    assert best_sentence(passage("a"), QUERY) == 0.0


def test_nothing_gives_nothing():
    assert rank("q", []) == []
