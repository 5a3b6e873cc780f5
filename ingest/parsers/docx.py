"""Word documents: paragraphs by heading path, tables in place, text boxes, notes, headers and footers."""

from __future__ import annotations

import re
import zlib
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
        _ = document.element.body
    except (
        PackageNotFoundError,
        BadZipFile,
        zlib.error,
        LookupError,
        ValueError,
        AttributeError,
        XMLSyntaxError,
    ) as error:
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
        self._styles = _Styles(document)

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
            self.sections.text(f"- {text}" if self._is_item(paragraph) else text)
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
        level = _outline(paragraph)
        return self._styles.levels.get(_style(paragraph)) if level is None else level

    def _is_item(self, paragraph: _Element) -> bool:
        return paragraph.find(f"{W}pPr/{W}numPr") is not None or _style(paragraph) in self._styles.items


class _Styles:
    """What the styles of a document make of a paragraph, by their ids: a heading of some level, or an item of a list.

    A style says so itself, by its name or its properties, or the style says so that it is based on.
    """

    def __init__(self, document: WordDocument) -> None:
        self.levels: dict[str, int] = {}
        self.items: set[str] = set()
        bases: dict[str, str] = {}
        for style in document.styles.element.iterchildren(W + "style"):
            identifier = style.get(W + "styleId", "")
            level = _level_by_name(style)
            level = _outline(style) if level is None else level
            if level is not None:
                self.levels[identifier] = level
            if style.find(f"{W}pPr/{W}numPr") is not None:
                self.items.add(identifier)
            bases[identifier] = _value(style.find(W + "basedOn"))
        for identifier in bases:
            self._inherit(identifier, bases)

    def _inherit(self, identifier: str, bases: dict[str, str]) -> None:
        lineage = [identifier]
        while (base := bases.get(lineage[-1], "")) and base not in lineage:
            lineage.append(base)
        level = next((self.levels[one] for one in lineage if one in self.levels), None)
        if level is not None:
            self.levels[identifier] = level
        if not self.items.isdisjoint(lineage):
            self.items.add(identifier)


def _level_by_name(style: _Element) -> int | None:
    name = _value(style.find(W + "name"))
    if match := _HEADING.fullmatch(name):
        return int(match.group(1))
    return 0 if _TITLE.fullmatch(name) else None


def _outline(element: _Element) -> int | None:
    """The level that the properties of a paragraph or style give; Word's 9 is body text."""
    value = _value(element.find(f"{W}pPr/{W}outlineLvl"))
    return int(value) + 1 if value.isdigit() and int(value) < 9 else None


def _style(paragraph: _Element) -> str:
    return _value(paragraph.find(f"{W}pPr/{W}pStyle"))


def _value(element: _Element | None) -> str:
    return "" if element is None else element.get(W + "val", "")
