"""Presentations and workbooks."""

from __future__ import annotations

import io
from datetime import date, datetime, time, timedelta
from pathlib import Path

from openpyxl import Workbook
from openpyxl.utils.datetime import CALENDAR_MAC_1904, CALENDAR_WINDOWS_1900
from PIL import Image
from pptx import Presentation
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches

from ingest.limits import Limits
from ingest.model import BlockKind, Cause
from ingest.parsers.xlsx import ROWS_PER_UNIT
from tests.integration.parsing.files import blocks, cause_of, member, read, repacked, texts

_BOX = (Inches(1), Inches(3), Inches(4), Inches(1))


def _slide(deck: object, title: str) -> object:
    slide = deck.slides.add_slide(deck.slide_layouts[5])  # type: ignore[attr-defined]  # python-pptx is untyped
    slide.shapes.title.text = title
    return slide


def test_slides_are_units_with_notes_apart(tmp_path: Path) -> None:
    deck = Presentation()
    slide = _slide(deck, "安全培训")
    slide.shapes.add_textbox(Inches(1), Inches(5), Inches(3), Inches(1)).text_frame.text = "low"
    group = slide.shapes.add_group_shape()
    group.shapes.add_textbox(Inches(1), Inches(2), Inches(3), Inches(1)).text_frame.text = "high"
    slide.notes_slide.notes_text_frame.text = "只给讲者"
    _slide(deck, "Second")
    deck.save(str(tmp_path / "a.pptx"))
    parsed = read(tmp_path / "a.pptx")
    assert [(block.kind, block.text, block.place.headings) for block in blocks(parsed.units[0])] == [
        (BlockKind.HEADING, "安全培训", ("安全培训",)),
        (BlockKind.TEXT, "high", ("安全培训",)),
        (BlockKind.TEXT, "low", ("安全培训",)),
        (BlockKind.TEXT, "只给讲者", ("安全培训", "Notes")),
    ]
    assert [(unit.place.slide, unit.text.splitlines()[0]) for unit in parsed.units] == [(1, "安全培训"), (2, "Second")]
    assert parsed.counts == {"slides": 2}


def test_tables_and_charts_of_slides(tmp_path: Path) -> None:
    deck = Presentation()
    slide = _slide(deck, "Prices")
    table = slide.shapes.add_table(3, 2, *_BOX).table
    for index, text in enumerate(("Part", "Price", "Paint", "85", "Tile", "90")):
        table.cell(index // 2, index % 2).text = text
    table.cell(1, 1).merge(table.cell(2, 1))
    data = CategoryChartData()
    data.categories = ["2024", "2025"]
    data.add_series("Sales", (1.5, 2))
    _slide(deck, "Chart").shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, *_BOX, data)
    deck.save(str(tmp_path / "a.pptx"))
    parsed = read(tmp_path / "a.pptx")
    tables = [block for block in blocks(parsed) if block.kind is BlockKind.TABLE]
    assert tables[0].text == "| Paint | 85 90 |\n| Tile | 85 90 |"
    assert tables[0].header.startswith("| Part | Price |")
    assert tables[1].text == "| 2024 | 1.5 |\n| 2025 | 2 |"
    assert parsed.counts == {"slides": 2, "tables": 2}


def test_hidden_slides_pictures_and_slides_past_the_limit_are_named(tmp_path: Path) -> None:
    deck = Presentation()
    picture = io.BytesIO()
    Image.new("RGB", (4, 4)).save(picture, "PNG")
    _slide(deck, "One").shapes.add_picture(picture, 0, 0)
    _slide(deck, "Two").element.set("show", "0")
    _slide(deck, "Three")
    deck.save(str(tmp_path / "a.pptx"))
    parsed = read(tmp_path / "a.pptx", limits=Limits(pages=2))
    assert texts(parsed) == ["One"]
    assert [note.split(" / ")[0] for note in parsed.left_out] == [
        "Hidden slides were not read: 2.",
        "Slides 3 to 3 were not read: the file is too long.",
        "1 picture was not read.",
    ]


def test_a_deck_without_text(tmp_path: Path) -> None:
    deck = Presentation()
    deck.slides.add_slide(deck.slide_layouts[6])
    deck.save(str(tmp_path / "a.pptx"))
    assert cause_of(tmp_path / "a.pptx") is Cause.EMPTY
    assert cause_of(repacked(tmp_path / "a.pptx", "b.pptx", {"ppt/presentation.xml": b"<p"})) is Cause.DAMAGED


def _saved(book: Workbook, folder: Path, name: str = "a.xlsx") -> Path:
    book.save(folder / name)
    return folder / name


def test_rows_know_their_cells_and_repeat_the_header(tmp_path: Path) -> None:
    book = Workbook()
    sheet = book.active
    sheet.title = "价目"
    sheet["B2"] = "2026 年价目表"
    sheet.merge_cells("B2:D2")
    for row in (("型号", "单价", "折扣"), ("M-208", 85, 0.125), ("M-209", 79.5, 0.1)):
        sheet.append([None, *row])
    for cell in sheet["D"]:
        cell.number_format = "0.0%"
    sheet["A8"], sheet["B8"] = "Contact", "Li Lei"
    parsed = read(_saved(book, tmp_path))
    assert [(block.text, block.place.cells) for block in blocks(parsed)] == [
        ("2026 年价目表", "B2:D2"),
        ("| M-208 | 85 | 12.5% |", "B3:D4"),
        ("| M-209 | 79.5 | 10.0% |", "B5:D5"),
        ("| Contact | Li Lei |", "A8:B8"),
    ]
    assert blocks(parsed)[2].header == "| 型号 | 单价 | 折扣 |\n| --- | --- | --- |"
    assert [(unit.place.sheet, unit.place.cells) for unit in parsed.units] == [("价目", "B2:D5"), ("价目", "A8:B8")]
    assert parsed.counts == {"sheets": 1, "tables": 2}


def test_a_merged_value_belongs_to_its_whole_range(tmp_path: Path) -> None:
    book = Workbook()
    sheet = book.active
    for row in (("区域", "材料", "单位"), ("卫生间", "涂料", "桶"), (None, "胶", "支")):
        sheet.append(row)
    sheet.merge_cells("A2:A3")
    sheet.merge_cells("C2:C3")
    path = _saved(book, tmp_path)
    whole_column = member(path, "xl/worksheets/sheet1.xml").replace(b"C2:C3", b"C2:C1048576")
    path = repacked(path, "b.xlsx", {"xl/worksheets/sheet1.xml": whole_column})
    assert texts(read(path)) == ["| 卫生间 | 涂料 | 桶 |", "| 卫生间 | 胶 | 桶 |"]


def test_values_are_written_as_people_read_them(tmp_path: Path) -> None:
    moment = datetime(2021, 1, 1, 8, 30)  # noqa: DTZ001  # cells have no zone
    for epoch, name in ((CALENDAR_WINDOWS_1900, "1900.xlsx"), (CALENDAR_MAC_1904, "1904.xlsx")):
        book = Workbook()
        book.epoch = epoch
        book.active.append([date(2021, 1, 1), moment, time(9, 5), timedelta(hours=30), 0.1 + 0.2, True])
        (row,) = texts(read(_saved(book, tmp_path, name)))
        assert row == "| 2021-01-01 | 2021-01-01 08:30 | 09:05:00 | 30:00:00 | 0.3 | TRUE |"


def test_long_sheets_go_on_in_further_units(tmp_path: Path) -> None:
    book = Workbook()
    for number in range(ROWS_PER_UNIT * 2 + 1):
        book.active.append([f"n{number}", number])
    parsed = read(_saved(book, tmp_path))
    assert [unit.place.cells for unit in parsed.units] == ["A1:B101", "A102:B201"]
    assert all(unit.text.startswith("| n0 | 0 |\n| --- |") for unit in parsed.units)


def test_hidden_sheets_and_formulas_without_a_value_are_named(tmp_path: Path) -> None:
    book = Workbook()
    book.active.append([1, "=A1+1", "=A1+2"])
    secret = book.create_sheet("底价")
    secret["A1"] = "secret"
    secret.sheet_state = "hidden"
    parsed = read(_saved(book, tmp_path))
    assert texts(parsed) == ["1"]
    assert "“底价”" in parsed.left_out[0]
    assert parsed.left_out[1].startswith("2 formulas have no stored value")


def test_a_cell_far_away_costs_nothing(tmp_path: Path) -> None:
    book = Workbook()
    book.active["A1"] = "near"
    book.active["XFD1048576"] = "far"
    assert [block.place.cells for block in blocks(read(_saved(book, tmp_path)))] == ["A1", "XFD1048576"]


def test_workbooks_that_cannot_be_read(tmp_path: Path) -> None:
    book = Workbook()
    empty = _saved(book, tmp_path)
    assert cause_of(empty) is Cause.EMPTY
    assert cause_of(repacked(empty, "b.xlsx", {"xl/workbook.xml": b"<workbook"})) is Cause.DAMAGED
    for number in range(50):
        book.active.append([number] * 10)
    assert cause_of(_saved(book, tmp_path, "c.xlsx"), limits=Limits(cells=400)) is Cause.TOO_LARGE
