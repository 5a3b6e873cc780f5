"""From words on a page to lines, columns and paragraphs."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

_WIDE = r"[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef]"
_ENDS_WIDE = re.compile(_WIDE + "$")
_STARTS_WIDE = re.compile(_WIDE)
_ITEM = re.compile(
    r"(?:[-*•·●▪◦‣]|\(?\d{1,3}[.)、．]|[（(][\d一二三四五六七八九十]{1,3}[)）]|[一二三四五六七八九十]{1,3}、"
    r"|第[\d一二三四五六七八九十百]{1,4}[步条章节款点部])\s*\S"
)
_SENTENCE_END = tuple(".!?:;。！？：；")


@dataclass(frozen=True, slots=True)
class Box:
    """Text and where it stands, in points from the top left: a word, a run of words, or a line."""

    text: str
    x0: float
    x1: float
    top: float
    bottom: float
    column: int = 0
    """Tells apart what is read one after the other although it stands side by side."""
    is_spaced: bool = False
    """Whether a space was written before it, other than a mere gap."""

    @property
    def size(self) -> float:
        return self.bottom - self.top


def joined(words: Sequence[Box], column: int = 0) -> Box:
    """One box of words of a line; Chinese characters that are set apart without a space are put together again."""
    text = words[0].text
    for before, word in pairwise(words):
        is_near = word.x0 - before.x1 < 0.6 * word.size and not word.is_spaced
        is_one_word = is_near and _ENDS_WIDE.search(text) and _STARTS_WIDE.match(word.text)
        text += word.text if is_one_word else " " + word.text
    top, bottom = median(word.top for word in words), median(word.bottom for word in words)
    return Box(text, words[0].x0, max(word.x1 for word in words), top, bottom, column)


def rows_of(words: Iterable[Box]) -> list[list[Box]]:
    """Words that share a line (more than half of the height overlaps), from top to bottom and left to right."""
    rows: list[list[Box]] = []
    top = bottom = 0.0
    for word in sorted(words, key=lambda word: (word.top + word.bottom, word.x0)):
        overlap = min(bottom, word.bottom) - max(top, word.top)
        if rows and overlap > 0.5 * min(bottom - top, word.size):
            rows[-1].append(word)
            continue
        rows.append([word])
        top, bottom = word.top, word.bottom
    return [sorted(row, key=lambda word: word.x0) for row in rows]


def segments_of(row: Sequence[Box]) -> list[Box]:
    """The row cut at holes wider than its letters are high, as between columns or cells."""
    segments: list[list[Box]] = []
    for word in row:
        if segments and word.x0 - segments[-1][-1].x1 <= word.size:
            segments[-1].append(word)
        else:
            segments.append([word])
    return [joined(segment) for segment in segments]


def gutter_of(rows: Sequence[Sequence[Box]]) -> float | None:
    """The middle of an empty strip between two columns of prose, if the page has one.

    Seven of ten rows must keep out of it, and half of those must have running text on both sides: one segment each,
    unlike the cells of a table.
    """
    if len(rows) < 12:
        return None
    x0, x1 = min(row[0].x0 for row in rows), max(row[-1].x1 for row in rows)
    for share in (0.5, 0.48, 0.52, 0.46, 0.54, 0.44, 0.56):
        x = x0 + (x1 - x0) * share
        apart = [row for row in rows if not any(word.x0 - 4 < x < word.x1 + 4 for word in row)]
        prose = [row for row in apart if _is_two_columns_of_prose(segments_of(row), x, x1 - x0)]
        if len(apart) >= 0.7 * len(rows) and len(prose) >= 0.5 * len(apart):
            return x
    return None


def lines_of(rows: Sequence[Sequence[Box]], gutter: float | None) -> list[Box]:
    """Lines in reading order; beside a gutter first the left column, then the right, between rows that cross it."""
    if gutter is None:
        return [joined(row) for row in rows]
    lines: list[Box] = []
    left: list[Box] = []
    right: list[Box] = []
    for row in rows:
        if any(word.x0 < gutter < word.x1 for word in row):
            lines += [*left, *right, joined(row)]
            left, right = [], []
            continue
        for column, words in ((1, [w for w in row if w.x1 <= gutter]), (2, [w for w in row if w.x0 >= gutter])):
            if words:
                (left if column == 1 else right).append(joined(words, column))
    return lines + left + right


def body_size(lines: Iterable[Box]) -> float:
    """The height in which most characters are set."""
    sizes: Counter[float] = Counter()
    for line in lines:
        sizes[round(line.size, 1)] += len(line.text)
    return sizes.most_common(1)[0][0] if sizes else 0.0


def paragraphs(lines: Sequence[Box]) -> Iterator[list[Box]]:
    """Runs of lines that stand together: of one size, in one column, about as near as lines of this page stand."""
    gaps = [after.top - line.bottom for line, after in pairwise(lines) if after.top > line.top]
    usual = median(gaps) if gaps else 0.0
    run: list[Box] = []
    for line in lines:
        if run and not _stands_by(run[-1], line, usual):
            yield run
            run = []
        run.append(line)
    if run:
        yield run


def flow(run: Sequence[Box], right: float) -> str:
    """The text of a paragraph: lines that were only wrapped (they reach ``right``) are joined, others stay lines."""
    text = run[0].text
    for before, line in pairwise(run):
        joint = _joint(text, before, line, right)
        text = (text[:-1] if text.endswith("\u00ad") else text) + joint + line.text
    return text


def unwrapped(cell: str) -> str:
    """The text of a cell without its line breaks, which are spaces only beside letters that need them."""
    return re.sub(rf"(?<={_WIDE})\n(?={_WIDE})", "", cell).replace("\n", " ").strip()


def _joint(text: str, before: Box, line: Box, right: float) -> str:
    reaches_right = before.x1 >= right - 3 * line.size
    is_wrapped = reaches_right and not _ITEM.match(line.text) and line.x0 < before.x0 + 1.5 * line.size
    goes_on = line.text[:1].islower() and not text.endswith(_SENTENCE_END)
    if not (is_wrapped or goes_on):
        return "\n"
    is_hyphenated = re.search(r"[A-Za-z][-\u00ad\u2010]$", text) and line.text[:1].islower()
    if is_hyphenated or (_ENDS_WIDE.search(text) and _STARTS_WIDE.match(line.text)):
        return ""
    return " "


def _stands_by(before: Box, line: Box, usual: float) -> bool:
    gap = line.top - before.bottom
    near = min(max(0.6 * line.size, 1.25 * usual), 1.6 * line.size)
    return -0.5 * line.size <= gap <= near and before.column == line.column and _alike(before.size, line.size)


def _alike(one: float, other: float) -> bool:
    return abs(one - other) <= 0.1 * max(one, other)


def _is_two_columns_of_prose(segments: Sequence[Box], x: float, width: float) -> bool:
    if len(segments) != 2 or not segments[0].x1 < x < segments[1].x0:
        return False
    return all(segment.x1 - segment.x0 > 0.25 * width for segment in segments)
