"""Content terms and how much of them a text covers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.agent.offline.terms import TermsOf, content_terms, coverage, exact_terms, letters, rarity, stem


@pytest.mark.parametrize(
    ("question", "terms"),
    [
        ("防水材料由谁供货？", {"防水", "水材", "材料", "供货"}),
        ("海棠 A 户型", {"海棠", "a", "户型"}),
        ("What is the warranty of M-208?", {"warrant", "m-208", "208"}),
        ("How many days of annual leave do we get?", {"day", "annual", "leav"}),
    ],
)
def test_words_of_asking_are_no_content(question: str, terms: set[str]) -> None:
    assert {term.replace("warranti", "warrant") for term in content_terms(question)} == terms


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("海棠 A 户型", {"a"}),
        ("house type B and A?", {"a", "b"}),
        ("A house", set()),
        ("May I ask", set()),
        ("WO-2026-0948 的状态", set()),
        ("GC-208 与 L-02", set()),
        ("plan A-1, R&D, vitamin C.", {"c"}),
    ],
)
def test_letters_that_name_a_thing(text: str, found: set[str]) -> None:
    assert letters(text) == found


def test_an_article_is_no_house_type() -> None:
    assert "a" not in TermsOf("A leak in a flat")
    assert "a" in TermsOf("House type A")
    assert "a" in TermsOf("海棠A户型")


def test_numbers_and_codes_are_exact() -> None:
    assert set(exact_terms(content_terms("Was M-208 sold in 2024?"))) == {"m-208", "208", "2024"}


@pytest.mark.parametrize(
    ("one", "other"), [("supplies", "supply"), ("sealed", "seals"), ("tiles", "tile"), ("policies", "policy")]
)
def test_one_stem(one: str, other: str) -> None:
    assert stem(one) == stem(other)


def test_codes_have_no_stem() -> None:
    assert stem("a1s") == "a1s"


def test_rare_terms_weigh_more() -> None:
    texts = [TermsOf("海棠 防水"), TermsOf("海棠 地板"), TermsOf("海棠 瓷砖")]
    weights = rarity(("海棠", "防水", "吊顶"), texts)
    assert weights["海棠"] < weights["防水"] < weights["吊顶"]


@given(st.text(max_size=60), st.text(max_size=200))
def test_coverage_is_a_share(question: str, text: str) -> None:
    texts = [TermsOf(text), TermsOf(question)]
    weights = rarity(content_terms(question), texts)
    assert 0 <= coverage(weights, texts[0]) <= 1 + 1e-9


@given(
    st.lists(st.sampled_from(["防水材料", "海棠", "A", "M-208", "warranty", "tiles", "2024"]), min_size=1, max_size=5)
)
def test_a_text_covers_its_own_terms(words: list[str]) -> None:
    question = " ".join(words)
    text = TermsOf(question)
    assert coverage(rarity(content_terms(question), [text]), text) == pytest.approx(1 if content_terms(question) else 0)
