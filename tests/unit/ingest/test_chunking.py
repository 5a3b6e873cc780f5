"""Chunks: by structure, then by length."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.chunking import CONTEXT_MOST, MOST, chunk, estimate
from ingest.model import Block, BlockKind, Parsed, Unit
from ingest.tables import header_of, row_of
from retrieval.model import Chunk, Modality, Place
from retrieval.sentences import split


def _text(text: str, *headings: str, **place: object) -> Block:
    return Block(BlockKind.TEXT, text, Place(headings=headings, **place))  # type: ignore[arg-type]  # fields by name


def _heading(text: str, *above: str) -> Block:
    return Block(BlockKind.HEADING, text, Place(headings=(*above, text)))


def _chunks(*blocks: Block, title: str = "手册") -> list[Chunk]:
    parsed = Parsed(title, Modality.DOCUMENT, (Unit(1, Place(page=1), blocks),))
    return chunk(parsed, document="d", version="v")


def _sentences(count: int, words: int = 12) -> str:
    return " ".join(f"Sentence {number} " + "word " * (words - 3) + "ends." for number in range(count))


def test_ids_count_within_the_version_and_are_the_same_every_time() -> None:
    blocks = [_text(_sentences(60), "A"), _text(_sentences(3), "B")]
    first = _chunks(*blocks)
    assert first == _chunks(*blocks)
    assert [item.chunk_id for item in first] == [f"v-{n}" for n in range(1, len(first) + 1)]
    assert {(item.document, item.version, item.unit) for item in first} == {("d", "v", 1)}


def test_a_heading_is_context_and_not_text() -> None:
    (only,) = _chunks(_heading("防水"), _heading("卫生间", "防水"), _text("刷两遍。", "防水", "卫生间"))
    assert only.text == "刷两遍。"
    assert only.context == "手册 > 防水 > 卫生间"


def test_a_heading_that_nothing_stands_below_is_text() -> None:
    first, second = _chunks(_heading("目录"), _heading("质保"), _text("五年。", "质保"))
    assert (first.text, second.text) == ("目录", "五年。")


def test_text_under_different_headings_is_never_in_one_chunk() -> None:
    assert [item.text for item in _chunks(_text("one", "A"), _text("two", "A"), _text("three", "B"))] == [
        "one\n\ntwo",
        "three",
    ]


def test_text_of_different_units_is_never_in_one_chunk() -> None:
    units = tuple(Unit(number, Place(page=number), (_text("same", page=number),)) for number in (1, 2))
    chunks = chunk(Parsed("t", Modality.DOCUMENT, units), document="d", version="v")
    assert [(item.unit, item.place.page) for item in chunks] == [(1, 1), (2, 2)]


def test_long_text_is_cut_between_sentences_into_pieces_of_about_one_length() -> None:
    chunks = _chunks(_text(_sentences(60)))
    assert len(chunks) > 1
    assert all(item.text.endswith("ends.") and item.text.startswith("Sentence") for item in chunks)
    costs = [estimate(item.text) for item in chunks]
    assert max(costs) <= MOST
    assert min(costs) > 0.6 * max(costs)
    assert " ".join(item.text for item in chunks) == _sentences(60)


def test_a_sentence_longer_than_a_chunk_is_cut_behind_a_comma() -> None:
    chunks = _chunks(_text("防水层应当连续，" * 120))
    assert len(chunks) > 1
    assert all(item.text.endswith("，") for item in chunks)


@pytest.mark.parametrize("text", ["x" * 9_000, "海" * 3_000, "7" * 5_000, "😀" * 2_000])
def test_text_without_any_end_is_still_cut(text: str) -> None:
    chunks = _chunks(_text(text))
    assert "".join(item.text for item in chunks) == text
    assert max(estimate(item.text) for item in chunks) <= MOST


def test_each_piece_of_a_table_repeats_its_header_and_knows_its_cells() -> None:
    header = header_of(["型号", "品牌", "价格"])
    rows = [
        Block(
            BlockKind.TABLE, row_of([f"M-{n}", "东方雨虹", f"{n} 元"]), Place(sheet="价目", cells=f"A{n}:C{n}"), header
        )
        for n in range(2, 80)
    ]
    chunks = _chunks(*rows)
    assert len(chunks) > 2
    assert all(item.text.startswith(header + "\n") and item.text.count(header) == 1 for item in chunks)
    assert chunks[0].place.cells is not None
    assert chunks[0].place.cells.startswith("A2:C")
    ends = [int(str(item.place.cells).split(":C")[1]) for item in chunks]
    starts = [int(str(item.place.cells).split(":")[0][1:]) for item in chunks]
    assert starts == [2, *(end + 1 for end in ends[:-1])]
    assert ends[-1] == 79


def test_a_table_follows_the_text_that_announces_it() -> None:
    table = Block(BlockKind.TABLE, "| a | 1 |\n| b | 2 |", Place(), header_of(["k", "v"]))
    (only,) = _chunks(_text("The parts are:"), table, _text("After."))
    assert only.text == "The parts are:\n\n| k | v |\n| --- | --- |\n| a | 1 |\n| b | 2 |\n\nAfter."
    assert [only.text[s.start : s.end] for s in only.sentences][1] == "| k | v |\n| --- | --- |"


def test_a_row_too_wide_for_a_chunk_names_its_values() -> None:
    names = [f"column {n}" for n in range(150)]
    table = Block(BlockKind.TABLE, row_of([f"value {n}" for n in range(150)]), Place(), header_of(names))
    chunks = _chunks(table)
    assert "column 149: value 149" in chunks[-1].text
    assert max(estimate(item.text) for item in chunks) <= MOST


def test_the_place_of_a_chunk_spans_what_it_is_made_of() -> None:
    (only,) = _chunks(_text("one", start_ms=0, end_ms=900), _text("two", start_ms=900, end_ms=2_500))
    assert (only.place.start_ms, only.place.end_ms) == (0, 2_500)


def test_context_stays_short_and_keeps_the_innermost_headings() -> None:
    path = [f"第{n}章 关于施工安全与材料验收的若干规定" for n in range(8)]
    (only,) = _chunks(_text("x", *path), title="很长的标题" * 60)
    assert estimate(only.context) <= CONTEXT_MOST + 2
    assert only.context.endswith(path[-1])
    assert only.context.startswith("很长的标题")


_WORDS = st.sampled_from(
    ["防水。", "涂料，", "Acme Inc. ", "v2.0 ", "word ", "ends. ", "\n", "\n\n", "| a | b |\n", "长" * 400, "y" * 900]
)


@settings(max_examples=60)
@given(st.lists(st.lists(_WORDS, max_size=120).map("".join), min_size=1, max_size=3))
def test_chunks_hold_all_text_once_and_fit(texts: list[str]) -> None:
    chunks = _chunks(*(_text(text) for text in texts))
    squeezed = ["".join(text.split()) for text in ("".join(texts), "".join(item.text for item in chunks))]
    assert squeezed[0] == squeezed[1]
    for item in chunks:
        assert estimate(item.text) <= MOST + 1e-6  # sums of fractions
        assert item.sentences == split(item.text)
        assert item.text == item.text.strip() != ""
