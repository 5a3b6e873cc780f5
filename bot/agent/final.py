"""The authoritative end of a run: its words, its named gaps, and what limited it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bot.agent.model import Findings, Language, Support, Understanding
from bot.agent.offline.clean import MAX_QUESTION
from bot.agent.texts import (
    BEING_READ,
    CUT,
    DEGRADED,
    HOW_TO,
    LIMITS,
    NOTHING_FOUND,
    NOTHING_FOUND_ALONE,
    NOTHING_FOUND_HERE,
    OTHER_LANGUAGE,
    TROUBLES,
    WELCOME,
    in_both,
)
from handlers.model import Completion, Final, View
from permissions.model import AccessScope, Principal, ScopeLimit, Trouble
from retrieval.language import detect
from retrieval.model import EvidenceSet

_UNKNOWN = frozenset({ScopeLimit.MEMBERSHIP_UNKNOWN, ScopeLimit.ASKER_UNKNOWN})


def compose(
    *,
    run_id: str,
    answer_id: str,
    understanding: Understanding,
    supports: Sequence[Support],
    findings: Sequence[Findings],
    limits: Sequence[ScopeLimit],
    trouble: Trouble | None = None,
    evidence: EvidenceSet | None,
    text: str,
    alone: bool = False,
    being_read: int = 0,
    view: View | None = None,
    channel: str | None = None,
    asks_alone: bool = True,
) -> Final:
    """The Final of revision 1; every part without support is a gap, named as the asker wrote it.

    ``alone``: nobody but the asker reads it. ``being_read``: files that may hold what is missing, but not yet.
    ``view`` and ``channel`` say whose view it was looked in; ``asks_alone``: direct messages are a way for the asker.
    ``trouble``: why something of ``limits`` is unknown.
    """
    language = understanding.language
    gaps = tuple(support.part.text for support in supports if not support.quotes)
    completion = _completion(supports, gaps)
    return Final(
        run_id=run_id,
        answer_id=answer_id,
        revision=1,
        text=text or _words_without_evidence(understanding, alone=alone, asks_alone=asks_alone),
        evidence=evidence,
        gaps=gaps if completion is Completion.PARTIAL else (),
        notices=tuple(
            _notices(
                understanding,
                findings,
                _limits(limits, trouble, language),
                has_gaps=bool(gaps),
                being_read=being_read,
            )
        ),
        completion=completion,
        language=language,
        view=view if findings else None,
        channel=channel,
    )


def view_of(scope: AccessScope, *, alone: bool) -> View | None:
    """Whose view an answer under this scope is given in; None when the scope is empty."""
    if not scope.principals:
        return None
    if alone or scope.conversation is None:
        return View.ALONE
    own = Principal.channel(scope.team, scope.conversation)
    return View.OWN_FILES if scope.principals == {own} else View.EVERYONE_HERE


def _completion(supports: Sequence[Support], gaps: Sequence[str]) -> Completion:
    if not supports:
        return Completion.REFUSED
    if not gaps:
        return Completion.ANSWERED
    return Completion.PARTIAL if len(gaps) < len(supports) else Completion.NOTHING_FOUND


def _words_without_evidence(understanding: Understanding, *, alone: bool, asks_alone: bool) -> str:
    language = understanding.language
    if understanding.parts:
        if alone:
            return NOTHING_FOUND_ALONE[language]
        return (NOTHING_FOUND if asks_alone else NOTHING_FOUND_HERE)[language]
    return WELCOME[language] if understanding.is_courtesy else in_both(HOW_TO, language)


def _limits(limits: Sequence[ScopeLimit], trouble: Trouble | None, language: Language) -> Iterator[str]:
    """Why fewer files were searched, and what an administrator can do about what is unknown."""
    yield from (LIMITS[limit][language] for limit in limits)
    if trouble is not None and _UNKNOWN.intersection(limits):
        yield TROUBLES[trouble.kind][language].format(detail=trouble.detail)


def _notices(
    understanding: Understanding,
    findings: Sequence[Findings],
    limits: Iterator[str],
    *,
    has_gaps: bool,
    being_read: int,
) -> Iterator[str]:
    language = understanding.language
    if understanding.is_cut:
        yield CUT[language].format(count=MAX_QUESTION)
    if findings:
        yield from limits
    if any(found.degraded for found in findings):
        yield DEGRADED[language]
    if has_gaps and being_read:
        yield BEING_READ[language].format(count=being_read)
    # Advice of one kind at a time: first what costs nothing but a minute.
    elif has_gaps and any(detect(item.passage.text) != language for found in findings for item in found.ranked):
        yield OTHER_LANGUAGE[language]
