"""Splits a message into the things it asks, by punctuation and the words of asking."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from bot.agent.offline.words import ASKING_EN, ASKING_ZH, COURTESY, REQUEST, SOURCE_WANTED

MAX_PARTS: Final = 6
"""Parts that are answered; more than people ask in one message, few enough for one run's time."""

_END: Final = re.compile(r"(?<=[?？!！。;；])[\s\"'”’」』)）]*|\n+|(?<=[a-z0-9)])\.\s+(?=[A-Z])")
_ABBREVIATION: Final = re.compile(r"\b(?:Dr|Mr|Mrs|Ms|St|No|vs|etc|Inc|Ltd|Co|Jr|Sr|Prof|Gen|approx|e\.g|i\.e)\.\s*$")
_CLAUSE_ZH: Final = re.compile("[，,、]")
_CLAUSE_EN: Final = re.compile(
    r"(?:,\s*|\s+)(?:and|but)\s+(?=(?:who|what|when|where|why|which|how|whose|whom)\b)"
    r"|,\s*(?=(?:who|what|when|where|why|how)\b)",
    re.IGNORECASE,
)
_RELATIVE: Final = re.compile(r"^\W*(?:which|who|whose|whom)\b", re.IGNORECASE)
_RELATIVE_CLAUSE: Final = re.compile(r"^(?:who|whose|which|whom|where|when)\b", re.IGNORECASE)
_TRIM: Final = " \t\n?？!！。;；，,、.:：-–—•"
_WORDS_EN: Final = re.compile(r"[a-z']+")
_HAN: Final = re.compile("[㐀-鿿]")
_NUMBERED: Final = re.compile(r"^\s*(?:\(?\d{1,2}[.)、）]|[-*•])\s*")


@dataclass(frozen=True, slots=True)
class Piece:
    """One thing asked, as written.

    ``continues``: its subject is in the piece before it; ``context``: statements that led up to it.
    """

    text: str
    continues: bool = False
    context: str = ""


def asks(text: str) -> bool:
    """Whether the text asks or requests something, going by its words and marks."""
    if any(mark in text for mark in "?？") or ASKING_ZH.search(text) or REQUEST.search(text):
        return True
    words = _WORDS_EN.findall(text.lower())
    return bool(words) and words[0] in ASKING_EN | {"is", "are", "do", "does", "did", "can", "could", "was", "were"}


def split(text: str) -> tuple[Piece, ...]:
    """The pieces of a message in order, at most MAX_PARTS. Statements become the context of the piece after them."""
    pieces: list[Piece] = []
    context: list[str] = []
    sentences = _sentences(text)
    someone_asks = any(asks(sentence) for sentence in sentences)
    for sentence in sentences:
        if COURTESY.match(sentence):
            continue
        if someone_asks and not asks(sentence):
            context.append(sentence.strip(_TRIM))
            continue
        clauses = _clauses(sentence)
        for position, clause in enumerate(clauses):
            before = " ".join(context) if position == 0 else ""
            pieces.append(Piece(clause, continues=position > 0, context=before))
        context.clear()
    if not someone_asks and len(pieces) > 1:
        return (Piece(" ".join(piece.text for piece in pieces)),)
    return tuple(pieces[:MAX_PARTS])


def _sentences(text: str) -> list[str]:
    sentences: list[str] = []
    start = 0
    for match in _END.finditer(text):
        if match.start() == start or _ABBREVIATION.search(text[start : match.end()]):
            continue
        sentences.append(text[start : match.end()])
        start = match.end()
    sentences.append(text[start:])
    stripped = (_NUMBERED.sub("", sentence).strip() for sentence in sentences)
    return [sentence for sentence in stripped if sentence.strip(_TRIM)]


def _clauses(sentence: str) -> list[str]:
    """A sentence that asks several things, cut between them; otherwise the sentence alone."""
    parts = _clauses_zh(sentence) if _HAN.search(sentence) else _clauses_en(sentence)
    trimmed = [part.strip(_TRIM) for part in parts]
    return [part for part in trimmed if part] or [sentence.strip()]


def _clauses_zh(sentence: str) -> list[str]:
    """Each clause with an interrogative or a wish for a source of its own ends a part."""
    parts: list[str] = []
    current = ""
    for clause in _pieces_between(_CLAUSE_ZH, sentence):
        is_question = ASKING_ZH.search(clause) or SOURCE_WANTED.search(clause)
        if is_question and (ASKING_ZH.search(current) or SOURCE_WANTED.search(current)):
            parts.append(current)
            current = clause
        else:
            current += clause
    return [*parts, current]


def _clauses_en(sentence: str) -> list[str]:
    parts: list[str] = []
    start = 0
    for match in _CLAUSE_EN.finditer(sentence):
        before, after = sentence[start : match.start()], sentence[match.end() :]
        is_relative = _RELATIVE.match(before) and _RELATIVE_CLAUSE.match(after)
        if asks(before) and not is_relative:
            parts.append(before)
            start = match.end()
    return [*parts, sentence[start:]]


def _pieces_between(mark: re.Pattern[str], text: str) -> list[str]:
    """The text cut after each mark, nothing lost."""
    ends = [match.end() for match in mark.finditer(text)]
    return [text[start:end] for start, end in zip([0, *ends], [*ends, len(text)], strict=True) if start < end]
