"""The features by which the offline checker decides."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from bot.agent.model import Findings
from bot.agent.offline.calibration import Features
from bot.agent.offline.terms import TermsOf, content_terms, coverage, exact_terms, rarity
from retrieval.language import detect
from retrieval.model import Passage, RankedPassage

TOGETHER: Final = 3
"""Passages that may answer a question together."""
ENOUGH: Final = 6
"""Passages from which on a margin over the others says something."""

_CAPITALISED: Final = re.compile(r"(?<=\S )[A-Z][\w'’-]+")
_QUOTED: Final = re.compile(r"[《「“\"]([^《「“\"》」”]+)[》」”\"]")


def features_of(found: Findings) -> Features | None:
    """The features of a finding; None when nothing was found."""
    if not found.ranked:
        return None
    texts = [TermsOf(whole_text(item.passage)) for item in found.ranked]
    best = max(found.ranked[:TOGETHER], key=lambda item: item.similarity)
    names = names_of(found.query)
    missing = [name for name in names if not any(name in text for text in texts[:TOGETHER])]
    weights = rarity(content_terms(found.query), texts)
    return Features(
        similarity=best.similarity,
        margin=_margin(found.ranked, best.similarity),
        covered=max(_covered(item.passage, weights) for item in found.ranked[:TOGETHER]),
        missing=len(missing) / len(names) if names else 0.0,
        is_foreign=detect(best.passage.text) != detect(found.query),
    )


def names_of(question: str) -> tuple[str, ...]:
    """Terms for which nothing similar will do: capitalised words, what stands in quotes, numbers and codes."""
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
    """What the best sentence holds, together with the title and headings that it stands under."""
    return max(
        (coverage(weights, TermsOf(text)) for text in _sentences(passage)),
        default=0.0,
    )


def _sentences(passage: Passage) -> Iterable[str]:
    above = f"{passage.title}\n{passage.context}"
    return (f"{above}\n{passage.text[span.start : span.end]}" for span in passage.sentences)
