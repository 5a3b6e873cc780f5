"""Where sentences begin and end, in English, Chinese and text that mixes them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from retrieval.model import Span

_LINE = re.compile(r"[^\n\r\v\f\x1c-\x1e\x85\u2028\u2029]+")
_TABLE_ROW = re.compile(r"\s*\|")
_TABLE_RULE = re.compile(r"\s*\|[\s:|-]*-[\s:|-]*$")
_LIST_ITEM = re.compile(
    r"\s*(?:[-*+•·●▪◦‣]\s|#{1,6}\s|\(?\d{1,3}[.)、．]\s*\S|[（(][\d一二三四五六七八九十]{1,3}[)）]|[a-zA-Z][.)]\s)"
)
_ENUMERATOR = re.compile(r"\s*(?:\(?(?:\d{1,3}(?:\.\d{1,3})*|[a-zA-Z]|[ivxIVX]{1,5}))$")
_END = re.compile(
    r"(?P<wide>[。！？；｡]+|…+|(?<=[\u3400-\u9fff])[.!?]+(?=[\u3400-\u9fff\s]|$))(?P<wide_close>[”’」』）》】〉\"')\]]*)"
    r"|(?P<narrow>[.!?]+)(?P<narrow_close>[\"'”’)\]」』）》】]*)"
)
_WORD_BEFORE = re.compile(r"[^\s(\[\"'“‘（]*$")
_WORD_AFTER = re.compile(r"\s+[\"'“‘(\[（「『*_]*(\w+|.)")
_HAN = re.compile(r"[\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")

_NEVER_LAST = re.compile(
    r"mr|mrs|ms|dr|prof|rev|gen|col|lt|capt|sgt|hon|st|mt|nos?|figs?|eq|sec|ch|vol|art|pp|ed|eds|vs|cf|e\.g|i\.e"
    r"|approx|dept|est|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec|viz|al"
)
"""Abbreviations that something follows in the same sentence, unless the line ends there."""

_SOMETIMES_LAST = re.compile(r"inc|ltd|co|corp|llc|plc|bros|etc|jr|sr|ph\.d|(?:[a-z]\.)+[a-z]")

_OPENER = re.compile(
    r"the|an?|it|its|this|that|these|those|s?he|they|we|you|i|t?here|in|on|at|for|from|if|when|while|after|before|as"
    r"|but|and|so|however|please|no|yes|our|your|their|his|her|what|who|why|how|all|both|each"
)
"""A word that, capitalised behind an abbreviation which may end a sentence, shows that one has ended."""


def split(text: str) -> tuple[Span, ...]:
    """The sentences of ``text`` in order, without overlap; whatever is not blank is in exactly one of them.

    Sentences do not include the white space around them. A row of a Markdown table is one sentence (the rule under
    the header belongs to the header), and so is a list item as far as it has no full stop inside. A line break ends
    a sentence unless the next line goes on in lower case.
    """
    return tuple(
        span for start, end in _paragraphs(text) for span in _trimmed(text, start, _ends(text, start, end), end)
    )


def _paragraphs(text: str) -> Iterator[tuple[int, int]]:
    """Runs of text that hold whole sentences: a table row, or lines that were only wrapped."""
    start = end = -1
    for line in _LINE.finditer(text):
        if not line.group().strip():
            continue
        if start >= 0 and _goes_on(text, start, end, line):
            end = line.end()
            continue
        if start >= 0:
            yield start, end
        start, end = line.span()
    if start >= 0:
        yield start, end


def _goes_on(text: str, start: int, end: int, line: re.Match[str]) -> bool:
    if _TABLE_RULE.match(line.group()):
        return bool(_TABLE_ROW.match(text, start, end))
    if _TABLE_ROW.match(line.group()) or _TABLE_ROW.match(text, start, end) or _LIST_ITEM.match(line.group()):
        return False
    if text.count("\n", end, line.start()) > 1:
        return False
    return line.group().lstrip()[0].islower() and text[max(start, end - 80) : end].rstrip()[-1:] not in ".!?。！？；:："


def _ends(text: str, start: int, end: int) -> Iterator[int]:
    """Offsets inside a paragraph at which a sentence ends."""
    if _TABLE_ROW.match(text, start, end):
        return
    for mark in _END.finditer(text, start, end):
        if mark.group("wide") or _ends_narrow(text, start, end, mark):
            yield mark.end()


def _ends_narrow(text: str, start: int, end: int, mark: re.Match[str]) -> bool:
    """Whether ASCII punctuation ends a sentence: not within numbers, versions, addresses and abbreviations."""
    if mark.end() == end:
        return True
    following = _WORD_AFTER.match(text, mark.end(), end)
    if not following:
        return mark.group("narrow") != "." and bool(_HAN.match(text, mark.end()))
    if mark.group("narrow") != ".":
        return not following.group(1)[0].islower()
    if following.group(1)[0].islower() or _ENUMERATOR.match(text, start, mark.start()):
        return False
    return not _is_abbreviation(text, start, mark, following.group(1))


def _is_abbreviation(text: str, start: int, mark: re.Match[str], following: str) -> bool:
    before = _WORD_BEFORE.search(text, max(start, mark.start() - 40), mark.start())
    word = before.group() if before else ""
    lowered = word.lower()
    if lowered == "no" and not following[0].isdigit():
        return False
    if _NEVER_LAST.fullmatch(lowered):
        return True
    if _SOMETIMES_LAST.fullmatch(lowered):
        return not _OPENER.fullmatch(following.lower())
    is_initial = len(word) == 1 and word.isupper()
    return is_initial and word != "I"


def _trimmed(text: str, start: int, ends: Iterator[int], last: int) -> Iterator[Span]:
    for end in (*ends, last):
        piece = text[start:end]
        if stripped := piece.strip():
            first = start + piece.index(stripped[0])
            yield Span(first, first + len(stripped))
        start = end
