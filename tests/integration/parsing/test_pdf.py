"""PDF files."""

from __future__ import annotations

from pathlib import Path

import pytest
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfgen.canvas import Canvas

from ingest.limits import Limits
from ingest.model import BlockKind, Cause
from ingest.parsers import pdf as reader
from ingest.parsers.source import Source
from tests.integration.parsing.files import blocks, cause_of, pdf, read, texts

_ROWS = [["型号", "品牌", "单价"], ["M-208", "东方雨虹", "85"], ["M-209", "德高", "79"]]


def _lines(x: int, top: int, words: list[str], size: int = 10) -> list[tuple[int, int, int, str]]:
    return [(x, top - number * (size + 4), size, text) for number, text in enumerate(words)]


def test_pages_are_units_with_their_number(tmp_path: Path) -> None:
    parsed = read(pdf(tmp_path, "policy.pdf", [[(50, 700, 10, "First page.")], [(50, 700, 10, "第二页。")]]))
    assert [(unit.place.page, unit.text) for unit in parsed.units] == [(1, "First page."), (2, "第二页。")]
    assert parsed.counts == {"pages": 2}
    assert parsed.title == "policy"


def test_wrapped_lines_are_joined_and_others_stay(tmp_path: Path) -> None:
    latin = [
        "The tiles are laid after the second coat has been dried for a full day and",
        "night, never before. Then the test is made.",
    ]
    han = ["卫生间防水层应当连续涂刷两遍，第一遍干透以后才可以涂刷第二遍，并且做二十四小", "时闭水试验。"]
    parsed = read(
        pdf(
            tmp_path,
            "w.pdf",
            [_lines(50, 700, latin) + _lines(50, 600, han) + _lines(50, 500, ["地址：上海", "电话：021"])],
        )
    )
    assert texts(parsed) == [" ".join(latin), "".join(han), "地址：上海\n电话：021"]


def test_a_word_wrapped_at_its_hyphen_stays_one_word(tmp_path: Path) -> None:
    lines = ["The tiles are laid after the second coat has been dried for a full self-", "levelling day."]
    (text,) = texts(read(pdf(tmp_path, "hyphen.pdf", [_lines(50, 700, lines)])))
    assert text.endswith("a full self-levelling day.")


def test_larger_letters_make_headings_also_for_the_next_page(tmp_path: Path) -> None:
    parsed = read(
        pdf(
            tmp_path,
            "h.pdf",
            [
                [(50, 780, 20, "售后手册"), (50, 740, 14, "保修"), *_lines(50, 700, ["保修五年。", "自验收起。"])],
                [
                    *_lines(50, 780, ["第二页仍属保修。", "谢谢。"]),
                    (50, 600, 14, "例外"),
                    *_lines(50, 560, ["人为损坏除外。"] * 2),
                ],
            ],
        )
    )
    found = [(block.kind, block.place.headings) for block in blocks(parsed)]
    assert found == [
        (BlockKind.HEADING, ("售后手册",)),
        (BlockKind.HEADING, ("售后手册", "保修")),
        (BlockKind.TEXT, ("售后手册", "保修")),
        (BlockKind.TEXT, ("售后手册", "保修")),
        (BlockKind.HEADING, ("售后手册", "例外")),
        (BlockKind.TEXT, ("售后手册", "例外")),
    ]


def test_ruled_tables_stand_in_their_place(tmp_path: Path) -> None:
    parsed = read(pdf(tmp_path, "t.pdf", [[(50, 780, 10, "Before."), (50, 740, _ROWS), (50, 600, 10, "After.")]]))
    before, table, after = blocks(parsed)
    assert (before.text, after.text) == ("Before.", "After.")
    assert table.header == "| 型号 | 品牌 | 单价 |\n| --- | --- | --- |"
    assert table.text == "| M-208 | 东方雨虹 | 85 |\n| M-209 | 德高 | 79 |"
    assert parsed.counts["tables"] == 1


def test_aligned_words_make_a_table_without_lines(tmp_path: Path) -> None:
    cells = [(50 + 150 * c, 700 - 16 * r, 10, text) for r, row in enumerate(_ROWS) for c, text in enumerate(row)]
    (table,) = blocks(read(pdf(tmp_path, "b.pdf", [cells])))
    assert table.kind is BlockKind.TABLE
    assert table.text == "| M-208 | 东方雨虹 | 85 |\n| M-209 | 德高 | 79 |"


def test_a_table_goes_on_at_the_top_of_the_next_page_with_its_header(tmp_path: Path) -> None:
    more = [[f"M-{n}", "德高公司", "79"] for n in range(300, 306)]
    first = [["型号", "品牌公司", "单价"], *([f"M-{n}", "德高公司", "85"] for n in range(200, 206))]
    parsed = read(pdf(tmp_path, "c.pdf", [[(50, 300, first)], [(50, 800, more)]]))
    tables = [block for block in blocks(parsed) if block.kind is BlockKind.TABLE]
    assert tables[1].header == tables[0].header
    assert tables[1].text.startswith("| M-300 | 德高公司 | 79 |")
    assert parsed.counts["tables"] == 1


def test_columns_are_read_one_after_the_other(tmp_path: Path) -> None:
    left = [f"left column line number {n} goes on here" for n in range(14)]
    right = [f"right column line number {n} goes on too" for n in range(14)]
    parsed = read(
        pdf(
            tmp_path,
            "two.pdf",
            [
                [
                    (50, 800, 10, "One line across both of the columns of this page, as titles are"),
                    *_lines(50, 770, left),
                    *_lines(310, 770, right),
                ]
            ],
        )
    )
    text = " ".join(parsed.units[0].text.split())
    assert text.index("left column line number 13") < text.index("right column line number 0")
    assert text.startswith("One line across")


def test_letters_printed_twice_for_boldness_are_read_once(tmp_path: Path) -> None:
    parsed = read(pdf(tmp_path, "bold.pdf", [[(50, 700, 10, "防水工程"), (50.3, 700, 10, "防水工程")]]))
    assert texts(parsed) == ["防水工程"]


def test_a_password_is_asked_for(tmp_path: Path) -> None:
    for name, password in (("locked.pdf", "secret"), ("open.pdf", "")):
        canvas = Canvas(str(tmp_path / name), encrypt=StandardEncryption(password, ownerPassword="owner", strength=128))
        canvas.drawString(50, 700, "Hello")
        canvas.save()
    assert cause_of(tmp_path / "locked.pdf") is Cause.ENCRYPTED
    assert texts(read(tmp_path / "open.pdf")) == ["Hello"]


def test_pages_without_a_text_layer_are_named(tmp_path: Path) -> None:
    path = tmp_path / "scan.pdf"
    canvas = Canvas(str(path))
    for number in range(5):
        if number in (1, 2, 4):
            canvas.rect(50, 50, 300, 300, fill=1)
        elif number == 0:
            canvas.drawString(50, 700, "Cover")
        canvas.showPage()
    canvas.save()
    parsed = read(path)
    assert [unit.place.page for unit in parsed.units] == [1]
    assert "pages 2–3, 5 " in parsed.left_out[0]
    assert parsed.counts["pages"] == 5


def test_no_text_at_all_is_no_text(tmp_path: Path) -> None:
    canvas = Canvas(str(tmp_path / "blank.pdf"))
    canvas.showPage()
    canvas.save()
    assert cause_of(tmp_path / "blank.pdf") is Cause.NO_TEXT


def test_damaged_files(tmp_path: Path) -> None:
    whole = pdf(tmp_path, "whole.pdf", [[(50, 700, 10, "Hello")]]).read_bytes()
    (tmp_path / "head.pdf").write_bytes(whole[:60])
    (tmp_path / "noise.pdf").write_bytes(b"%PDF-1.7\n" + bytes(range(256)) * 40)
    assert cause_of(tmp_path / "head.pdf") is Cause.DAMAGED
    assert cause_of(tmp_path / "noise.pdf") is Cause.DAMAGED


def test_pages_past_the_limit_are_named_as_left_out(tmp_path: Path) -> None:
    path = pdf(tmp_path, "long.pdf", [[(50, 700, 10, f"Page {n}")] for n in range(1, 6)])
    parsed = read(path, limits=Limits(pages=3))
    assert len(parsed.units) == 3
    assert parsed.left_out[0].startswith("Pages 4 to 5 were not read")


def test_a_page_that_the_layout_reader_fails_on_is_read_plainly(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = pdf(tmp_path, "odd.pdf", [[(50, 700, 10, "Hello there")]])

    def fail(*_arguments: object) -> None:
        raise KeyError("a font that is not there")

    monkeypatch.setattr(reader, "ruled_tables", fail)
    assert texts(read(path)) == ["Hello there"]


def test_progress_counts_pages(tmp_path: Path) -> None:
    told: list[tuple[int, int, str]] = []
    path = pdf(tmp_path, "p.pdf", [[(50, 700, 10, "a")], [(50, 700, 10, "b")]])
    reader.read_pdf(Source(path=path, name="p.pdf", progress=lambda *told_now: told.append(told_now)))
    assert told == [(1, 2, "pages"), (2, 2, "pages")]


def test_letters_set_apart_are_one_word_but_written_spaces_stay(tmp_path: Path) -> None:
    apart = [(50 + 14 * n, 700, 10, letter) for n, letter in enumerate("防水工程")]
    parsed = read(pdf(tmp_path, "apart.pdf", [[*apart, (50, 600, 10, "客户服务部 文件编号 3")]]))
    assert texts(parsed) == ["防水工程", "客户服务部 文件编号 3"]


def test_numbered_steps_stay_on_lines_of_their_own(tmp_path: Path) -> None:
    steps = [f"第{n}步，由客服登记工单以后再安排工程师上门，先拍照并且当场说明原因。" for n in "一二三"]
    assert texts(read(pdf(tmp_path, "steps.pdf", [_lines(50, 700, steps)]))) == ["\n".join(steps)]


def test_a_file_that_only_one_of_the_readers_opens_is_still_read(tmp_path: Path) -> None:
    whole = pdf(tmp_path, "whole.pdf", [[(50, 700, 10, "Hello there")]]).read_bytes()
    torn = tmp_path / "torn.pdf"
    torn.write_bytes(whole.replace(b"/MediaBox [ 0 0 595 842 ]", b"/MediaBox [ 0 0 (a) 842 ]"))
    assert texts(read(torn)) == ["Hello there"]
