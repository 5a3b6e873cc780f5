"""Plain text, Markdown and comma-separated files."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator

from ingest.model import Cause, Parsed, Unreadable
from ingest.parsers import notes
from ingest.parsers.decoding import decode
from ingest.parsers.sections import Sections
from ingest.parsers.source import Source
from ingest.tables import cells_of
from retrieval.model import Modality

_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+(.+?)[ \t]*#*[ \t]*$")
_UNDERLINE = re.compile(r" {0,3}(=+|-+)[ \t]*$")
_FENCE = re.compile(r" {0,3}(```+|~~~+)")
_RULE = re.compile(r"\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$")
_FRONT_MATTER_END = re.compile(r"(---|\.\.\.)\s*$")
_CSV_SAMPLE = 64 * 1024


def read_text(source: Source) -> Parsed:
    """Paragraphs with their lines; a blank line ends a paragraph."""
    lines, left_out = _lines(source)
    sections = Sections()
    for first, last in _runs(lines, 0):
        sections.text("\n".join(lines[first : last + 1]), lines=(first + 1, last + 1))
    return _parsed(source.title, sections, lines, left_out)


def read_markdown(source: Source) -> Parsed:
    """Sections by heading path, tables with their header; code is never mistaken for headings."""
    lines, left_out = _lines(source)
    sections = Sections()
    first_heading = ""
    number = _after_front_matter(lines)
    for first, last in _runs(lines, number):
        here = first
        while here <= last:
            level, heading, taken = _heading_at(lines, here, last)
            if level:
                first_heading = first_heading or heading
                sections.heading(level, heading, lines=(here + 1, here + taken))
            else:
                taken = _take_block(sections, lines, here, last)
            here += taken
    return _parsed(first_heading or source.title, sections, lines, left_out)


def read_csv(source: Source) -> Parsed:
    """One table; its first row is the header, each row knows its lines."""
    lines, left_out = _lines(source)
    text = "\n".join(lines)
    reader = csv.reader(io.StringIO(text), delimiter=_delimiter(text[:_CSV_SAMPLE], source.extension))
    rows: list[list[str]] = []
    places: list[tuple[int, int]] = []
    before = cells = 0
    try:
        for row in reader:
            if any(cell.strip() for cell in row):
                rows.append(row)
                places.append((before + 1, reader.line_num))
            before = reader.line_num
            cells += len(row)
            if cells > source.limits.cells:
                left_out.append(notes.past_rows(source.name, before))
                break
    except csv.Error as error:
        raise Unreadable(Cause.DAMAGED, f"csv: {error}") from error
    sections = Sections()
    sections.table(rows, lines=places)
    return _parsed(source.title, sections, lines, left_out, rows=len(rows))


def _lines(source: Source) -> tuple[list[str], list[str]]:
    """The lines of the file and what was left out of it."""
    text = decode(source.path.read_bytes())
    limit = source.limits.characters
    left_out = [notes.past_characters()] if len(text) > limit else []
    return text[:limit].split("\n"), left_out


def _parsed(title: str, sections: Sections, lines: list[str], left_out: list[str], **counts: int) -> Parsed:
    units = sections.units()
    if not units:
        raise Unreadable(Cause.EMPTY, "white space alone")
    if sections.tables:
        counts["tables"] = sections.tables
    counts["lines"] = len(lines)
    return Parsed(title, Modality.DOCUMENT, units, tuple(left_out), counts)


def _runs(lines: list[str], start: int) -> Iterator[tuple[int, int]]:
    """First and last index of each run of lines that are not blank; a fenced block is within one run."""
    first = -1
    fence = ""
    for index in range(start, len(lines)):
        line = lines[index]
        mark = _FENCE.match(line)
        if mark and (not fence or mark.group(1).startswith(fence)):
            fence = "" if fence else mark.group(1)
        if line.strip() or fence:
            first = index if first < 0 else first
        elif first >= 0:
            yield first, index - 1
            first = -1
    if first >= 0:
        yield first, len(lines) - 1


def _after_front_matter(lines: list[str]) -> int:
    if lines and lines[0].rstrip() == "---":
        for index in range(1, min(len(lines), 200)):
            if _FRONT_MATTER_END.match(lines[index]):
                return index + 1
    return 0


def _heading_at(lines: list[str], here: int, last: int) -> tuple[int, str, int]:
    """Level (0 for no heading), text, and number of lines of a heading that begins at ``here``."""
    if match := _HEADING.match(lines[here]):
        return len(match.group(1)), match.group(2), 1
    underline = _UNDERLINE.match(lines[here + 1]) if here < last else None
    if underline and not lines[here].lstrip().startswith(("|", "-", ">", "```")):
        return (1 if underline.group(1)[0] == "=" else 2), lines[here].strip(), 2
    return 0, "", 1


def _take_block(sections: Sections, lines: list[str], here: int, last: int) -> int:
    """Adds the table, code or paragraph that begins at ``here``; returns how many lines it has."""
    end = here
    if here < last and "|" in lines[here] and "|" in lines[here + 1] and _RULE.match(lines[here + 1]):
        while end < last and "|" in lines[end + 1]:
            end += 1
        numbers = [here, *range(here + 2, end + 1)]
        sections.table([cells_of(lines[n]) for n in numbers], lines=[(n + 1, n + 1) for n in numbers])
        return end - here + 1
    fence = _FENCE.match(lines[here])
    while end < last:
        if fence and _FENCE.match(lines[end + 1]):
            end += 1
            break
        starts_other = _HEADING.match(lines[end + 1]) or _FENCE.match(lines[end + 1]) or _is_table(lines, end + 1, last)
        if not fence and starts_other:
            break
        end += 1
    sections.text("\n".join(lines[here : end + 1]), lines=(here + 1, end + 1))
    return end - here + 1


def _is_table(lines: list[str], here: int, last: int) -> bool:
    return here < last and "|" in lines[here] and "|" in lines[here + 1] and bool(_RULE.match(lines[here + 1]))


def _delimiter(sample: str, extension: str) -> str:
    if extension == "tsv":
        return "\t"
    try:
        return csv.Sniffer().sniff(sample, delimiters=",;\t|，").delimiter
    except csv.Error:
        return ","
