"""Long answers go on in further messages, within Slack's limits and with nothing lost."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from handlers.neutralise import markdown
from handlers.splitting import BLOCK_LIMIT, MARKDOWN_LIMIT, expanded_blocks, split

LINES = [
    "word",
    "海棠防水材料。",
    "A sentence. ",
    "[12]",
    "[1]",
    " ",
    "\n",
    "\n\n",
    "# Head\n",
    "---\n",
    "| a | b |\n",
    "```\n",
    "x" * 40,
]
texts = st.lists(st.sampled_from(LINES), max_size=120).map("".join)


@given(texts, st.integers(60, 400))
def test_every_piece_fits_and_nothing_is_lost(text: str, limit: int) -> None:
    shown = markdown(text)
    pieces = split(shown, limit=limit)
    assert all(len(piece) <= limit for piece in pieces)
    assert all(expanded_blocks(piece) <= BLOCK_LIMIT for piece in pieces)
    lost = re.sub(r"\s|```", "", shown), re.sub(r"\s|```", "", "".join(pieces))
    assert lost[0] == lost[1]
    assert all(len(re.findall(r"(?m)^```", piece)) % 2 == 0 for piece in pieces)


@given(st.integers(60, 200), st.integers(1, 80))
def test_a_citation_number_is_never_cut(limit: int, offset: int) -> None:
    text = "x" * offset + "[12]" * 100
    assert sum(len(re.findall(r"\[12\]", piece)) for piece in split(text, limit=limit)) == 100


def test_a_short_answer_is_one_message() -> None:
    assert split("Five years [1].") == ["Five years [1]."]


def test_the_cut_is_at_a_paragraph_where_one_ends() -> None:
    first, second = "a" * 7_000, "b" * 7_000
    assert split(f"{first}\n\n{second}") == [first, second]


def test_a_paragraph_that_is_too_long_is_cut_at_a_sentence() -> None:
    pieces = split("A short sentence. " * 2_000)
    assert len(pieces) == 4
    assert all(piece.rstrip().endswith("sentence.") for piece in pieces)
    assert all(len(piece) <= MARKDOWN_LIMIT for piece in pieces)


def test_many_headings_count_as_many_blocks() -> None:
    pieces = split("\n\n".join(f"# Part {number}\n\ntext" for number in range(60)))
    assert len(pieces) > 3
