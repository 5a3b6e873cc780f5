"""Measures of rankings, against values worked out by hand."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.evaluation.metrics import Ranking, figures, ndcg, recall


def ranking(found, gold, seconds=0.01):
    return Ranking(tuple(found), dict.fromkeys(gold, 1.0), seconds)


def test_recall_is_the_share_of_the_right_ones():
    assert recall(ranking("axb", "ab"), 1) == 0.5
    assert recall(ranking("axb", "ab"), 2) == 0.5
    assert recall(ranking("axb", "ab"), 3) == 1.0
    assert recall(ranking("", "ab"), 5) == 0.0


def test_ndcg_by_hand():
    found = ranking("xab", "ab")
    assert ndcg(found, 10) == pytest.approx((1 / math.log2(3) + 1 / 2) / (1 + 1 / math.log2(3)))
    assert ndcg(ranking("ab", "ab"), 10) == 1.0
    assert ndcg(ranking("xxxxxxxxxxa", "a"), 10) == 0.0


def test_better_answers_count_more():
    gold = {"good": 2.0, "fair": 1.0}
    assert ndcg(Ranking(("good", "fair"), gold, 0), 10) == 1.0
    assert ndcg(Ranking(("fair", "good"), gold, 0), 10) == pytest.approx(
        (1 + 2 / math.log2(3)) / (2 + 1 / math.log2(3))
    )


def test_figures_are_means_over_the_questions():
    result = figures([ranking("ab", "ab", 0.010), ranking("xa", "ab", 0.030)])
    assert result["queries"] == 2
    assert result["recall@1"] == 0.25
    assert result["recall@2"] == 0.75
    assert result["all_gold@5"] == 0.5
    assert (result["search_ms_p50"], result["search_ms_p95"]) == (10.0, 30.0)
    assert list(result) == [
        "recall@1",
        "recall@2",
        "recall@5",
        "recall@10",
        "ndcg@10",
        "all_gold@5",
        "queries",
        "search_ms_p50",
        "search_ms_p95",
    ]


@given(st.lists(st.sampled_from("abcdefgh"), unique=True), st.sets(st.sampled_from("abcdefgh"), min_size=1))
def test_measures_stay_within_bounds_and_grow_with_depth(found, gold):
    item = ranking(found, gold)
    values = [recall(item, k) for k in range(1, 10)]
    assert values == sorted(values)
    assert 0 <= ndcg(item, 10) <= 1 + 1e-9
