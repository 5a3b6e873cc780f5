"""Word documents."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from docx import Document
from docx.enum.style import WD_STYLE_TYPE
from docx.oxml import parse_xml
from PIL import Image

from ingest.model import BlockKind, Cause
from tests.integration.parsing.files import archive, blocks, cause_of, read, repacked, texts

_NS = (
    'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" '
    'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" '
    'xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape" '
    'xmlns:v="urn:schemas-microsoft-com:vml"'
)


def _paragraph(inner: str) -> object:
    return parse_xml(f"<w:p {_NS}>{inner}</w:p>")


def _run(text: str) -> str:
    return f'<w:r><w:t xml:space="preserve">{text}</w:t></w:r>'


def _saved(document: object, folder: Path, name: str = "a.docx") -> Path:
    document.save(str(folder / name))  # type: ignore[attr-defined]  # python-docx has no public class for it
    return folder / name


def test_headings_make_sections_and_lists_are_items(tmp_path: Path) -> None:
    document = Document()
    document.add_heading("海棠 A", 0)
    document.add_heading("防水", 1)
    document.add_paragraph("刷两遍。")
    document.add_heading("材料", 2)
    document.add_paragraph("涂料", style="List Bullet")
    parsed = read(_saved(document, tmp_path))
    assert parsed.title == "海棠 A"
    assert [unit.place.headings for unit in parsed.units] == [("防水",), ("防水", "材料")]
    assert texts(parsed) == ["海棠 A", "防水", "刷两遍。", "材料", "- 涂料"]


@pytest.mark.parametrize("name", ["heading 2", "标题 2"])
def test_headings_of_other_languages_and_derived_styles_count(tmp_path: Path, name: str) -> None:
    document = Document()
    styles = document.styles.element
    styles.append(parse_xml(f'<w:style {_NS} w:type="paragraph" w:styleId="9"><w:name w:val="{name}"/></w:style>'))
    styles.append(
        parse_xml(
            f'<w:style {_NS} w:type="paragraph" w:styleId="10"><w:name w:val="x"/><w:basedOn w:val="9"/></w:style>'
        )
    )
    body = document.element.body
    body.insert(0, _paragraph(f'<w:pPr><w:pStyle w:val="10"/></w:pPr>{_run("二级")}'))
    body.insert(1, _paragraph(f'<w:pPr><w:outlineLvl w:val="2"/></w:pPr>{_run("三级")}'))
    body.insert(2, _paragraph(_run("正文")))
    assert blocks(read(_saved(document, tmp_path)))[-1].place.headings == ("二级", "三级")


def test_styles_based_on_a_list_make_items(tmp_path: Path) -> None:
    document = Document()
    style = document.styles.add_style("Own", WD_STYLE_TYPE.PARAGRAPH)
    style.base_style = document.styles["List Number"]
    document.add_paragraph("one", style="Own")
    assert texts(read(_saved(document, tmp_path))) == ["- one"]


def test_tracked_insertions_count_and_deletions_do_not(tmp_path: Path) -> None:
    document = Document()
    inserted = f'<w:ins w:id="1" w:author="a">{_run("five ")}</w:ins>'
    deleted = '<w:del w:id="2" w:author="a"><w:r><w:delText>two </w:delText><w:tab/></w:r></w:del>'
    moved = f'<w:moveFrom w:id="3" w:author="a">{_run("gone ")}</w:moveFrom>'
    moved += f'<w:moveTo w:id="4" w:author="a">{_run("here ")}</w:moveTo>'
    document.element.body.insert(0, _paragraph(_run("Warranty ") + inserted + deleted + moved + _run("years.")))
    assert texts(read(_saved(document, tmp_path))) == ["Warranty five here years."]


def test_comments_and_field_codes_are_not_text_but_links_are(tmp_path: Path) -> None:
    document = Document()
    paragraph = document.add_paragraph("Body. ")
    document.add_comment(paragraph.runs[0], text="a remark", author="A", initials="A")
    code = "<w:r><w:instrText>PAGE</w:instrText></w:r>"
    paragraph._p.append(_paragraph(code).find("*"))  # type: ignore[attr-defined]  # an lxml element
    paragraph._p.append(parse_xml(f"<w:hyperlink {_NS}>{_run('a link')}</w:hyperlink>"))
    assert texts(read(_saved(document, tmp_path))) == ["Body. a link"]


def test_text_boxes_stand_once_behind_their_paragraph(tmp_path: Path) -> None:
    document = Document()
    box = f"<w:txbxContent><w:p>{_run('in the box')}</w:p></w:txbxContent>"
    choice = f'<mc:Choice Requires="wps"><wps:wsp><wps:txbx>{box}</wps:txbx></wps:wsp></mc:Choice>'
    twin = f"<mc:Fallback><w:pict><v:textbox>{box}</v:textbox></w:pict></mc:Fallback>"
    body = document.element.body
    body.insert(0, _paragraph(_run("before") + f"<w:r><mc:AlternateContent>{choice}{twin}</mc:AlternateContent></w:r>"))
    body.insert(1, _paragraph(_run("after")))
    assert texts(read(_saved(document, tmp_path))) == ["before", "in the box", "after"]


def test_tables_keep_header_merged_cells_and_nested_tables(tmp_path: Path) -> None:
    document = Document()
    document.add_paragraph("Before")
    table = document.add_table(3, 3)
    for index, text in enumerate(("型号", "单价", "单价", "M-1", "85", "元", "M-2", "", "")):
        table.cell(index // 3, index % 3).text = text
    table.cell(0, 1).merge(table.cell(0, 2)).text = "单价"
    table.cell(1, 1).merge(table.cell(2, 1)).text = "85"
    inner = table.cell(2, 2).add_table(1, 2)
    inner.cell(0, 0).text, inner.cell(0, 1).text = "每桶", "20 公斤"
    document.add_paragraph("After")
    parsed = read(_saved(document, tmp_path))
    assert texts(parsed) == ["Before", "| M-1 | 85 | 元 |", "| M-2 | 85 | 每桶; 20 公斤 |", "After"]
    assert blocks(parsed)[1].header == "| 型号 | 单价 | 单价 |\n| --- | --- | --- |"
    assert [block.kind for block in blocks(parsed)].count(BlockKind.TABLE) == 2


def test_content_controls_are_read(tmp_path: Path) -> None:
    document = Document()
    control = f"<w:sdt {_NS}><w:sdtPr/><w:sdtContent><w:p>{_run('controlled')}</w:p></w:sdtContent></w:sdt>"
    document.element.body.insert(0, parse_xml(control))
    assert texts(read(_saved(document, tmp_path))) == ["controlled"]


def test_headers_and_footers_follow_once(tmp_path: Path) -> None:
    document = Document()
    document.add_paragraph("Body")
    document.sections[0].header.paragraphs[0].text = "版本 3"
    document.sections[0].footer.paragraphs[0].text = "机密"
    parsed = read(_saved(document, tmp_path))
    assert texts(parsed.units[-1], BlockKind.TEXT) == ["版本 3\n机密"]
    assert parsed.units[-1].place.headings == ("Header and footer",)


def test_pictures_are_named_as_left_out(tmp_path: Path) -> None:
    picture = io.BytesIO()
    Image.new("RGB", (4, 4)).save(picture, "PNG")
    document = Document()
    document.add_picture(picture)
    only_picture = _saved(document, tmp_path, "picture.docx")
    document.add_paragraph("Text")
    assert read(_saved(document, tmp_path)).left_out == ("1 picture was not read. / 1 张图片未读取。",)
    assert cause_of(only_picture) is Cause.NO_TEXT


def test_broken_documents(tmp_path: Path) -> None:
    path = _saved(Document(), tmp_path)
    assert cause_of(path) is Cause.EMPTY
    assert cause_of(repacked(path, "xml.docx", {"word/document.xml": b"<w:document>"})) is Cause.DAMAGED
    hollow = archive(tmp_path, "hollow.docx", {"[Content_Types].xml": "<Types/>", "word/x.xml": "<x/>"})
    assert cause_of(hollow) is Cause.DAMAGED
    cut = tmp_path / "cut.docx"
    cut.write_bytes(path.read_bytes()[:2000])
    assert cause_of(cut) is Cause.DAMAGED
