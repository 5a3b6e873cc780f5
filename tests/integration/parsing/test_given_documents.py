"""Files that other projects use to test their parsers, with the outcomes that are right for them."""

from __future__ import annotations

import pytest

from ingest.chunking import chunk
from ingest.model import BlockKind, Cause
from ingest.tables import cells_of
from retrieval.model import Modality
from tests.integration.parsing.files import blocks, cause_of, given, read, texts


def _cells(text: str) -> list[list[str]]:
    """The rows of all Markdown tables in a text, without rules and empty cells."""
    rows = (line for line in text.splitlines() if line.startswith("|") and set(line) - set("|-: "))
    return [[cell for cell in cells_of(row) if cell] for row in rows]


@pytest.mark.parametrize("name", ["SPARSE-2024-INV-1234_borderless_table", "REPAIR-2022-INV-001_multipage"])
def test_rows_of_tables_are_those_beside_the_pdf(name: str) -> None:
    parsed = read(given("documents", f"{name}.pdf"))
    found = [row for unit in parsed.units for row in _cells(unit.text)]
    wanted = _cells(given("documents", f"{name}.md").read_text("utf-8"))
    assert [row for row in wanted if row not in found] == []
    assert parsed.counts["pages"] == len(parsed.units)
    assert [unit.place.page for unit in parsed.units] == list(range(1, len(parsed.units) + 1))


def test_cells_of_a_borderless_table_stay_in_their_columns() -> None:
    parsed = read(given("documents", "SPARSE-2024-INV-1234_borderless_table.pdf"))
    (table,) = (block for block in blocks(parsed.units[0]) if block.kind is BlockKind.TABLE)
    assert table.header.startswith("| Product Code | Location | Expected | Actual | Variance | Status |")
    assert table.text.splitlines()[1] == "|  | B-07 |  | 289 | -23 |  |"


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("ocr_test.pdf", Cause.NO_TEXT),
        ("blank.pdf", Cause.NO_TEXT),
        ("empty.pdf", Cause.EMPTY),
        ("r6-user-password.pdf", Cause.ENCRYPTED),
        ("password_protected.xlsx", Cause.ENCRYPTED),
        ("gbk.zip", Cause.UNSUPPORTED),
        ("droste.zip", Cause.UNSUPPORTED),
    ],
)
def test_what_cannot_be_read(name: str, wanted: Cause) -> None:
    assert cause_of(given("documents", name)) is wanted


def test_an_empty_password_opens() -> None:
    assert texts(read(given("documents", "r6-empty-password.pdf"))) == ["pdf encryption test password: asdfzxcv"]


def test_lines_printed_twice_are_read_once() -> None:
    parsed = read(given("documents", "issue-71-duplicate-chars.pdf"))
    text = parsed.units[0].text
    assert "项目描述：负责四川省甘孜州丹巴磨子电站引水隧洞爆破方案优化设计及爆破震动监测工作。" in text
    assert "项项" not in text
    assert text.count("教育经历") == 1


@pytest.mark.parametrize("name", ["date.xlsx", "date_1904.xlsx"])
def test_dates_of_both_calendars(name: str) -> None:
    assert "2021-01-01" in read(given("documents", name)).units[0].text


def test_merged_values_belong_to_their_range() -> None:
    (unit,) = read(given("documents", "merge_cells.xlsx")).units
    assert unit.place.cells == "A1:D4"
    assert _cells(unit.text) == [
        ["Row Merge", "Row Merge", "Not Merged"],
        *[["Column Merge", *["Chunk Merged"] * 3]] * 3,
    ]


def test_tables_of_a_sheet_that_are_not_below_each_other() -> None:
    parsed = read(given("documents", "xlsx_06_edge_cases_.xlsx"))
    assert [(unit.place.sheet, unit.place.cells) for unit in parsed.units] == [
        ("missing_header_head", "A1:F4"),
        ("Attached_left", "A2:G5"),
        ("Diagonal", "A1:F4"),
        ("Diagonal", "G5:I7"),
    ]


def test_encodings() -> None:
    assert read(given("documents", "sample-chinese.txt")).units[0].text.startswith("維基大典（Wikipedia）者，網路為礎")
    assert texts(read(given("documents", "test_mskanji.csv")))[0] == "| 佐藤太郎 | 30 | 東京 |"


def test_word_tables_keep_rows_and_headers() -> None:
    tables = [b for b in blocks(read(given("documents", "word_tables.docx"))) if b.kind is BlockKind.TABLE]
    assert tables[0].header == "| Header 0.0 | Header 0.1 | Header 0.2 |\n| --- | --- | --- |"
    assert [row.text for row in tables[:2]] == [
        "| Cell 1.0 | Cell 1.1 | Cell 1.2 |",
        "| Cell 2.0 | Cell 2.1 | Cell 2.2 |",
    ]
    assert "| a | b | b |" in read(given("documents", "docx-tables.docx")).units[0].text
    rich = read(given("documents", "docx_rich_cells.docx"))
    assert "A; B; C Cell 1; Cell 2; Cell 3" in " ".join(texts(rich))
    assert rich.left_out == ("2 pictures were not read. / 2 张图片未读取。",)


def test_text_boxes_are_not_lost_and_comments_are_not_text() -> None:
    boxes = " ".join(texts(read(given("documents", "textbox.docx"))))
    assert boxes.count("A report must be submitted within 24 hours") == 1
    comments = read(given("documents", "docx_comments.docx"))
    assert texts(comments, BlockKind.TEXT) == [
        "This is the first paragraph that has a comment attached to it.",
        "This second paragraph also has a reviewer annotation.",
        "This third paragraph has no comments attached to it.",
        "This paragraph has an anonymous comment.",
    ]


def test_slides() -> None:
    (slide,) = read(given("documents", "fake-power-point-table.pptx")).units
    assert _cells(slide.text)[0] == ["Column 1", "Column 2", "Column 3"]
    parsed = read(given("documents", "test.pptx"))
    assert len(parsed.units) == parsed.counts["slides"] == 6
    assert "Comment 1\nComment 2:\nSub comment 2" in parsed.units[4].text


@pytest.mark.parametrize("name", ["header-test-doc.pdf", "test.xlsx", "textbox.docx", "test.pptx"])
def test_chunks_have_the_places_of_their_units(name: str) -> None:
    parsed = read(given("documents", name))
    assert parsed.modality is Modality.DOCUMENT
    chunks = chunk(parsed, document="d", version="v")
    assert {item.unit for item in chunks} == {unit.ordinal for unit in parsed.units}
    for item in chunks:
        place = parsed.units[item.unit - 1].place
        assert (item.place.page, item.place.slide, item.place.sheet) == (place.page, place.slide, place.sheet)
