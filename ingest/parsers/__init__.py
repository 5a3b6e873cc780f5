"""Readers of file formats: one module for each family, picked by content before name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module

from ingest.model import Cause, Parsed, Unreadable
from ingest.parsers.sniffing import Format, format_of
from ingest.parsers.source import Source
from ingest.ports import Segment

_READERS = {
    Format.TEXT: ("text", "read_text"),
    Format.MARKDOWN: ("text", "read_markdown"),
    Format.CSV: ("text", "read_csv"),
    Format.HTML: ("html", "read_html"),
    Format.PDF: ("pdf", "read_pdf"),
    Format.DOCX: ("docx", "read_docx"),
    Format.PPTX: ("pptx", "read_pptx"),
    Format.XLSX: ("xlsx", "read_xlsx"),
    Format.MEDIA: ("media", "read_media"),
}
"""Module and function by format; a module is imported when the first file of its format comes."""


def parse(source: Source) -> Parsed:
    """Reads a file into units with exact places. Raises Unreadable with the cause when nothing can be read of it."""
    module, name = _READERS[format_of(source)]
    read: Callable[[Source], Parsed] = getattr(import_module(f"ingest.parsers.{module}"), name)
    parsed = read(source)
    if not any(unit.text.strip() for unit in parsed.units):
        raise Unreadable(Cause.EMPTY, "no text in any unit")
    return parsed


def transcribe(source: Source, *, language: str | None) -> Sequence[Segment]:
    """What is said in a clip, none when it is silent.

    Raises Unreadable: EMPTY, TOO_LARGE, TOO_LONG, DAMAGED, NO_SPEECH when the file holds no sound at all.
    """
    size = source.path.stat().st_size
    if not size:
        raise Unreadable(Cause.EMPTY, "0 bytes")
    if size > source.limits.file_bytes:
        raise Unreadable(Cause.TOO_LARGE, f"{size} bytes")
    segments: Sequence[Segment] = import_module("ingest.parsers.media").transcribe(source, language=language)
    return segments
