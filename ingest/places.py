"""Arithmetic of places: the smallest place that holds several, and ranges of cells."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile

from retrieval.model import Place

_CELLS = re.compile(r"([A-Z]+)(\d+)(?::([A-Z]+)(\d+))?")


def cells(first_column: int, first_row: int, last_column: int, last_row: int) -> str:
    """A range such as ``A1:D4`` (columns and rows count from 1), or ``A1`` when it is one cell."""
    first, last = (f"{_letters(c)}{r}" for c, r in ((first_column, first_row), (last_column, last_row)))
    return first if first == last else f"{first}:{last}"


def union(places: Sequence[Place]) -> Place:
    """The smallest place that holds all of ``places`` (at least one), which are of the same unit."""
    first = places[0]
    if all(place == first for place in places):
        return first
    lines = [place.lines for place in places if place.lines]
    starts = [place.start_ms for place in places if place.start_ms is not None]
    ends = [place.end_ms for place in places if place.end_ms is not None]
    return Place(
        page=first.page,
        slide=first.slide,
        sheet=first.sheet,
        cells=_cells_union([place.cells for place in places if place.cells]),
        headings=_common_path([place.headings for place in places]),
        lines=(min(a for a, _ in lines), max(b for _, b in lines)) if lines else None,
        start_ms=min(starts, default=None),
        end_ms=max(ends, default=None),
    )


def _cells_union(ranges: Sequence[str]) -> str | None:
    found = [corners(text) for text in ranges]
    if not found:
        return None
    left, top, right, bottom = zip(*found, strict=True)
    return cells(min(left), min(top), max(right), max(bottom))


def corners(text: str) -> tuple[int, int, int, int]:
    """First column and row, last column and row of a range. Raises ValueError for anything else."""
    match = _CELLS.fullmatch(text)
    if not match:
        raise ValueError(f"not a range of cells: {text!r}")
    left, top, right, bottom = match.groups()
    first = _column(left)
    return first, int(top), _column(right) if right else first, int(bottom or top)


def _letters(column: int) -> str:
    letters = ""
    while column:
        column, rest = divmod(column - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters


def _column(letters: str) -> int:
    column = 0
    for letter in letters:
        column = column * 26 + ord(letter) - ord("A") + 1
    return column


def _common_path(paths: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    levels = zip(*paths, strict=False)
    return tuple(level[0] for level in takewhile(lambda level: len(set(level)) == 1, levels))
