"""Builds the scope of an answer: the asker's principals that cover everyone who will read the reply."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection
from datetime import datetime, timedelta

from permissions.model import (
    _ISSUED_HERE,
    AccessScope,
    ConversationKind,
    Principal,
    ScopeLimit,
)
from permissions.ports import AskerFacts, Coverage, Covered, PlaceFacts, Standing

_Verdict = tuple[frozenset[Principal], tuple[ScopeLimit, ...]]
_NOTHING: frozenset[Principal] = frozenset()


class ScopeBuilder:
    """The only builder of :class:`AccessScope` (design §4).

    ``max_age`` is how long a confirmation counts; what was confirmed earlier proves nothing.
    """

    def __init__(self, *, coverage: Coverage, clock: Callable[[], datetime], max_age: timedelta) -> None:
        self._coverage = coverage
        self._clock = clock
        self._max_age = max_age

    async def scope(self, *, team: str, asker: str, conversation: str | None) -> AccessScope:
        """What ``asker`` may be answered from in ``conversation``; None means that the asker alone reads.

        Whatever is unknown makes the scope smaller, never larger, and is named in ``limits``. Raises the database's
        own errors: a scope is never guessed.
        """
        since = self._clock() - self._max_age
        standing = await self._coverage.look(team=team, asker=asker, conversation=conversation, since=since)
        principals, limits = _decide(standing, team=team, asker=asker, conversation=conversation)
        return AccessScope(
            team=team,
            asker=asker,
            conversation=conversation,
            principals=principals,
            audience_key=_audience_key(standing, team, asker, conversation, principals),
            limits=limits,
            issuer=_ISSUED_HERE,
        )

    async def covering(
        self, *, team: str, conversation: str, principals: Collection[Principal]
    ) -> frozenset[Principal]:
        """Those of ``principals`` that every reader of the conversation has now.

        Of a conversation that is unknown, or whose readers are, only its own channel's. Raises the database's own
        errors: who reads is never guessed.
        """
        own = frozenset({Principal.channel(team, conversation)}).intersection(principals)
        others = {item for item in principals if item.team == team} - own
        if not others:
            return own
        since = self._clock() - self._max_age
        found = await self._coverage.cover(team=team, conversation=conversation, principals=others, since=since)
        return own | _covering(found, others, team)


def _covering(found: Covered, asked: Collection[Principal], team: str) -> frozenset[Principal]:
    """The same rules as for a scope, without an asker: what a reader there would share with all others."""
    place = found.place
    if place is None or not place.members_known:
        return _NOTHING
    if place.kind is ConversationKind.DM:
        is_clear = place.readers == 1 and not place.has_unknown
    else:
        # Where nobody reads, our picture of it is wrong.
        is_clear = not place.is_shared and (place.readers > 0 or place.kind is ConversationKind.PUBLIC)
    if not is_clear:
        return _NOTHING
    trusted = place.people_known or place.kind is not ConversationKind.PUBLIC
    covering = found.principals if trusted else _NOTHING
    if not place.has_outsiders and not place.has_unknown:
        covering |= frozenset({Principal.workspace(team)}).intersection(asked)
    return covering


def _decide(standing: Standing, *, team: str, asker: str, conversation: str | None) -> _Verdict:
    person, place = standing.asker, standing.place
    if person is None:
        return _NOTHING, (ScopeLimit.ASKER_UNKNOWN,)
    if conversation is None:
        return _alone(person, standing.principals, team)
    if place is None:
        return _NOTHING, (ScopeLimit.MEMBERSHIP_UNKNOWN,)
    if not place.asker_is_member and not _reads_without_joining(person, place):
        return _NOTHING, (ScopeLimit.NOT_A_MEMBER if place.members_known else ScopeLimit.MEMBERSHIP_UNKNOWN,)
    if place.kind is ConversationKind.DM:
        return _in_dm(person, place, standing.principals | {Principal.channel(team, conversation)}, team)
    return _among_others(person, place, standing, team=team, conversation=conversation)


def _in_dm(person: AskerFacts, place: PlaceFacts, held: frozenset[Principal], team: str) -> _Verdict:
    # A third reader in a DM means that our picture of it is wrong.
    if place.readers != 1 or not place.members_known:
        return _NOTHING, (ScopeLimit.MEMBERSHIP_UNKNOWN,)
    return _alone(person, held, team)


def _reads_without_joining(person: AskerFacts, place: PlaceFacts) -> bool:
    return place.kind is ConversationKind.PUBLIC and person.is_full_member


def _alone(person: AskerFacts, held: frozenset[Principal], team: str) -> _Verdict:
    workspace = {Principal.workspace(team)} if person.is_full_member else set()
    return held | workspace, (ScopeLimit.MEMBERSHIP_UNKNOWN,) if person.has_stale else ()


def _among_others(
    person: AskerFacts, place: PlaceFacts, standing: Standing, *, team: str, conversation: str
) -> _Verdict:
    own = frozenset({Principal.channel(team, conversation)}) if place.asker_is_member else _NOTHING
    if not place.members_known:
        return own, (ScopeLimit.MEMBERSHIP_UNKNOWN,)
    if place.is_shared:
        # People of the other side may join unseen and read back: only the channel's own files are surely theirs too.
        return own, (ScopeLimit.OUTSIDERS_PRESENT,) if person.is_full_member else ()
    principals, limits = own, []
    if person.is_full_member:
        if place.has_outsiders:
            limits.append(ScopeLimit.OUTSIDERS_PRESENT)
        elif not place.has_unknown:
            principals |= {Principal.workspace(team)}
    trusted = place.people_known or place.kind is not ConversationKind.PUBLIC
    if trusted:
        principals |= standing.principals
    is_unsure = place.has_unknown or person.has_stale or standing.is_incomplete
    if is_unsure or (standing.principals and not trusted):
        limits.append(ScopeLimit.MEMBERSHIP_UNKNOWN)
    return principals, tuple(limits)


def _audience_key(
    standing: Standing, team: str, asker: str, conversation: str | None, principals: Collection[Principal]
) -> str:
    """Names who reads the answer, so that what was said to one audience is never remembered before another.

    Alone, it is the person: who reads never changes. In a conversation it is the place and the principals that cover
    its readers, its own channel left out. Every asker there is one of the readers, so all of them get the same key.
    Someone who joins may read back in Slack; the key changes as soon as they lack a principal that the earlier readers
    shared, and as long as they lack none, whatever was shown before is theirs to read as well.
    """
    dm = standing.place is not None and standing.place.kind is ConversationKind.DM
    if conversation is None or (dm and principals):
        names = ["alone", team, asker]
    else:
        others = sorted(str(item) for item in principals if item != Principal.channel(team, conversation))
        names = ["conversation", team, conversation, *others]
    return hashlib.sha256("\n".join(names).encode()).hexdigest()[:32]
