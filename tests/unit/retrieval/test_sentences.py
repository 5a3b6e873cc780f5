"""Sentences of English, Chinese and mixed text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.sentences import split

_CASES = [
    ("It leaks. Call us! Who pays?", ["It leaks.", "Call us!", "Who pays?"]),
    ("Mr. Smith paid $3.50 to Acme Inc. yesterday.", ["Mr. Smith paid $3.50 to Acme Inc. yesterday."]),
    ("It was built by Acme Inc. The roof came later.", ["It was built by Acme Inc.", "The roof came later."]),
    ("The U.S. Army left. In the U.S. The rest stayed.", ["The U.S. Army left.", "In the U.S.", "The rest stayed."]),
    ("J. R. Tolkien wrote it, e.g. Chapter 1.", ["J. R. Tolkien wrote it, e.g. Chapter 1."]),
    (
        "Use v2.0.1 or 3.5 mm. See https://a.b/c?d=1. Done.",
        ["Use v2.0.1 or 3.5 mm.", "See https://a.b/c?d=1.", "Done."],
    ),
    ("No. 5 is fine. No. That is wrong.", ["No. 5 is fine.", "No.", "That is wrong."]),
    ('He said "Stop." Then he left.', ['He said "Stop."', "Then he left."]),
    ("防水两遍。谁供货？东方雨虹！价格3.5元；另议", ["防水两遍。", "谁供货？", "东方雨虹！", "价格3.5元；", "另议"]),
    ("他说：“先闭水试验。”然后走了……再说", ["他说：“先闭水试验。”", "然后走了……", "再说"]),
    ("完成.下一步 ok?好的", ["完成.", "下一步 ok?", "好的"]),
    ("1. Install it. Then run.\n2. Check", ["1. Install it.", "Then run.", "2. Check"]),
    ("- one\n- two\nwrapped and\ngoes on.", ["- one", "- two\nwrapped and\ngoes on."]),
    ("地址：上海路 1 号\n电话：021-5555", ["地址：上海路 1 号", "电话：021-5555"]),
    ("| a | b. C |\n| --- | :-: |\n| 1. 2 | 3 |\nAfter.", ["| a | b. C |\n| --- | :-: |", "| 1. 2 | 3 |", "After."]),
    ("Price:\nlow", ["Price:", "low"]),
    ("", []),
    (" \n\t ", []),
]


@pytest.mark.parametrize(("text", "wanted"), _CASES, ids=[case[0][:20] for case in _CASES])
def test_sentences(text: str, wanted: list[str]) -> None:
    assert [text[span.start : span.end] for span in split(text)] == wanted


_PUNCTUATION = ["。", "……", "”", '"', "?", "!", ". ", "；", "\n", "\n\n", "\r\n", " ", "\u3000", "\u2028", "\x1c"]
_WORDS = [
    "Mr. ",
    "e.g. ",
    "3.5",
    "| a | b |\n",
    "|---|\n",
    "- ",
    "1. ",
    "Acme",
    "the ",
    "海棠",
    "http://a.b/?c",
    "U.S. ",
]
_PIECES = st.sampled_from([*_PUNCTUATION, *_WORDS])


@given(st.one_of(st.lists(_PIECES, max_size=30).map("".join), st.text(max_size=80)))
def test_sentences_cover_all_that_is_not_blank_in_order_once(text: str) -> None:
    spans = split(text)
    covered = 0
    for span in spans:
        assert not text[covered : span.start].strip()
        piece = text[span.start : span.end]
        assert piece
        assert piece == piece.strip()
        covered = span.end
    assert not text[covered:].strip()
