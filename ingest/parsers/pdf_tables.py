"""Tables of a PDF page: ruled ones by their lines, the others by how their words are aligned."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pdfplumber.page import Page

from ingest.parsers.pdf_layout import Box, rows_of, segments_of, unwrapped

MOST_EDGES = 4_000
"""Drawings past this many edges are no tables, and looking for cells in them takes minutes."""


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of cell texts, and the box they stand in."""

    rows: list[list[str]]
    x0: float
    x1: float
    top: float
    bottom: float

    def holds(self, word: Box) -> bool:
        """Whether the middle of the word is inside."""
        x, y = (word.x0 + word.x1) / 2, (word.top + word.bottom) / 2
        return self.x0 <= x <= self.x1 and self.top <= y <= self.bottom


def ruled_tables(page: Page, words: Sequence[Box]) -> list[Table]:
    """Tables whose cells are drawn: two rows or more with two cells or more, and no cell that hides several columns."""
    if len(page.edges) > MOST_EDGES:
        return []
    tables = []
    for found in page.find_tables():
        x0, top, x1, bottom = found.bbox
        rows = [row for row in ([unwrapped(cell or "") for cell in row] for row in found.extract()) if any(row)]
        rows = _without_empty_columns(rows)
        if sum(len([*filter(None, row)]) >= 2 for row in rows) >= 2 and not _hides_columns(found.cells, words):
            tables.append(Table(rows, x0, x1, top, bottom))
    return tables


def aligned_tables(rows: Sequence[Sequence[Box]]) -> list[Table]:
    """Tables without lines: three rows or more, one below the other, whose pieces stand in the same columns."""
    segments = [segments_of(row) for row in rows]
    tables = []
    first = 0
    while first < len(segments):
        last = _last_row(segments, first)
        table = _aligned(segments[first : last + 1]) if last - first >= 2 else None
        if table:
            tables.append(table)
        first = last + 1
    return tables


def _last_row(rows: Sequence[Sequence[Box]], first: int) -> int:
    """The last of the rows from ``first`` that may be one table: several pieces each, or one between such rows."""
    last = first
    if len(rows[first]) < 2:
        return first
    for number in range(first + 1, len(rows)):
        before, row = rows[number - 1], rows[number]
        if row[0].top - before[0].bottom > 2 * row[0].size:
            break
        if len(row) >= 2:
            last = number
        elif number - last > 1:
            break
    return last


def _aligned(rows: Sequence[Sequence[Box]]) -> Table | None:
    columns = _columns(rows)
    if len(columns) < 2 or sum(len(row) >= 2 for row in rows) < 3:
        return None
    cells = [[""] * len(columns) for _ in rows]
    for row, texts in zip(rows, cells, strict=True):
        for segment in row:
            column = next((c for c, (x0, x1) in enumerate(columns) if x0 < segment.x1 and segment.x0 < x1), None)
            if column is None:
                return None
            texts[column] = f"{texts[column]} {segment.text}".strip()
    boxes = [segment for row in rows for segment in row]
    x0, x1 = min(box.x0 for box in boxes), max(box.x1 for box in boxes)
    return Table(cells, x0, x1, min(box.top for box in boxes), max(box.bottom for box in boxes))


def _columns(rows: Sequence[Sequence[Box]]) -> list[tuple[float, float]]:
    """The spans of the columns. Rows of many pieces come first; a piece across several columns spans them."""
    columns: list[tuple[float, float]] = []
    for row in sorted(rows, key=len, reverse=True):
        for segment in row:
            touched = [c for c in columns if c[0] < segment.x1 and segment.x0 < c[1]]
            if len(touched) > 1:
                continue
            span = (min([segment.x0, *(c[0] for c in touched)]), max([segment.x1, *(c[1] for c in touched)]))
            columns = sorted([*(c for c in columns if c not in touched), span])
    return columns


def _hides_columns(cells: Sequence[tuple[float, float, float, float]], words: Sequence[Box]) -> bool:
    """Whether a cell holds three lines or more that are themselves made of pieces set apart."""
    for x0, top, x1, bottom in cells:
        inside = [w for w in words if x0 <= (w.x0 + w.x1) / 2 <= x1 and top <= (w.top + w.bottom) / 2 <= bottom]
        if sum(len(segments_of(row)) >= 2 for row in rows_of(inside)) >= 3:
            return True
    return False


def _without_empty_columns(rows: Sequence[Sequence[str]]) -> list[list[str]]:
    kept = [number for number in range(len(rows[0])) if any(row[number] for row in rows)] if rows else []
    return [[row[number] for number in kept] for row in rows]
