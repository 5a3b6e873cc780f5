"""Word documents: paragraphs by heading path, tables in place, text boxes, notes, headers and footers."""

from __future__ import annotations

import re
from zipfile import BadZipFile

from docx import Document
from docx.document import Document as WordDocument
from docx.opc.exceptions import PackageNotFoundError
from lxml.etree import XMLSyntaxError, _Element

from ingest.model import Cause, Parsed, Unreadable
from ingest.parsers import notes
from ingest.parsers.docx_xml import W, boxes, content, inline, root_of, table_rows, text_of
from ingest.parsers.sections import Sections
from ingest.parsers.source import Source
from retrieval.model import Modality

_PICTURE = "{http://schemas.openxmlformats.org/drawingml/2006/picture}pic"
_HEADING = re.compile(r"(?:heading|标题|標題)\s*([1-9])", re.IGNORECASE)
_TITLE = re.compile(r"title|标题|標題", re.IGNORECASE)


def read_docx(source: Source) -> Parsed:
    """Sections by heading path. Tracked insertions count, deletions and comments do not; text boxes stand behind the
    paragraph that they hang on; foot- and endnotes, headers and footers follow at the end. Raises Unreadable."""
    try:
        document = Document(str(source.path))
    except (PackageNotFoundError, BadZipFile, KeyError, ValueError, XMLSyntaxError) as error:
        raise Unreadable(Cause.DAMAGED, f"docx: {error}") from error
    reader = _Reader(document)
    reader.read_body()
    reader.read_notes()
    reader.read_margins()
    units = reader.sections.units()
    pictures = sum(1 for _ in document.element.body.iter(_PICTURE))
    if not units:
        raise Unreadable(Cause.NO_TEXT if pictures else Cause.EMPTY, "no text in the document")
    counts = {"tables": reader.sections.tables} if reader.sections.tables else {}
    left_out = (notes.pictures(pictures),) if pictures else ()
    return Parsed(reader.title or source.title, Modality.DOCUMENT, units, left_out, counts)


class _Reader:
    """Walks the document's XML, as python-docx hides insertions, text boxes and content controls."""

    def __init__(self, document: WordDocument) -> None:
        self.sections = Sections()
        self.title = ""
        self._document = document
        self._levels = _heading_levels(document)

    def read_body(self) -> None:
        self._read_container(self._document.element.body)

    def read_notes(self) -> None:
        """Foot- and endnotes under a heading of their own."""
        for kind, heading in (("footnotes", "Footnotes"), ("endnotes", "Endnotes")):
            texts = [
                text
                for part in self._parts(kind)
                for note in root_of(part).iterchildren()
                if note.get(W + "type") in (None, "normal") and (text := text_of(note))
            ]
            if texts:
                self.sections.heading(1, heading)
                self.sections.text("\n".join(texts))

    def read_margins(self) -> None:
        """Headers and footers, each different one once."""
        texts = (text_of(root_of(part)) for kind in ("header", "footer") for part in self._parts(kind))
        if different := list(dict.fromkeys(filter(None, texts))):
            self.sections.heading(1, "Header and footer")
            self.sections.text("\n".join(different))

    def _parts(self, kind: str) -> list[bytes]:
        relations = self._document.part.rels.values()
        return [r.target_part.blob for r in relations if r.reltype.endswith(f"/{kind}") and not r.is_external]

    def _read_container(self, container: _Element) -> None:
        for element in content(container, "p", "tbl"):
            if element.tag == W + "tbl":
                self._read_table(element)
            else:
                self._read_paragraph(element)

    def _read_paragraph(self, paragraph: _Element) -> None:
        text = inline(paragraph).strip()
        level = self._level(paragraph)
        if text and level is not None:
            self.title = self.title or (text if level <= 1 else "")
            self.sections.heading(max(level, 1), text)
        elif text:
            is_item = paragraph.find(f"{W}pPr/{W}numPr") is not None
            self.sections.text(f"- {text}" if is_item else text)
        for box in boxes(paragraph):
            self._read_container(box)

    def _read_table(self, table: _Element) -> None:
        rows = table_rows(table)
        if [len(row) for row in rows] == [1]:
            self.sections.text(rows[0][0])
        else:
            self.sections.table(rows)
        for row in content(table, "tr"):
            for cell in content(row, "tc"):
                for box in boxes(cell):
                    self._read_container(box)

    def _level(self, paragraph: _Element) -> int | None:
        """0 for the title, 1 and more for headings, None for other paragraphs."""
        outline = paragraph.find(f"{W}pPr/{W}outlineLvl")
        if outline is not None and (value := outline.get(W + "val", "9")) < "9":
            return int(value) + 1
        style = paragraph.find(f"{W}pPr/{W}pStyle")
        return None if style is None else self._levels.get(style.get(W + "val", ""))


def _heading_levels(document: WordDocument) -> dict[str, int]:
    """The level of each style that makes headings, by its id: by name, by outline level, or as its base has it."""
    levels: dict[str, int] = {}
    bases: dict[str, str] = {}
    for style in document.styles.element.iterchildren(W + "style"):
        identifier, name = style.get(W + "styleId", ""), style.find(W + "name")
        words = name.get(W + "val", "") if name is not None else ""
        outline, base = style.find(f"{W}pPr/{W}outlineLvl"), style.find(W + "basedOn")
        if match := _HEADING.fullmatch(words):
            levels[identifier] = int(match.group(1))
        elif _TITLE.fullmatch(words):
            levels[identifier] = 0
        elif outline is not None and outline.get(W + "val", "9") < "9":
            levels[identifier] = int(outline.get(W + "val", "0")) + 1
        elif base is not None:
            bases[identifier] = base.get(W + "val", "")
    for identifier in bases:
        lineage = [identifier]
        while (base_id := bases.get(lineage[-1], "")) and base_id not in lineage:
            lineage.append(base_id)
        if lineage[-1] in levels:
            levels[identifier] = levels[lineage[-1]]
    return levels
