"""Web pages: what a reader would read, by heading path, with tables."""

from __future__ import annotations

import re

from bs4 import BeautifulSoup, Comment, NavigableString, PageElement, Tag

from ingest.model import Cause, Parsed, Unreadable
from ingest.parsers import notes
from ingest.parsers.decoding import decode
from ingest.parsers.sections import Sections
from ingest.parsers.source import Source
from retrieval.model import Modality

_CHARSET = re.compile(rb"<meta[^>]+charset\s*=\s*[\"']?\s*([\w-]+)", re.IGNORECASE)
_DROPPED = re.compile(
    r"script|style|noscript|template|nav|svg|canvas|iframe|object|head|form|button|select|dialog|menu"
)
_HEADING = re.compile(r"h([1-6])")
_INLINE = re.compile(
    r"a|abbr|b|bdi|bdo|cite|code|data|del|dfn|em|font|i|ins|kbd|label|mark|q|ruby|s|samp|small|span|strong|sub|sup|time"
    r"|tt|u|var|wbr"
)


def read_html(source: Source) -> Parsed:
    """Sections by heading path without navigation, scripts and styles. Raises Unreadable: EMPTY, TOO_LARGE (elements
    nested past the limit)."""
    data = source.path.read_bytes()
    declared = _CHARSET.search(data[:4096])
    text = decode(data, declared=declared.group(1).decode("ascii") if declared else None)
    limit = source.limits.characters
    try:
        soup = BeautifulSoup(text[:limit], "lxml")
    except RecursionError as error:
        raise Unreadable(Cause.TOO_LARGE, "elements nested too deeply") from error
    reader = _Reader(source.limits.nesting)
    reader.read(soup.body or soup)
    reader.flush()
    units = reader.sections.units()
    if not units:
        raise Unreadable(Cause.EMPTY, "no text for readers")
    title = " ".join(soup.title.get_text().split()) if soup.title else ""
    counts = {"tables": reader.sections.tables} if reader.sections.tables else {}
    left_out = (notes.past_characters(),) if len(text) > limit else ()
    return Parsed(title or source.title, Modality.DOCUMENT, units, left_out, counts)


class _Reader:
    """Walks the page; text of inline elements gathers until an element that stands on lines of its own."""

    def __init__(self, nesting: int) -> None:
        self.sections = Sections()
        self._nesting = nesting
        self._gathered: list[str] = []

    def read(self, element: Tag, depth: int = 0) -> None:
        if depth > self._nesting:
            raise Unreadable(Cause.TOO_LARGE, "elements nested too deeply")
        for child in element.children:
            if isinstance(child, Tag):
                self._read_tag(child, depth)
            elif _is_text(child):
                self._gathered.append(re.sub(r"\s+", " ", str(child)))

    def flush(self) -> None:
        """Ends the paragraph that has gathered."""
        lines = "".join(self._gathered).split("\n")
        self._gathered.clear()
        text = "\n".join(filter(None, (" ".join(line.split()) for line in lines)))
        if text not in ("", "-"):
            self.sections.text(text)

    def _read_tag(self, tag: Tag, depth: int) -> None:
        if _DROPPED.fullmatch(tag.name) or _is_hidden(tag):
            return
        if tag.name == "br":
            self._gathered.append("\n")
        elif _INLINE.fullmatch(tag.name):
            self.read(tag, depth + 1)
        elif heading := _HEADING.fullmatch(tag.name):
            self.flush()
            self.sections.heading(int(heading.group(1)), _plain(tag))
        elif tag.name == "pre":
            self.flush()
            self.sections.text(tag.get_text().strip("\n"))
        elif tag.name == "table" and _is_data(tag):
            self.flush()
            self._read_table(tag)
        else:
            self._read_block(tag, depth)

    def _read_block(self, tag: Tag, depth: int) -> None:
        is_item = tag.name in ("li", "dd")
        if not (is_item and self._gathered_is_item()):
            self.flush()
        if is_item:
            self._gathered.append("\n- ")
        self.read(tag, depth + 1)
        if not is_item:
            self.flush()

    def _gathered_is_item(self) -> bool:
        return bool(self._gathered) and self._gathered[0] == "\n- "

    def _read_table(self, table: Tag) -> None:
        caption = table.find("caption", recursive=False)
        if isinstance(caption, Tag):
            self.sections.text(_plain(caption))
        rows: list[list[str]] = []
        held: dict[int, tuple[int, str]] = {}
        for row in table.find_all("tr"):
            if row.find_parent("table") is not table:
                continue
            cells: list[str] = []
            for cell in row.find_all(["td", "th"], recursive=False):
                self._fill_held(cells, held)
                text, down = _plain(cell), _span(cell, "rowspan")
                for _ in range(_span(cell, "colspan")):
                    if down > 1:
                        held[len(cells)] = (down - 1, text)
                    cells.append(text)
            self._fill_held(cells, held)
            rows.append(cells)
        self.sections.table(rows)

    @staticmethod
    def _fill_held(cells: list[str], held: dict[int, tuple[int, str]]) -> None:
        """Cells of rows above that reach down into the next columns of this one."""
        while len(cells) in held:
            left, text = held.pop(len(cells))
            if left > 1:
                held[len(cells)] = (left - 1, text)
            cells.append(text)


def _is_text(node: PageElement) -> bool:
    return isinstance(node, NavigableString) and not isinstance(node, Comment)


def _is_hidden(tag: Tag) -> bool:
    style = re.sub(r"\s", "", str(tag.get("style") or "")).lower()
    return tag.has_attr("hidden") or "display:none" in style


def _is_data(table: Tag) -> bool:
    """Whether a table holds data and not the layout of a page."""
    return table.find(["table", "h1", "h2", "h3"]) is None and table.get("role") != "presentation"


def _plain(tag: Tag) -> str:
    return " ".join(tag.get_text(" " if tag.name in ("td", "th") else "").split())


def _span(cell: Tag, name: str) -> int:
    value = str(cell.get(name) or "1")
    return max(1, min(int(value), 100)) if value.isdigit() else 1
