"""Long Markdown cut into messages that Slack takes, at paragraphs where possible."""

from __future__ import annotations

import re
from collections.abc import Iterator

MARKDOWN_LIMIT = 11_800
"""Characters of markdown blocks in one message: Slack's 12,000 for all of them, less a margin."""
BLOCK_LIMIT = 36
"""Blocks that one markdown block may be counted as: Slack's 50 a message, less those that stand around it."""

# Headings, rules, pictures and tables stand alone among the blocks that Slack makes of a markdown block.
_ALONE = re.compile(r"\s{0,3}(?:#{1,6}\s|(?:-{3,}|\*{3,}|_{3,})\s*$|!\[)")
_ROW = re.compile(r"\s*\|")
_CUTS = (re.compile(r"\n"), re.compile(r"[.!?。！？；;]['\"”’）)\]]*(?=\s|$|[^\x00-\x7f])"), re.compile(r"\s|，|、|,"))
_PARAGRAPH_END = re.compile(r"\n\s*\n")
_FENCE = re.compile(r"(?m)^```")
_FENCE_LINE = "```\n"


def split(text: str, *, limit: int = MARKDOWN_LIMIT) -> list[str]:
    """Pieces of at most ``limit`` characters and BLOCK_LIMIT expanded blocks; at least one, none blank unless ``text``
    is. Nothing is lost but blank lines at the cuts; ``[12]`` is never cut; an open fence is closed and opened again."""
    room = limit - 2 * len(_FENCE_LINE) if "```" in text else limit
    pieces: list[str] = []
    current: list[str] = []
    length, blocks = 0, 0
    for paragraph in _paragraphs(text, room):
        more, alone = len(paragraph) + 2, expanded_blocks(paragraph)
        if current and (length + more - 2 > room or blocks + alone > BLOCK_LIMIT):
            pieces.append("\n\n".join(current))
            current, length, blocks = [], 0, 0
        current.append(paragraph)
        length, blocks = length + more, blocks + alone - 1
    return list(_balanced([*pieces, "\n\n".join(current)]))


def _balanced(pieces: list[str]) -> Iterator[str]:
    """Each fence that a cut left open is closed at the end of its piece and opened again in the next."""
    is_open = False
    for piece in pieces:
        lead = _FENCE_LINE if is_open else ""
        is_open ^= len(_FENCE.findall(piece)) % 2 == 1
        yield lead + piece + (f"\n{_FENCE_LINE.rstrip()}" if is_open else "")


def expanded_blocks(markdown: str) -> int:
    """How many blocks Slack may count for it: what stands alone, each with text before and after."""
    return 1 + 2 * sum(_stand_alone(markdown.split("\n")))


def _stand_alone(lines: list[str]) -> Iterator[bool]:
    """For each line whether something that stands alone begins there; the rows of a table are one thing."""
    in_table = False
    for line in lines:
        is_row = _ROW.match(line) is not None
        yield (is_row and not in_table) or _ALONE.match(line) is not None
        in_table = is_row


def _paragraphs(text: str, limit: int) -> Iterator[str]:
    """Paragraphs of at most ``limit`` characters; a fence with blank lines in it is one, as long as it fits."""
    gathered: list[str] = []
    fenced = False
    for paragraph in _PARAGRAPH_END.split(text.strip("\n")):
        gathered.append(paragraph)
        fenced ^= len(_FENCE.findall(paragraph)) % 2 == 1
        if not fenced:
            yield from _shortened("\n\n".join(gathered), limit)
            gathered = []
    if gathered:
        yield from _shortened("\n\n".join(gathered), limit)


def _shortened(paragraph: str, limit: int) -> Iterator[str]:
    """The paragraph in parts that fit."""
    start = 0
    while (end := _end_of_part(paragraph, start, limit)) < len(paragraph):
        yield paragraph[start:end].rstrip("\n")
        start = end
    yield paragraph[start:]


def _end_of_part(text: str, start: int, room: int) -> int:
    """Where the part that begins at ``start`` ends: at the text's end if it fits, else at a line's end, a sentence's,
    a word's, or between characters."""
    window = text[start : start + room]
    few = _length_within_blocks(window)
    if few == len(window) and start + room >= len(text):
        return len(text)
    for pattern in _CUTS:
        ends = [match.end() for match in pattern.finditer(window, few // 2, few)]
        if ends:
            return start + ends[-1]
    bracket = window.rfind("[", max(0, few - 5), few)
    cuts_number = bracket > 0 and text.find("]", start + bracket, start + bracket + 6) >= start + few
    return start + (bracket if cuts_number else max(few, 1))


def _length_within_blocks(window: str) -> int:
    """The length of the whole lines at its beginning that count as few enough blocks."""
    lines = window.split("\n")
    blocks, length = 1, 0
    for line, alone in zip(lines, _stand_alone(lines), strict=True):
        blocks += 2 * alone
        if blocks > BLOCK_LIMIT:
            return max(length, 1)
        length += len(line) + 1
    return len(window)
