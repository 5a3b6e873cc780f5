"""What a question is about: its content terms, and how much of them a passage covers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from math import log
from typing import Final

from bot.agent.offline.words import ASKING_ZH, FILLER_ZH, STOP_EN
from retrieval.analysis import analyse, is_identifier, lonely_characters, normalise

_ENDINGS: Final = ("ings", "ing", "edly", "ed", "ies", "es", "s", "e")
_LETTER: Final = re.compile(r"(?<![A-Za-z0-9'’&-])[A-Z](?![A-Za-z0-9'’&]|[-_.]\w)")
_MARKS: Final = "?.,!:;'\"()"


def stem(word: str) -> str:
    """A word without its commonest English ending; codes and numbers stay whole."""
    if not word.isascii() or not word.isalpha():
        return word
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)] + ("i" if ending == "ies" else "")
    return word[:-1] + "i" if word.endswith("y") and len(word) > 3 else word


def content_terms(text: str) -> tuple[str, ...]:
    """Stems of content words, whole codes, and bigrams of Chinese (or a character that stands alone); each once."""
    capitals = letters(text)
    topic = normalise(about(text))
    terms = analyse(topic)
    words = (stem(word) for word in _told_apart(terms.words, capitals) if word not in STOP_EN or word in capitals)
    codes = (code for code in terms.codes if is_identifier(code))
    return tuple(dict.fromkeys((*words, *codes, *terms.bigrams, *lonely_characters(topic))))


def about(text: str) -> str:
    """The text without the words of asking, which leave a gap; what is left names the topic."""
    capitals = {letter.upper() for letter in letters(text)}
    words = FILLER_ZH.sub(" ", ASKING_ZH.sub(" ", text)).split()
    return " ".join(word for word in words if word in capitals or word.lower().strip(_MARKS) not in STOP_EN)


def letters(text: str) -> frozenset[str]:
    """Capital letters that stand alone within the text, as in house type A: names, not articles. Lower case."""
    found = (match for match in _LETTER.finditer(text) if match.start() > 0)
    return frozenset(match[0].lower() for match in found if match[0] != "I")


def _told_apart(words: Iterable[str], capitals: frozenset[str]) -> Iterable[str]:
    """The words without single letters, unless they name a thing: an article is not house type A."""
    return (word for word in words if len(word) > 1 or not word.isascii() or word.isdigit() or word in capitals)


def exact_terms(terms: Iterable[str]) -> tuple[str, ...]:
    """The terms with a digit: numbers, years and codes, for which nothing similar will do."""
    return tuple(term for term in terms if any(character.isdigit() for character in term))


class TermsOf:
    """The terms of one text to be searched, made once and asked for many questions' terms."""

    def __init__(self, text: str) -> None:
        terms = analyse(text)
        words = (stem(word) for word in _told_apart(terms.words, letters(text)))
        self._terms = frozenset((*words, *terms.codes, *terms.bigrams, *terms.characters))

    def __contains__(self, term: str) -> bool:
        return term in self._terms


def rarity(terms: Sequence[str], candidates: Sequence[TermsOf]) -> dict[str, float]:
    """The weight of each term: 1 + idf over the candidates (BM25's, Robertson & Spärck Jones 1976)."""
    total = len(candidates)
    weights = {}
    for term in terms:
        holders = sum(term in candidate for candidate in candidates)
        weights[term] = 1 + log(1 + (total - holders + 0.5) / (holders + 0.5))
    return weights


def coverage(weights: dict[str, float], text: TermsOf) -> float:
    """The weighted share of the terms that the text holds, from 0 to 1; 0 without terms."""
    total = sum(weights.values())
    return sum(weight for term, weight in weights.items() if term in text) / total if total else 0.0
