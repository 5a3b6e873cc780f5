"""Picks the sentences of the best passages that answer a part: few, short, and each adding something."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from bot.agent.model import Findings, Quote
from bot.agent.offline.features import about_the_thing, held_of, naming, whole_text
from bot.agent.offline.tables import header_of, is_header, is_row
from bot.agent.offline.terms import TermsOf, content_terms, rarity
from retrieval.analysis import identifiers
from retrieval.model import Passage, Span

SENTENCES: Final = 3
"""Sentences quoted of one passage at most."""
PASSAGES: Final = 2
"""Passages quoted for one part at most."""
SKIPPED: Final = 2
"""Sentences between two quoted ones that are quoted with them: of five steps, the second belongs to the first."""
STEPS: Final = 12
"""Steps of a list that are quoted at most."""
CLOSE: Final = 0.02
"""A sentence this close to the best one answers as well (e5's cosines of related sentences differ by 0.02–0.05)."""
TERM_BONUS: Final = 0.06
"""What covering all terms of the question adds to a sentence's cosine."""
WORTH_A_SOURCE: Final = 0.2
"""Share of the question's terms that a further passage must add to be quoted too."""
NEAR: Final = 0.03
"""How far a further passage's best sentence may be behind."""

_STEP: Final = re.compile(
    r"\s*(?:[-*•]\s|[（(]?(?:\d{1,2}|[一二三四五六七八九十]{1,3})[.)、）．]|[①-⑳]"
    r"|第[一二三四五六七八九十\d]{1,3}[步，,、:：]|step \d|(?:first|second|third|fourth|fifth|finally)\b|最后[一，,])",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Scored:
    """A sentence with its value for the question and the terms that it holds."""

    span: Span
    score: float
    terms: frozenset[str]


def choose(found: Findings) -> tuple[Quote, ...]:
    """Quotes of the best passage, and of one more that adds terms which the first lacks."""
    passages = [item.passage for item in about_the_thing(found)[: PASSAGES + 3]]
    texts = [TermsOf(whole_text(passage)) for passage in passages]
    weights = rarity(content_terms(found.query), texts)
    total = sum(weights.values()) or 1.0
    best = _picked(found, passages[0], weights)
    quotes = _quotes(passages[0], best)
    covered = {term for term in weights if term in texts[0]}
    floor = max((item.score for item in best), default=0.0) - NEAR
    for passage, text in zip(passages[1:], texts[1:], strict=True):
        if len({quote.passage.chunk_id for quote in quotes}) == PASSAGES:
            break
        gain = sum(weight for term, weight in weights.items() if term in text and term not in covered) / total
        picked = _picked(found, passage, weights)
        if gain >= WORTH_A_SOURCE and picked and picked[0].score >= floor:
            quotes += _quotes(passage, picked)
            covered |= {term for term in weights if term in text}
    return tuple(quotes)


def _picked(found: Findings, passage: Passage, weights: dict[str, float]) -> list[_Scored]:
    """The passage's best sentence, and those that are close to it or add terms; best first."""
    scored = sorted(_scored(found, passage, weights), key=lambda item: (-item.score, item.span.start))
    if not scored:
        return []
    codes = identifiers(naming(found))
    # The row of M-311 does not answer for M-208, however alike they are.
    scored = [item for item in scored if codes <= item.terms] or scored
    if found.part.instead:
        scored = _of_the_other_subject(scored, passage, content_terms(found.part.own))
    picked = [scored[0]]
    for item in scored[1:]:
        if len(picked) < SENTENCES and _answers_too(item, picked, passage):
            picked.append(item)
    return picked


def _of_the_other_subject(scored: list[_Scored], passage: Passage, words: Sequence[str]) -> list[_Scored]:
    """The sentences that hold most words of the subject which the question is put to now."""
    held = [held_of(words, passage.text[item.span.start : item.span.end]) for item in scored]
    return [item for item, count in zip(scored, held, strict=True) if count == max(held)]


def _answers_too(item: _Scored, picked: list[_Scored], passage: Passage) -> bool:
    """Whether a sentence is close to the best one, or near it with terms that are new; a row must hold what it does."""
    best = picked[0]
    if is_row(passage.text[item.span.start : item.span.end]):
        return item.score >= best.score - CLOSE and item.terms >= best.terms
    adds = item.terms - frozenset().union(*(other.terms for other in picked))
    return item.score >= best.score - (2 * CLOSE if adds else CLOSE)


def _scored(found: Findings, passage: Passage, weights: dict[str, float]) -> Iterator[_Scored]:
    total = sum(weights.values()) or 1.0
    cosines = (
        passage.sentence_vectors @ found.vector if len(passage.sentence_vectors) else [0.0] * len(passage.sentences)
    )
    for span, cosine in zip(passage.sentences, cosines, strict=True):
        sentence = passage.text[span.start : span.end]
        if is_header(sentence):
            continue
        text = TermsOf(sentence)
        terms = frozenset(term for term in weights if term in text)
        yield _Scored(span, float(cosine) + TERM_BONUS * sum(weights[term] for term in terms) / total, terms)


def _quotes(passage: Passage, picked: list[_Scored]) -> list[Quote]:
    """Quotes in reading order; sentences of running text that are near each other become one, nothing left out."""
    order = {span.start: at for at, span in enumerate(passage.sentences)}
    quotes: list[Quote] = []
    last = -1
    for span in sorted((item.span for item in picked), key=lambda span: span.start):
        at = order[span.start]
        run = passage.sentences[last : at + 1] if quotes and at - last <= 1 + SKIPPED else ()
        if run and not any(is_row(passage.text[item.start : item.end]) for item in run):
            quotes[-1] = Quote(passage, quotes[-1].start, _end_of_list(passage, quotes[-1].start, at))
        else:
            quotes.append(Quote(passage, span.start, span.end, header_of(passage, span)))
        last = at
    return quotes


def _end_of_list(passage: Passage, start: int, at: int) -> int:
    """Where a quote from ``start`` to the sentence ``at`` ends.

    Of a list of which two steps are quoted, all that follow are, because a list without its end misleads.
    """
    spans = passage.sentences
    steps = [_STEP.match(passage.text[span.start : span.end]) is not None for span in spans]
    quoted = sum(step for span, step in zip(spans[: at + 1], steps, strict=False) if span.start >= start)
    if quoted >= 2 and steps[at]:
        while at + 1 < len(spans) and steps[at + 1] and quoted < STEPS:
            at, quoted = at + 1, quoted + 1
    return spans[at].end
