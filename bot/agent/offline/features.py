"""The features by which the offline checker decides."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from bot.agent.model import Findings
from bot.agent.offline.calibration import Features
from bot.agent.offline.terms import TermsOf, content_terms, coverage, exact_terms, letters, rarity
from retrieval.analysis import identifiers
from retrieval.model import Passage, RankedPassage

TOGETHER: Final = 3
"""Passages that may answer a question together."""
ENOUGH: Final = 6
"""Passages from which on a margin over the others says something."""

_CAPITALISED: Final = re.compile(r"(?<=\S )[A-Z][\w'’-]+")
_QUOTED: Final = re.compile(r"[《「“\"]([^《「“\"》」”]+)[》」”\"]")


def features_of(found: Findings) -> Features | None:
    """The features of what was found in the question's language; None when nothing was."""
    return _features(found.query, found.ranked, is_foreign=False)


def foreign_features_of(found: Findings) -> Features | None:
    """The features of what was found in the other language; None when nothing was."""
    return _features(found.query, found.foreign, is_foreign=True)


def _features(query: str, ranked: tuple[RankedPassage, ...], *, is_foreign: bool) -> Features | None:
    if not ranked:
        return None
    texts = [TermsOf(whole_text(item.passage)) for item in ranked]
    names, things = names_of(query), things_of(query)
    missing = [name for name in names if not any(name in text for text in texts[:TOGETHER])]
    weights = rarity(content_terms(query), texts)
    best = max(item.similarity for item in ranked[:TOGETHER])
    return Features(
        similarity=best,
        margin=_margin(ranked, best),
        covered=max(_covered(item.passage, weights) for item in ranked[:TOGETHER]),
        missing=len(missing) / len(names) if names else 0.0,
        exact=0 if not things else 1 if all(thing in texts[0] for thing in things) else -1,
        is_foreign=is_foreign,
    )


def names_of(question: str) -> tuple[str, ...]:
    """Terms for which nothing similar will do: capitalised words, what stands in quotes, and numbers."""
    quoted = [*_CAPITALISED.findall(question), *_QUOTED.findall(question)]
    terms = (term for words in quoted for term in content_terms(words))
    return tuple(dict.fromkeys((*terms, *exact_terms(content_terms(question)))))


def things_of(question: str) -> tuple[str, ...]:
    """The codes and lone letters that tell one thing from its likes: M-208, house type A."""
    return (*sorted(identifiers(question)), *sorted(letters(question)))


def whole_text(passage: Passage) -> str:
    """All words by which a passage may fit a question: title, context and text."""
    return f"{passage.title}\n{passage.context}\n{passage.text}"


def _margin(ranked: tuple[RankedPassage, ...], best: float) -> float | None:
    if len(ranked) < ENOUGH:
        return None
    others = [item.similarity for item in ranked[TOGETHER:]]
    return best - sum(others) / len(others)


def _covered(passage: Passage, weights: dict[str, float]) -> float:
    """What the best sentence holds, together with the title and headings that it stands under."""
    return max(
        (coverage(weights, TermsOf(text)) for text in _sentences(passage)),
        default=0.0,
    )


def _sentences(passage: Passage) -> Iterable[str]:
    above = f"{passage.title}\n{passage.context}"
    return (f"{above}\n{passage.text[span.start : span.end]}" for span in passage.sentences)
