"""Reciprocal rank fusion."""

from hypothesis import given
from hypothesis import strategies as st

from retrieval.fusion import K, reciprocal_ranks

ids = st.lists(st.sampled_from("ABCDEFGH"), unique=True)


def order(lists, **options):
    return [identifier for identifier, _score in reciprocal_ranks(lists, **options)]


def test_the_design_s_example():
    assert order({"one": ["A", "B", "C"], "two": ["B", "D", "A"]}) == ["B", "A", "D", "C"]


def test_ranks_count_from_one():
    assert reciprocal_ranks({"one": ["A"]}) == [("A", 1 / (K + 1))]


def test_a_heavier_list_decides():
    lists = {"one": ["A", "B"], "two": ["B", "A"]}
    assert order(lists, weights={"two": 2.0}) == ["B", "A"]
    assert order(lists, weights={"one": 2.0}) == ["A", "B"]


def test_an_id_named_twice_in_a_list_counts_once():
    assert reciprocal_ranks({"one": ["A", "A", "B"]}) == reciprocal_ranks({"one": ["A", "B"]})


def test_equals_stay_in_the_order_in_which_they_were_met():
    assert order({"one": ["X"], "two": ["Y"]}) == ["X", "Y"]


@given(ids)
def test_one_list_keeps_its_order(ranked):
    assert order({"one": ranked}) == ranked


@given(ids, ids)
def test_nothing_is_lost_or_invented(one, two):
    assert set(order({"one": one, "two": two})) == {*one, *two}


@given(ids, ids)
def test_scores_fall(one, two):
    scores = [score for _identifier, score in reciprocal_ranks({"one": one, "two": two})]
    assert scores == sorted(scores, reverse=True)


@given(ids, ids)
def test_better_in_both_lists_is_better(one, two):
    fused = order({"one": one, "two": two})
    for better in one:
        for worse in one[one.index(better) + 1 :]:
            if better in two and worse in two and two.index(better) < two.index(worse):
                assert fused.index(better) < fused.index(worse)
