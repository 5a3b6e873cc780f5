"""How text becomes search terms: the same rules for every full-text engine, for passages and for questions.

Words of alphabetic scripts, bigrams of Chinese, single Chinese characters, and codes. English stemming is left to the
engine, because each has the same Snowball stemmer.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from retrieval.han import fold

HAN = "\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
"""Chinese characters, as the inside of a character class."""

_CJK = HAN + "\u3041-\u309f\u30a1-\u30ff\uac00-\ud7af"  # kana and hangul are not spaced either, or not enough
_CJK_RUN = re.compile(f"[{_CJK}]+")
_LETTER = f"(?:(?![{_CJK}])[^\\W_])"
_COMPOUND = re.compile(f"{_LETTER}+(?:[-–_./:#]{_LETTER}+)*")
_PART = re.compile(r"\d+|[^\W\d_]+")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_POSSESSIVE = re.compile(r"['’]s\b")
_ACCENT = re.compile("[\u0300-\u036f]+")
_MAX_CODE_PARTS = 8
_MIN_CODE_DIGITS = 5


@dataclass(frozen=True, slots=True)
class Terms:
    """Terms of a text in their order, repetitions kept.

    ``codes`` are compounds such as ``m-208`` in one spelling (parts joined by hyphens, so that M208, M-208 and m_208
    are one); their parts are among ``words``. ``bigrams`` are pairs of neighbouring Chinese characters, ``characters``
    all of them.
    """

    words: tuple[str, ...]
    bigrams: tuple[str, ...]
    characters: tuple[str, ...]
    codes: tuple[str, ...]


def analyse(text: str) -> Terms:
    """The terms of a passage."""
    normal = normalise(text)
    runs = _CJK_RUN.findall(normal)
    words: list[str] = []
    codes: list[str] = []
    for compound in _COMPOUND.findall(normal):
        parts = _PART.findall(compound)
        words.extend(parts)
        if 1 < len(parts) <= _MAX_CODE_PARTS:
            codes.append("-".join(parts))
    return Terms(
        words=tuple(words),
        bigrams=tuple(run[at : at + 2] for run in runs for at in range(len(run) - 1)),
        characters=tuple(character for run in runs for character in run),
        codes=tuple(codes),
    )


def lonely_characters(text: str) -> tuple[str, ...]:
    """Chinese characters that stand alone and so are in no bigram: a question may be one character."""
    return tuple(run for run in _CJK_RUN.findall(normalise(text)) if len(run) == 1)


def identifiers(text: str) -> frozenset[str]:
    """The codes that name one thing: a letter and a digit, or five digits at least; not 3.14 or co-founder."""
    return frozenset(code for code in analyse(text).codes if is_identifier(code))


def is_identifier(code: str) -> bool:
    digits = sum(character.isdigit() for character in code)
    has_letter = any(character.isalpha() for character in code)
    return digits >= (1 if has_letter else _MIN_CODE_DIGITS)


def normalise(text: str) -> str:
    """One form for what people see as the same: width, case, accents, radicals, script, 1,280 and 1280."""
    folded = unicodedata.normalize("NFD", fold(text).casefold())
    bare = unicodedata.normalize("NFC", _ACCENT.sub("", folded))
    return _POSSESSIVE.sub("", _THOUSANDS.sub("", bare))
