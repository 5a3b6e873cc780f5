"""The features by which the offline checker decides."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from bot.agent.model import Findings
from bot.agent.offline.calibration import Features
from bot.agent.offline.tables import header_of
from bot.agent.offline.terms import TermsOf, content_terms, coverage, exact_terms, letters, rarity
from retrieval.analysis import analyse, identifiers
from retrieval.model import Passage, RankedPassage

TOGETHER: Final = 3
"""Passages that may answer a question together."""
ENOUGH: Final = 6
"""Passages from which on a margin over the others says something."""

_CAPITALISED: Final = re.compile(r"(?<=\S )[A-Z][\w'’-]+")
_QUOTED: Final = re.compile(r"[《「“\"]([^《「“\"》」”]+)[》」”\"]")


def features_of(found: Findings) -> Features | None:
    """The features of a finding; None when nothing was found."""
    query, ranked = found.query, found.ranked
    if not ranked:
        return None
    # What is asked of a thing, not its code: every row of its table is about it.
    asked = [term for term in content_terms(query) if term not in _code_terms(query)]
    weights = rarity(asked, [TermsOf(whole_text(item.passage)) for item in ranked])
    best = about_the_thing(found)[:TOGETHER]
    texts = [TermsOf(whole_text(item.passage)) for item in best]
    names = names_of(naming(found))
    missing = [name for name in names if not any(name in text for text in texts)]
    similarity = max(item.similarity for item in best)
    is_held = all(thing in texts[0] for thing in things_named(found))
    return Features(
        similarity=similarity,
        margin=_margin(ranked, similarity),
        covered=max(_covered(item.passage, weights) for item in best) if asked else 1.0,
        missing=len(missing) / len(names) if names else 0.0,
        held=int(bool(identifiers(query)) and is_held),
        lacked=int(not is_held),
    )


def about_the_thing(found: Findings) -> tuple[RankedPassage, ...]:
    """The passages that hold every code and letter which the question names a thing by; all of them if none does.

    Of a question put to another subject (what about X?), those that hold most of that subject's words.
    """
    things = things_named(found)
    ranked = tuple(item for item in found.ranked if holds(whole_text(item.passage), things)) or found.ranked
    if not found.part.instead:
        return ranked
    words = content_terms(found.part.own)
    held = [held_of(words, whole_text(item.passage)) for item in ranked]
    return tuple(item for item, count in zip(ranked, held, strict=True) if count == max(held))


def held_of(words: Iterable[str], text: str) -> int:
    """How many of the terms the text holds."""
    terms = TermsOf(text)
    return sum(word in terms for word in words)


def things_named(found: Findings) -> frozenset[str]:
    """Codes and letters that an answer must hold: those of the topic only when a follow-up names nothing itself."""
    return things_of(naming(found))


def naming(found: Findings) -> str:
    """The words that name what is asked about: a follow-up's own when it names something, else the whole query."""
    own = found.part.own
    return own if found.part.instead or things_of(own) else found.query


def things_of(question: str) -> frozenset[str]:
    """Codes and lone letters, which tell a thing from its likes: M-208, house type A."""
    return identifiers(question) | letters(question)


def _code_terms(question: str) -> frozenset[str]:
    terms = [analyse(code) for code in identifiers(question)]
    return frozenset(term for item in terms for term in (*item.words, *item.codes))


def holds(text: str, things: frozenset[str]) -> bool:
    """Whether the text holds all of them."""
    terms = TermsOf(text)
    return all(thing in terms for thing in things)


def names_of(question: str) -> tuple[str, ...]:
    """Terms for which nothing similar will do: capitalised words, what stands in quotes, and numbers."""
    quoted = [*_CAPITALISED.findall(question), *_QUOTED.findall(question)]
    terms = (term for words in quoted for term in content_terms(words))
    return tuple(dict.fromkeys((*terms, *exact_terms(content_terms(question)))))


def whole_text(passage: Passage) -> str:
    """All words by which a passage may fit a question: title, context and text."""
    return f"{passage.title}\n{passage.context}\n{passage.text}"


def _margin(ranked: tuple[RankedPassage, ...], best: float) -> float | None:
    if len(ranked) < ENOUGH:
        return None
    others = [item.similarity for item in ranked[TOGETHER:]]
    return best - sum(others) / len(others)


def _covered(passage: Passage, weights: dict[str, float]) -> float:
    """What the best sentence holds, together with the title, headings and table header that it stands under."""
    above = f"{passage.title}\n{passage.context}"
    texts = (
        f"{above}\n{header_of(passage, span)}\n{passage.text[span.start : span.end]}" for span in passage.sentences
    )
    return max((coverage(weights, TermsOf(text)) for text in texts), default=0.0)
