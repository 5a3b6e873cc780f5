"""Markdown rows."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ingest.tables import cells_of, header_of, row_of


def test_a_row_is_one_line_whatever_its_cells_hold() -> None:
    assert row_of(["a\nb", " c ", "", "d | e"]) == "| a b | c |  | d \\| e |"


def test_a_header_has_a_rule_of_its_width() -> None:
    assert header_of(["型号", "价格"]) == "| 型号 | 价格 |\n| --- | --- |"


@given(st.lists(st.text(alphabet="ab |\n海", max_size=8), min_size=1, max_size=5))
def test_cells_are_read_back_as_written_but_for_white_space(values: list[str]) -> None:
    assert cells_of(row_of(values)) == [" ".join(value.split()) for value in values]
