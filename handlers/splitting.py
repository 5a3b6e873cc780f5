"""Long Markdown cut into messages that Slack takes, at paragraphs where possible."""

from __future__ import annotations

import re
from collections.abc import Iterator

MARKDOWN_LIMIT = 11_800
"""Characters of markdown blocks in one message: Slack's 12,000 for all of them, less a margin."""
BLOCK_LIMIT = 36
"""Blocks that one markdown block may be counted as: Slack's 50 a message, less those that stand around it."""

_SPECIAL = re.compile(r"^\s{0,3}(#{1,6}\s|(-{3,}|\*{3,}|_{3,})\s*$|\||!\[)", re.MULTILINE)
_CUTS = (re.compile(r"\n"), re.compile(r"[.!?。！？；;]['\"”’）)\]]*(?=\s|$|[^\x00-\x7f])"), re.compile(r"\s|，|、|,"))


def split(text: str, *, limit: int = MARKDOWN_LIMIT) -> list[str]:
    """Pieces of at most ``limit`` characters and BLOCK_LIMIT expanded blocks; at least one, none blank unless ``text``
    is. Nothing is lost but blank lines at the cuts; ``[12]`` is never cut; an open fence is closed and opened again."""
    pieces: list[str] = []
    current: list[str] = []
    for paragraph in _paragraphs(text, limit):
        if current and not _fits([*current, paragraph], limit):
            pieces.append("\n\n".join(current))
            current = []
        current.append(paragraph)
    return [*pieces, "\n\n".join(current)]


def expanded_blocks(markdown: str) -> int:
    """How many blocks Slack may count for it: headings, rules and tables stand alone, with text before and after."""
    return 1 + 2 * len(_SPECIAL.findall(re.sub(r"(?m)(^\s*\|.*\n?)+", "|\n", markdown)))


def _fits(paragraphs: list[str], limit: int) -> bool:
    joined = "\n\n".join(paragraphs)
    return len(joined) <= limit and expanded_blocks(joined) <= BLOCK_LIMIT


def _paragraphs(text: str, limit: int) -> Iterator[str]:
    """Paragraphs of at most ``limit`` characters; a fence with blank lines in it is one, as long as it fits."""
    gathered: list[str] = []
    fenced = False
    for paragraph in re.split(r"\n\s*\n", text.strip("\n")):
        gathered.append(paragraph)
        fenced ^= len(re.findall(r"(?m)^```", paragraph)) % 2 == 1
        if not fenced:
            yield from _shortened("\n\n".join(gathered), limit)
            gathered = []
    if gathered:
        yield from _shortened("\n\n".join(gathered), limit)


def _shortened(paragraph: str, limit: int) -> Iterator[str]:
    fenced = paragraph.startswith("```")
    room = limit - 8 if fenced else limit
    while len(paragraph) > room or expanded_blocks(paragraph) > BLOCK_LIMIT:
        cut = _cut_at(paragraph, room)
        head, paragraph = paragraph[:cut].rstrip("\n"), paragraph[cut:].lstrip("\n")
        yield f"{head}\n```" if fenced else head
        paragraph = f"```\n{paragraph}" if fenced else paragraph
    yield paragraph


def _cut_at(text: str, limit: int) -> int:
    """The last good place to cut within ``limit``: a line's end, a sentence's, a word's, else between characters."""
    if expanded_blocks(text[:limit]) > BLOCK_LIMIT:
        limit = _within_blocks(text, limit)
    for pattern in _CUTS:
        ends = [match.end() for match in pattern.finditer(text, limit // 2, limit)]
        if ends:
            return ends[-1]
    open_bracket = text.rfind("[", max(0, limit - 6), limit)
    closed = text.find("]", open_bracket) if open_bracket >= 0 else -1
    return open_bracket if open_bracket > 0 and limit <= closed else limit


def _within_blocks(text: str, limit: int) -> int:
    """The end of the last line up to which the text counts as few enough blocks."""
    end = 0
    for line in re.finditer(r"[^\n]*\n", text[:limit]):
        if expanded_blocks(text[: line.end()]) > BLOCK_LIMIT:
            return max(end, 1)
        end = line.end()
    return limit
