"""Builds units from running text: a unit for each section, long sections in several."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ingest.model import Block, BlockKind, Unit
from ingest.places import union
from ingest.tables import header_of, row_of
from retrieval.model import Place
from retrieval.sentences import split

UNIT_CHARACTERS = 6_000
"""Length at which a section goes on in a further unit, so that the surroundings of a citation stay readable."""


class Sections:
    """Takes headings, paragraphs and tables in reading order; ``units`` then holds them by section."""

    def __init__(self) -> None:
        self._path: list[tuple[int, str]] = []
        self._blocks: list[Block] = []
        self._length = 0
        self._units: list[Unit] = []
        self.tables = 0

    def heading(self, level: int, text: str, *, lines: tuple[int, int] | None = None) -> None:
        """A heading of ``level`` (1 is the highest); what follows stands below it."""
        text = " ".join(text.split())
        if not text:
            return
        if any(block.kind is not BlockKind.HEADING for block in self._blocks):
            self._close()
        self._path = [(above, name) for above, name in self._path if above < level] + [(level, text)]
        self._add(BlockKind.HEADING, text, lines)

    def text(self, text: str, *, lines: tuple[int, int] | None = None) -> None:
        """A paragraph, or a run of lines that belong together."""
        for piece in _bounded(text.strip("\n")):
            self._add(BlockKind.TEXT, piece, lines)

    def table(self, rows: Sequence[Sequence[str]], *, lines: Sequence[tuple[int, int]] = ()) -> None:
        """A table whose first row is its header if it has more than one; ``lines`` are those of each row."""
        rows = [row for row in rows if any(cell.strip() for cell in row)]
        if not rows:
            return
        self.tables += 1
        width = max(len(row) for row in rows)
        padded = [[*row, *[""] * (width - len(row))] for row in rows]
        header = header_of(padded[0]) if len(rows) > 1 else ""
        for number, row in enumerate(padded):
            if header and number == 0:
                continue
            first = lines[0] if lines and header and number == 1 else lines[number] if lines else None
            place = (first[0], lines[number][1]) if first else None
            self._add(BlockKind.TABLE, row_of(row), place, header)

    def units(self) -> tuple[Unit, ...]:
        """What was added since the beginning, numbered from 1."""
        self._close()
        return tuple(self._units)

    def _add(self, kind: BlockKind, text: str, lines: tuple[int, int] | None, header: str = "") -> None:
        if not text.strip():
            return
        if self._length and self._length + len(text) > UNIT_CHARACTERS:
            self._close()
        place = Place(headings=tuple(name for _, name in self._path), lines=lines)
        self._blocks.append(Block(kind, text, place, header))
        self._length += len(text) if kind is not BlockKind.HEADING else 0

    def _close(self) -> None:
        if self._blocks:
            places = [block.place for block in self._blocks if block.kind is not BlockKind.HEADING]
            place = union(places or [block.place for block in self._blocks])
            self._units.append(Unit(len(self._units) + 1, place, tuple(self._blocks)))
        self._blocks = []
        self._length = 0


def _bounded(text: str) -> Iterator[str]:
    """The text, cut behind sentences where it alone would be longer than a unit."""
    start = 0
    if len(text) > UNIT_CHARACTERS:
        for sentence in split(text):
            while sentence.end - start > UNIT_CHARACTERS:
                end = sentence.start if sentence.start > start else start + UNIT_CHARACTERS
                yield text[start:end].strip()
                start = end
    yield text[start:].strip()
