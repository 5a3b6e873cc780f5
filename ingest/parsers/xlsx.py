"""Excel workbooks: tables by sheet, each row with its cells, the header repeated."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from itertools import product
from typing import Any

from lxml.etree import XMLSyntaxError
from openpyxl import load_workbook
from openpyxl.utils.exceptions import InvalidFileException
from openpyxl.worksheet.worksheet import Worksheet

from ingest.model import Block, BlockKind, Cause, Parsed, Unit, Unreadable
from ingest.parsers import notes
from ingest.parsers.source import Source
from ingest.places import cells, union
from ingest.tables import header_of, row_of
from retrieval.model import Modality, Place

ROWS_PER_UNIT = 100
_MERGED_CELLS = 1_000
"""A larger merged range is not followed past the last cell that holds anything."""

_CELL = re.compile(rb"<(?:\w+:)?c[ />]")
_FORMULA_WITHOUT_VALUE = re.compile(rb"(?:</f>|<f[^<>]*/>)\s*(?:<v\s*/>|<v>\s*</v>)?\s*</c>")
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
    uncomputed = _scan(source)
    try:
        # Given a path, openpyxl judges by the ending of its name, which says nothing here.
        with source.path.open("rb") as file:
            workbook = load_workbook(file, data_only=True)
    except (InvalidFileException, zipfile.BadZipFile, XMLSyntaxError, KeyError, ValueError, TypeError) as error:
        raise Unreadable(Cause.DAMAGED, f"xlsx: {type(error).__name__}") from error
    units: list[Unit] = []
    hidden = [sheet.title for sheet in workbook.worksheets if sheet.sheet_state != "visible"]
    visible = [sheet for sheet in workbook.worksheets if sheet.sheet_state == "visible"]
    tables = 0
    for number, sheet in enumerate(visible, 1):
        for region in _regions(_rows(sheet)):
            blocks = list(_blocks(sheet.title, region))
            tables += any(block.kind is BlockKind.TABLE for block in blocks)
            for start in range(0, len(blocks), ROWS_PER_UNIT):
                part = tuple(blocks[start : start + ROWS_PER_UNIT])
                units.append(Unit(len(units) + 1, union([block.place for block in part]), part))
        source.progress(number, len(visible), "sheets")
    if not units:
        raise Unreadable(Cause.EMPTY, "no value in any visible sheet")
    left_out = [notes.hidden_sheets(hidden)] if hidden else []
    if uncomputed:
        left_out.append(notes.formulas(uncomputed))
    counts = {"sheets": len(visible), "tables": tables}
    return Parsed(source.title, Modality.DOCUMENT, tuple(units), tuple(left_out), counts)


def _scan(source: Source) -> int:
    """Counts formulas without a stored value, in one pass that also refuses workbooks of too many cells: openpyxl
    needs half a kilobyte for each."""
    cell_count = uncomputed = 0
    with zipfile.ZipFile(source.path) as archive:
        for name in archive.namelist():
            if not name.startswith("xl/worksheets/") or not name.endswith(".xml"):
                continue
            with archive.open(name) as part:
                rest = b""
                while piece := part.read(1 << 20):
                    rest += piece
                    end = rest.rfind(b"</row>") + 1
                    cell_count += len(_CELL.findall(rest, 0, end))
                    uncomputed += len(_FORMULA_WITHOUT_VALUE.findall(rest, 0, end))
                    rest = rest[end:]
            if cell_count > source.limits.cells:
                raise Unreadable(Cause.TOO_LARGE, f"{cell_count} cells and more")
    return uncomputed


def _rows(sheet: Worksheet) -> list[_Row]:
    """Rows that hold anything. Cells are taken as stored: iterating would create each cell of a sparse sheet."""
    stored = sheet._cells  # noqa: SLF001
    texts = {at: text for at, cell in stored.items() if (text := _text(cell.value, cell.number_format))}
    last_row, last_column = (max((at[axis] for at in texts), default=0) for axis in (0, 1))
    for merged in sheet.merged_cells.ranges:
        shared = texts.get((merged.min_row, merged.min_col))
        if shared is None:
            continue
        is_small = merged.size["rows"] * merged.size["columns"] <= _MERGED_CELLS
        bottom = merged.max_row if is_small else min(merged.max_row, last_row)
        right = merged.max_col if is_small else min(merged.max_col, last_column)
        for row, column in product(range(merged.min_row, bottom + 1), range(merged.min_col, right + 1)):
            texts[row, column] = shared
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
