"""The text that elements of a Word document hold, as it now reads."""

from __future__ import annotations

from collections.abc import Iterator

from lxml import etree
from lxml.etree import _Element

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_M = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"

_PROPERTIES = ("pPr", "rPr", "tblPr", "tblGrid", "trPr", "tcPr", "sdtPr", "sectPr")
_NOT_TEXT = ("del", "moveFrom", "instrText", "annotationRef", "footnoteRef", "endnoteRef")
_DROPPED = {W + name for name in _PROPERTIES + _NOT_TEXT} | {_MC + "Fallback"}
"""Elements that are not text as it now reads: tracked deletions, field codes, and twins of drawings."""

_BREAKS = {W + "tab": "\t", W + "br": "\n", W + "cr": "\n", W + "noBreakHyphen": "-"}
_BOX = W + "txbxContent"


def root_of(part: bytes) -> _Element:
    """The root of an XML part; entities stay unresolved."""
    return etree.fromstring(part, etree.XMLParser(resolve_entities=False, no_network=True))


def content(container: _Element, *tags: str) -> Iterator[_Element]:
    """Elements with one of ``tags`` (without namespace), through content controls and tracked insertions but not
    through each other."""
    wanted = {W + tag for tag in tags}
    stack = [iter(container)]
    while stack:
        child = next(stack[-1], None)
        if child is None:
            stack.pop()
        elif child.tag in wanted:
            yield child
        elif child.tag not in _DROPPED and child.tag != _BOX:
            stack.append(iter(child))


def boxes(element: _Element) -> list[_Element]:
    """The text boxes that hang on an element, without those inside of other boxes and twins for old readers."""
    found: list[_Element] = []
    stack = [element]
    while stack:
        for child in stack.pop():
            if child.tag == _BOX:
                found.append(child)
            elif child.tag not in _DROPPED and child.tag != W + "tbl":
                stack.append(child)
    return found[::-1] if len(found) > 1 else found


def inline(paragraph: _Element) -> str:
    """The text of a paragraph without that of text boxes."""
    parts: list[str] = []
    stack = [iter(paragraph)]
    while stack:
        child = next(stack[-1], None)
        if child is None:
            stack.pop()
        elif child.tag in (W + "t", _M + "t"):
            parts.append(child.text or "")
        elif child.tag in _BREAKS:
            parts.append(_BREAKS[child.tag])
        elif child.tag not in _DROPPED and child.tag != _BOX:
            stack.append(iter(child))
    return "".join(parts)


def text_of(container: _Element) -> str:
    """All text of a cell, note, header or box: its paragraphs in lines, the cells of a table in it set apart."""
    lines = []
    for element in content(container, "p", "tbl"):
        if element.tag == W + "p":
            lines.append(inline(element).strip())
        else:
            rows = ([text_of(cell) for cell in content(row, "tc")] for row in content(element, "tr"))
            lines += ["; ".join(filter(None, row)) for row in rows]
    return "\n".join(filter(None, lines))


def table_rows(table: _Element) -> list[list[str]]:
    """The cells' texts by row. A merged cell's text stands in every place that it covers; deleted rows are left out."""
    rows: list[list[str]] = []
    for row in content(table, "tr"):
        if row.find(f"{W}trPr/{W}del") is not None:
            continue
        cells: list[str] = [""] * _grid(row, f"{W}trPr/{W}gridBefore")
        for cell in content(row, "tc"):
            merged = cell.find(f"{W}tcPr/{W}vMerge")
            goes_on = merged is not None and merged.get(W + "val", "continue") == "continue"
            above = rows[-1][len(cells)] if goes_on and rows and len(cells) < len(rows[-1]) else ""
            cells += [above if goes_on else text_of(cell)] * max(1, _grid(cell, f"{W}tcPr/{W}gridSpan"))
        rows.append(cells)
    return rows


def _grid(element: _Element, path: str) -> int:
    found = element.find(path)
    value = found.get(W + "val", "0") if found is not None else "0"
    return min(int(value), 63) if value.isdigit() else 0
