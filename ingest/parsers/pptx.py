"""PowerPoint presentations: slide by slide, with tables, charts and speaker notes."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from typing import Any
from zipfile import BadZipFile

from lxml.etree import XMLSyntaxError
from pptx import Presentation
from pptx.chart.chart import Chart
from pptx.exc import PythonPptxError
from pptx.shapes.base import BaseShape
from pptx.slide import Slide
from pptx.table import Table

from ingest.model import Block, BlockKind, Cause, Parsed, Unit, Unreadable
from ingest.parsers import notes
from ingest.parsers.source import Source
from ingest.tables import header_of, row_of
from retrieval.model import Modality, Place

_PICTURE = "{http://schemas.openxmlformats.org/presentationml/2006/main}pic"
_NOTES = "Notes"
"""Heading of what only the speaker sees."""


def read_pptx(source: Source) -> Parsed:
    """A unit for each visible slide that holds text. Raises Unreadable: DAMAGED, EMPTY, NO_TEXT (pictures alone)."""
    try:
        slides = list(Presentation(str(source.path)).slides)
    except (PythonPptxError, BadZipFile, zlib.error, XMLSyntaxError, LookupError, ValueError, AttributeError) as error:
        raise Unreadable(Cause.DAMAGED, f"pptx: {type(error).__name__}") from error
    last = min(len(slides), source.limits.pages)
    units: list[Unit] = []
    hidden: list[int] = []
    pictures = tables = 0
    for number, slide in enumerate(slides[:last], 1):
        if slide.element.get("show") in ("0", "false"):
            hidden.append(number)
            continue
        blocks = tuple(_blocks(slide, number))
        pictures += sum(1 for _ in slide.element.iter(_PICTURE))
        tables += sum(block.kind is BlockKind.TABLE for block in blocks)
        if blocks:
            units.append(Unit(len(units) + 1, Place(slide=number, headings=blocks[0].place.headings[:1]), blocks))
        source.progress(number, last, "slides")
    if not units:
        raise Unreadable(Cause.NO_TEXT if pictures else Cause.EMPTY, f"{len(slides)} slides without text")
    left_out = [notes.hidden_slides(hidden)] if hidden else []
    if last < len(slides):
        left_out.append(notes.past_pages(last + 1, len(slides), "slides"))
    if pictures:
        left_out.append(notes.pictures(pictures))
    counts = {"slides": len(slides)} | ({"tables": tables} if tables else {})
    return Parsed(source.title, Modality.DOCUMENT, tuple(units), tuple(left_out), counts)


def _blocks(slide: Slide, number: int) -> Iterator[Block]:
    title = slide.shapes.title
    heading = " ".join(title.text_frame.text.split()) if title is not None else ""
    place = Place(slide=number, headings=(heading,) if heading else ())
    if heading:
        yield Block(BlockKind.HEADING, heading, place)
    shapes = [shape for shape in slide.shapes if title is None or shape.shape_id != title.shape_id]
    for shape in _in_reading_order(shapes):
        yield from _shape_blocks(shape, place)
    notes_frame = slide.notes_slide.notes_text_frame if slide.has_notes_slide else None
    if notes_frame is not None and notes_frame.text.strip():
        yield Block(BlockKind.TEXT, _lines(notes_frame), Place(slide=number, headings=(*place.headings, _NOTES)))


def _in_reading_order(shapes: Sequence[BaseShape]) -> list[BaseShape]:
    """From top to bottom and left to right; shapes that stand where the layout puts them stay in front, in order."""
    return sorted(shapes, key=lambda shape: (shape.top or 0, shape.left or 0))


def _shape_blocks(shape: Any, place: Place) -> Iterator[Block]:
    members = getattr(shape, "shapes", None)
    if members is not None:
        for member in _in_reading_order(list(members)):
            yield from _shape_blocks(member, place)
    elif shape.has_text_frame:
        if text := _lines(shape.text_frame):
            yield Block(BlockKind.TEXT, text, place)
    elif getattr(shape, "has_table", False):
        yield from _rows_block(_table_rows(shape.table), place)
    elif getattr(shape, "has_chart", False):
        yield from _rows_block(_chart_rows(shape.chart), place)


def _lines(frame: Any) -> str:
    """Paragraphs in lines; a soft line break within one is a space."""
    lines = (" ".join(paragraph.text.split()) for paragraph in frame.paragraphs)
    return "\n".join(filter(None, lines))


def _rows_block(rows: Sequence[Sequence[str]], place: Place) -> Iterator[Block]:
    rows = [row for row in rows if any(row)]
    if len(rows) > 1:
        yield Block(BlockKind.TABLE, "\n".join(map(row_of, rows[1:])), place, header_of(rows[0]))
    elif rows:
        yield Block(BlockKind.TABLE, row_of(rows[0]), place)


def _table_rows(table: Table) -> list[list[str]]:
    """The cells' texts; a merged cell's text stands in every place that it covers."""
    texts = [[_lines(cell.text_frame) for cell in row.cells] for row in table.rows]
    for top, row in enumerate(table.rows):
        for left, cell in enumerate(row.cells):
            if cell.is_merge_origin:
                for below in range(top, min(top + cell.span_height, len(texts))):
                    for right in range(left, min(left + cell.span_width, len(texts[below]))):
                        texts[below][right] = texts[top][left]
    return texts


def _chart_rows(chart: Chart) -> list[list[str]]:
    """The numbers behind a chart: a row for each category, a column for each series."""
    title = chart.chart_title.text_frame.text.strip() if chart.has_title and chart.chart_title.has_text_frame else ""
    plots = list(chart.plots)
    if not plots:
        return [[title]]
    series = [(one.name or "", list(one.values)) for plot in plots for one in plot.series]
    categories = [str(category) for category in plots[0].categories]
    rows = [[title, *(name for name, _ in series)]]
    for index in range(max((len(values) for _, values in series), default=0)):
        name = categories[index] if index < len(categories) else str(index + 1)
        values = [values[index] if index < len(values) else None for _, values in series]
        rows.append([name, *("" if value is None else f"{value:.15g}" for value in values)])
    return rows
