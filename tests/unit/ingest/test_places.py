"""The smallest place that holds several, and cell ranges."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.places import cells, union
from retrieval.model import Place


@pytest.mark.parametrize(
    ("corners", "wanted"),
    [
        ((1, 1, 1, 1), "A1"),
        ((1, 2, 4, 20), "A2:D20"),
        ((26, 1, 27, 1), "Z1:AA1"),
        ((702, 1, 703, 1048576), "ZZ1:AAA1048576"),
    ],
)
def test_cells(corners: tuple[int, int, int, int], wanted: str) -> None:
    assert cells(*corners) == wanted


def test_union_of_cells_is_their_rectangle() -> None:
    places = [Place(sheet="S", cells="B2"), Place(sheet="S", cells="A5:C5"), Place(sheet="S", cells="AA3")]
    assert union(places) == Place(sheet="S", cells="A2:AA5")


def test_union_keeps_the_headings_that_all_share() -> None:
    places = [Place(page=3, headings=("A", "B")), Place(page=3, headings=("A", "C"))]
    assert union(places) == Place(page=3, headings=("A",))


def test_union_of_lines_and_times() -> None:
    assert union([Place(lines=(4, 6)), Place(lines=(1, 2))]) == Place(lines=(1, 6))
    assert union([Place(start_ms=0, end_ms=5), Place(start_ms=5, end_ms=9)]) == Place(start_ms=0, end_ms=9)


_COLUMN = st.integers(1, 18_000)
_ROW = st.integers(1, 1_048_576)


@given(st.lists(st.tuples(_COLUMN, _ROW), min_size=1, max_size=6))
def test_union_of_single_cells_spans_exactly_them(corners: list[tuple[int, int]]) -> None:
    columns, rows = zip(*corners, strict=True)
    wanted = cells(min(columns), min(rows), max(columns), max(rows))
    assert union([Place(cells=cells(c, r, c, r)) for c, r in corners]).cells == wanted
