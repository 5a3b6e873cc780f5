"""Excel workbooks: tables by sheet, each row with its cells, the header repeated."""

from __future__ import annotations

import re
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from itertools import product
from typing import Any

from openpyxl import load_workbook
from openpyxl.utils.exceptions import InvalidFileException

from ingest.model import Block, BlockKind, Cause, Parsed, Unit, Unreadable
from ingest.parsers import notes
from ingest.parsers.source import Source
from ingest.parsers.xlsx_scan import scan
from ingest.places import cells, corners, union
from ingest.tables import header_of, row_of
from retrieval.model import Modality, Place

ROWS_PER_UNIT = 100
_MERGED_CELLS = 1_000
"""A larger merged range is not followed past the last cell that holds anything."""

_PERCENT = re.compile(r"0(?:\.(0+))?%")


@dataclass(frozen=True, slots=True)
class _Row:
    """A row of the sheet: its number and its texts by column; merged cells hold their range's value."""

    number: int
    texts: dict[int, str]


def read_xlsx(source: Source) -> Parsed:
    """Visible sheets as tables with cell places, values as they were computed when the file was saved.

    Raises Unreadable: DAMAGED, TOO_LARGE (more cells than the limit), EMPTY.
    """
    scanned = scan(source.path, most_cells=source.limits.cells)
    units: list[Unit] = []
    tables = 0
    # Given a path, openpyxl judges by the ending of its name, which says nothing here.
    with source.path.open("rb") as file:
        try:
            workbook = load_workbook(file, data_only=True, read_only=True)
            sheets: list[Any] = workbook.worksheets  # of the read-only kind, which is not in the type stubs
            hidden = [sheet.title for sheet in sheets if sheet.sheet_state != "visible"]
            visible = [sheet for sheet in sheets if sheet.sheet_state == "visible"]
            for number, sheet in enumerate(visible, 1):
                merged = scanned.merged.get(sheet._worksheet_path, [])  # noqa: SLF001  # nothing public names the part
                for region in _regions(_rows(sheet, merged)):
                    blocks = list(_blocks(sheet.title, region))
                    tables += any(block.kind is BlockKind.TABLE for block in blocks)
                    units += _units(blocks, len(units))
                source.progress(number, len(visible), "sheets")
        except (
            InvalidFileException,
            zipfile.BadZipFile,
            zlib.error,
            SyntaxError,
            LookupError,
            ValueError,
            TypeError,
        ) as error:
            raise Unreadable(Cause.DAMAGED, f"xlsx: {type(error).__name__}") from error
    if not units:
        raise Unreadable(Cause.EMPTY, "no value in any visible sheet")
    left_out = [notes.hidden_sheets(hidden)] if hidden else []
    if scanned.uncomputed:
        left_out.append(notes.formulas(scanned.uncomputed))
    counts = {"sheets": len(visible), "tables": tables}
    return Parsed(source.title, Modality.DOCUMENT, tuple(units), tuple(left_out), counts)


def _units(blocks: Sequence[Block], before: int) -> Iterator[Unit]:
    for start in range(0, len(blocks), ROWS_PER_UNIT):
        before += 1
        part = tuple(blocks[start : start + ROWS_PER_UNIT])
        yield Unit(before, union([block.place for block in part]), part)


def _rows(sheet: Any, merged: Sequence[str]) -> list[_Row]:
    """Rows that hold anything, with the value of a merged range in each of its places."""
    sheet.reset_dimensions()  # what the file says of its size is often wrong, and rows would be filled up to it
    texts = {
        (cell.row, cell.column): text
        for row in sheet.iter_rows()
        for cell in row
        if cell.value is not None and (text := _text(cell.value, cell.number_format))
    }
    last_row, last_column = (max((at[axis] for at in texts), default=0) for axis in (0, 1))
    for reference in merged:
        left, top, right, bottom = corners(reference)
        shared = texts.get((top, left))
        if shared is None:
            continue
        if (right - left + 1) * (bottom - top + 1) > _MERGED_CELLS:
            right, bottom = min(right, last_column), min(bottom, last_row)
        for at in product(range(top, bottom + 1), range(left, right + 1)):
            texts[at] = shared
    rows: dict[int, dict[int, str]] = {}
    for row, column in sorted(texts):
        rows.setdefault(row, {})[column] = texts[row, column]
    return [_Row(number, columns) for number, columns in rows.items()]


def _regions(rows: Sequence[_Row]) -> Iterator[list[_Row]]:
    """Rows that form one table: an empty row, or one that shares no column with the row before, begins another."""
    region: list[_Row] = []
    for row in rows:
        if region and (row.number > region[-1].number + 1 or not row.texts.keys() & region[-1].texts.keys()):
            yield region
            region = []
        region.append(row)
    if region:
        yield region


def _blocks(sheet: str, region: Sequence[_Row]) -> Iterator[Block]:
    """Leading rows of one value each as text, then the header with the rows below it. The first row of a table takes
    the header's cells into its place."""
    first = 0
    while first < len(region) - 1 and len(set(region[first].texts.values())) == 1:
        row = region[first]
        yield Block(BlockKind.TEXT, next(iter(row.texts.values())), _place(sheet, [row]))
        first += 1
    table = region[first:]
    columns = range(min(min(row.texts) for row in table), max(max(row.texts) for row in table) + 1)
    lines = [[row.texts.get(column, "") for column in columns] for row in table]
    if len(table) == 1:
        text = row_of(lines[0]) if len(columns) > 1 else lines[0][0]
        yield Block(BlockKind.TABLE if len(columns) > 1 else BlockKind.TEXT, text, _place(sheet, table))
        return
    header = header_of(lines[0])
    for number in range(1, len(table)):
        place = _place(sheet, table[number - (number == 1) : number + 1], columns)
        yield Block(BlockKind.TABLE, row_of(lines[number]), place, header)


def _place(sheet: str, rows: Sequence[_Row], columns: range | None = None) -> Place:
    first = columns[0] if columns else min(min(row.texts) for row in rows)
    last = columns[-1] if columns else max(max(row.texts) for row in rows)
    return Place(sheet=sheet, cells=cells(first, rows[0].number, last, rows[-1].number))


def _text(value: Any, number_format: str) -> str:
    """The value as people read it: ISO dates, percentages, no more digits than a float holds."""
    match value:
        case None:
            return ""
        case bool():
            return str(value).upper()
        case datetime():
            return value.date().isoformat() if value.time() == time() else value.isoformat(" ", "minutes")
        case timedelta():
            minutes, seconds = divmod(int(value.total_seconds()), 60)
            return f"{minutes // 60}:{minutes % 60:02}:{seconds:02}"
        case int() | float():
            percent = _PERCENT.search(number_format or "")
            return f"{value * 100:.{len(percent.group(1) or '')}f}%" if percent else f"{value:.15g}"
        case _:
            return str(value).strip()
