"""PDF files: text by page, with tables in their places."""

from __future__ import annotations

import re
import struct
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path

import pdfplumber
import pypdfium2
from pdfminer.pdfexceptions import PDFException
from pdfminer.psexceptions import PSException
from pdfplumber.page import Page
from pdfplumber.utils.exceptions import MalformedPDFException, PdfminerException

from ingest.model import Block, BlockKind, Cause, Parsed, Unit, Unreadable
from ingest.parsers import notes
from ingest.parsers.pdf_layout import Box, body_size, flow, gutter_of, lines_of, paragraphs, rows_of
from ingest.parsers.pdf_tables import Table, aligned_tables, ruled_tables
from ingest.parsers.source import Source
from ingest.tables import header_of, row_of
from retrieval.model import Modality, Place

_UNMAPPED = re.compile(r"\(cid:\d+\)")
_HEADING_RATIO = 1.15
_HEADING_CHARACTERS = 100

MINER_FAILS = (
    PdfminerException,
    MalformedPDFException,
    PDFException,
    PSException,
    ValueError,
    TypeError,
    LookupError,
    AttributeError,
    AssertionError,
    ArithmeticError,
    RecursionError,
    struct.error,
)
"""What pdfminer lets through on pages that it does not understand; PDFium then reads the page's text without tables."""


@dataclass
class _Reading:
    """What is remembered from page to page."""

    units: list[Unit] = field(default_factory=list)
    without_text: list[int] = field(default_factory=list)
    path: list[tuple[float, str]] = field(default_factory=list)
    """Headings that the text now stands below, each with the size of its letters."""
    open_table: Table | None = None
    """A table that ends a page, as it may go on at the top of the next."""
    tables: int = 0
    characters: int = 0


def read_pdf(source: Source) -> Parsed:
    """Pages with their text and tables.

    Raises Unreadable: ENCRYPTED when it needs a password, DAMAGED when it does not open, NO_TEXT when no page has a
    text layer.
    """
    reading = _Reading()
    with ExitStack() as stack:
        document = _open(source.path, stack)
        layout = _open_layout(source.path, stack)
        pages, last = len(document), min(len(document), source.limits.pages)
        for number in range(1, last + 1):
            _read_page(document, layout, number, reading)
            source.progress(number, last, "pages")
            if reading.characters > source.limits.characters:
                last = number
                break
    if not reading.units:
        raise Unreadable(Cause.NO_TEXT, f"{pages} pages without a text layer")
    left_out = [notes.pages_without_text(reading.without_text)] if reading.without_text else []
    if last < pages:
        left_out.append(notes.past_pages(last + 1, pages))
    counts = {"pages": pages} | ({"tables": reading.tables} if reading.tables else {})
    return Parsed(source.title, Modality.DOCUMENT, tuple(reading.units), tuple(left_out), counts)


def _open(path: Path, stack: ExitStack) -> pypdfium2.PdfDocument:
    try:
        document = pypdfium2.PdfDocument(path)
        stack.callback(document.close)
        if len(document):
            return document
    except pypdfium2.PdfiumError as error:
        message = str(error)
        cause = Cause.ENCRYPTED if "password" in message or "security" in message else Cause.DAMAGED
        raise Unreadable(cause, message) from error
    raise Unreadable(Cause.DAMAGED, "no pages")


def _open_layout(path: Path, stack: ExitStack) -> list[Page]:
    """The pages as pdfminer sees them: fewer than there are, or none, where it does not understand the file."""
    file = stack.enter_context(path.open("rb"))  # closing pdfplumber's own would parse what is damaged once more
    try:
        return list(pdfplumber.open(file).pages)
    except MINER_FAILS:
        return []


def _read_page(document: pypdfium2.PdfDocument, layout: Sequence[Page], number: int, reading: _Reading) -> None:
    blocks: tuple[Block, ...] = ()
    if number <= len(layout):
        try:
            blocks = tuple(_blocks(layout[number - 1], number, reading))
            layout[number - 1].close()
        except MINER_FAILS:
            blocks = ()
    if not blocks or any(_UNMAPPED.search(block.text) for block in blocks):
        blocks = _plain(document, number) or blocks
    if not blocks:
        if _has_pictures(document, number):
            reading.without_text.append(number)
        return
    reading.characters += sum(len(block.text) for block in blocks)
    reading.units.append(Unit(len(reading.units) + 1, Place(page=number), blocks))


def _plain(document: pypdfium2.PdfDocument, number: int) -> tuple[Block, ...]:
    """The page's text in the order of its content, by PDFium."""
    try:
        text = document[number - 1].get_textpage().get_text_bounded().replace("\r\n", "\n").strip()
    except pypdfium2.PdfiumError:
        return ()
    paragraphs_here = (part.strip("\n") for part in re.split(r"\n\s*\n", text))
    return tuple(Block(BlockKind.TEXT, part, Place(page=number)) for part in paragraphs_here if part.strip())


def _has_pictures(document: pypdfium2.PdfDocument, number: int) -> bool:
    try:
        return next(document[number - 1].get_objects(max_depth=3), None) is not None
    except pypdfium2.PdfiumError:
        return False


def _blocks(page: Page, number: int, reading: _Reading) -> Iterator[Block]:
    """Paragraphs, headings and tables of a page from top to bottom."""
    page = page.dedupe_chars()
    words = _words(page)
    tables = ruled_tables(page, words)
    rows = rows_of(_outside(words, tables))
    gutter = gutter_of(rows)
    if gutter is None and (aligned := aligned_tables(rows)):
        tables += aligned
        rows = rows_of(_outside(words, tables))
    lines = lines_of(rows, gutter)
    tables.sort(key=lambda table: table.top)
    size = body_size(lines)
    last = tables[-1] if tables else None
    for run in paragraphs(lines):
        while tables and tables[0].top < run[0].top and not run[0].column:
            yield _table(tables.pop(0), page, number, reading)
        right = max(line.x1 for line in lines if line.column == run[0].column)
        yield _text(run, right, size, number, reading)
    for table in tables:
        yield _table(table, page, number, reading)
    if last is None or last.bottom < 0.7 * page.height:
        reading.open_table = None


def _words(page: Page) -> list[Box]:
    """The words of a page, with a mark on those that a written space stands before."""
    spaces: dict[int, list[float]] = defaultdict(list)
    for character in page.chars:
        if character["text"].isspace():
            spaces[round(character["x1"])].append((character["top"] + character["bottom"]) / 2)
    return [
        Box(
            text=word["text"],
            x0=word["x0"],
            x1=word["x1"],
            top=word["top"],
            bottom=word["bottom"],
            is_spaced=any(word["top"] < middle < word["bottom"] for middle in spaces.get(round(word["x0"]), ())),
        )
        for word in page.extract_words(x_tolerance_ratio=0.15)
    ]


def _outside(words: Sequence[Box], tables: Sequence[Table]) -> list[Box]:
    return [word for word in words if not any(table.holds(word) for table in tables)]


def _text(run: Sequence[Box], right: float, size: float, number: int, reading: _Reading) -> Block:
    text = flow(run, right)
    if run[0].size >= _HEADING_RATIO * size and len(text) <= _HEADING_CHARACTERS and text[-1] not in "。，,;；":
        text = " ".join(text.split())
        above = [(larger, name) for larger, name in reading.path if larger > 1.05 * run[0].size]
        reading.path = [*above, (run[0].size, text)]
        return Block(BlockKind.HEADING, text, _place(number, reading))
    return Block(BlockKind.TEXT, text, _place(number, reading))


def _table(table: Table, page: Page, number: int, reading: _Reading) -> Block:
    """The table's rows below its header, which is that of the page before where the table goes on from there."""
    before = reading.open_table
    names, rows = table.rows[0], table.rows[1:]
    goes_on = before and table.top < 0.25 * page.height and len(before.rows[0]) == len(names)
    if before and goes_on and abs(before.x0 - table.x0) < 5 and abs(before.x1 - table.x1) < 5:
        rows = rows if names == before.rows[0] else table.rows
        names = before.rows[0]
        table = replace(table, rows=[names, *rows])
    else:
        reading.tables += 1
    reading.open_table = table
    return Block(BlockKind.TABLE, "\n".join(map(row_of, rows)), _place(number, reading), header_of(names))


def _place(number: int, reading: _Reading) -> Place:
    return Place(page=number, headings=tuple(name for _, name in reading.path))
