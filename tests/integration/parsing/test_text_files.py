"""Text, Markdown, CSV and web pages."""

from __future__ import annotations

from pathlib import Path

from ingest.limits import Limits
from ingest.model import BlockKind, Cause
from ingest.parsers.sections import UNIT_CHARACTERS
from tests.integration.parsing.files import blocks, cause_of, read, texts, write

_PAGE = """<!DOCTYPE html><html><head><title>Water  rules</title><style>p{}</style></head><body>
<nav>Home | About</nav><h1>Rules</h1><p>Test <b>twice</b>,<br>then tile.</p>
<ul><li>first<ul><li>inner</li></ul></li><li>second</li></ul>
<table><caption>Prices</caption><tr><th>Part<th>Year 1<th>Year 2</tr>
<tr><td rowspan=2>Paint<td colspan=2>85</tr><tr><td>90<td>95</tr></table>
<h2>质保</h2><div>五年。<p>例外见附件。</p></div>
<script>alert("no")</script><div hidden>secret</div><!-- remark --></body></html>"""


def test_paragraphs_of_text_know_their_lines(tmp_path: Path) -> None:
    parsed = read(write(tmp_path, "notes.txt", "one\ntwo\n\n\nthree\n"))
    assert [(block.text, block.place.lines) for block in blocks(parsed)] == [("one\ntwo", (1, 2)), ("three", (5, 5))]
    assert parsed.title == "notes"


def test_long_text_goes_on_in_further_units(tmp_path: Path) -> None:
    parsed = read(write(tmp_path, "long.txt", "一句话。" * 8_000))
    assert len(parsed.units) > 4
    assert [unit.ordinal for unit in parsed.units] == list(range(1, len(parsed.units) + 1))
    assert all(len(text) <= UNIT_CHARACTERS for text in texts(parsed))
    assert "".join(texts(parsed)) == "一句话。" * 8_000


def test_text_past_the_limit_is_named_as_left_out(tmp_path: Path) -> None:
    parsed = read(write(tmp_path, "a.txt", "word " * 100), limits=Limits(characters=40))
    assert len(parsed.units[0].text) <= 40
    assert "末尾部分未读取" in parsed.left_out[0]


def test_markdown_has_sections_by_heading_path(tmp_path: Path) -> None:
    front = "---\ntitle: x\n---\n# 手册 #\nIntro.\n\n## 防水\n刷两遍。\n\n"
    source = front + "Second\n------\nText.\n```\n# no heading\n\ncode\n```\n"
    parsed = read(write(tmp_path, "guide.md", source))
    assert parsed.title == "手册"
    assert [unit.place.headings for unit in parsed.units] == [("手册",), ("手册", "防水"), ("手册", "Second")]
    assert texts(parsed.units[2], BlockKind.TEXT) == ["Text.", "```\n# no heading\n\ncode\n```"]


def test_markdown_tables_keep_their_header_and_rows_their_lines(tmp_path: Path) -> None:
    source = "Parts:\n| Part | Price |\n|:--|--:|\n| Paint | 85 |\n| a \\| b | 90 |\n\nAfter."
    parsed = read(write(tmp_path, "t.md", source))
    rows = [block for block in blocks(parsed) if block.kind is BlockKind.TABLE]
    assert [(row.text, row.place.lines) for row in rows] == [("| Paint | 85 |", (2, 4)), ("| a \\| b | 90 |", (5, 5))]
    assert {row.header for row in rows} == {"| Part | Price |\n| --- | --- |"}
    assert texts(parsed, BlockKind.TEXT) == ["Parts:", "After."]
    assert parsed.counts["tables"] == 1


def test_csv_rows_know_their_lines_and_the_delimiter_is_found(tmp_path: Path) -> None:
    parsed = read(write(tmp_path, "p.csv", '型号;说明\nM-208;"两行\n文字"\n\nM-209;无\n'.encode("gb18030")))
    assert [(block.text, block.place.lines) for block in blocks(parsed)] == [
        ("| M-208 | 两行 文字 |", (1, 3)),
        ("| M-209 | 无 |", (5, 5)),
    ]
    assert parsed.counts == {"rows": 3, "tables": 1, "lines": 6}


def test_csv_past_the_limit_on_cells_is_named_as_left_out(tmp_path: Path) -> None:
    rows = "\n".join(f"{n},x" for n in range(100))
    parsed = read(write(tmp_path, "big.csv", rows), limits=Limits(cells=20))
    assert parsed.counts["rows"] == 11
    assert "只读到第 11 行" in parsed.left_out[0]


def test_a_web_page_is_what_a_reader_would_read(tmp_path: Path) -> None:
    parsed = read(write(tmp_path, "rules.html", _PAGE))
    assert parsed.title == "Water rules"
    assert texts(parsed) == [
        *("Rules", "Test twice,\nthen tile.", "- first", "- inner", "- second", "Prices"),
        *("| Paint | 85 | 85 |", "| Paint | 90 | 95 |"),
        *("质保", "五年。", "例外见附件。"),
    ]
    assert parsed.units[1].place.headings == ("Rules", "质保")
    assert "| Part | Year 1 | Year 2 |" in parsed.units[0].text


def test_a_web_page_says_its_encoding(tmp_path: Path) -> None:
    page = '<html><head><meta charset="big5"></head><body>價格</body></html>'.encode("big5")
    assert texts(read(write(tmp_path, "p.htm", page))) == ["價格"]


def test_a_deeply_nested_page_has_a_clear_cause(tmp_path: Path) -> None:
    page = "<html><body>" + "<div>" * 50_000 + "x" + "</div>" * 50_000
    assert cause_of(write(tmp_path, "deep.html", page)) is Cause.TOO_LARGE


def test_files_of_white_space_are_empty(tmp_path: Path) -> None:
    for name in ("a.txt", "a.md", "a.csv"):
        assert cause_of(write(tmp_path, name, " \n\t\n")) is Cause.EMPTY
    assert cause_of(write(tmp_path, "a.html", "<html><body><script>x()</script></body></html>")) is Cause.EMPTY
