"""A scope without a database, built by the one builder there is."""

from __future__ import annotations

from collections.abc import Collection
from datetime import UTC, datetime, timedelta

from permissions.model import AccessScope, ConversationKind, Principal
from permissions.ports import AskerFacts, Covered, PlaceFacts, Standing
from permissions.scopes import ScopeBuilder


class OneChannel:
    """``permissions.ports.Coverage`` of a private channel with one full member, and guests if wanted."""

    def __init__(self, *, has_outsiders: bool, members_known: bool) -> None:
        self._has_outsiders = has_outsiders
        self._members_known = members_known

    async def look(self, *, team: str, asker: str, conversation: str | None, since: datetime) -> Standing:
        place = PlaceFacts(
            kind=ConversationKind.PRIVATE,
            is_shared=False,
            members_known=self._members_known,
            people_known=True,
            asker_is_member=True,
            has_outsiders=self._has_outsiders,
            has_unknown=False,
            readers=2,
        )
        return Standing(
            asker=AskerFacts(is_full_member=True, has_stale=False),
            place=place if conversation else None,
            principals=frozenset() if conversation else frozenset({Principal.user(team, asker)}),
        )

    async def cover(
        self, *, team: str, conversation: str, principals: Collection[Principal], since: datetime
    ) -> Covered:
        standing = await self.look(team=team, asker="", conversation=conversation, since=since)
        return Covered(standing.place)


async def scope_of_a_channel(*, has_outsiders: bool = False, members_known: bool = True) -> AccessScope:
    coverage = OneChannel(has_outsiders=has_outsiders, members_known=members_known)
    builder = ScopeBuilder(coverage=coverage, clock=lambda: datetime.now(UTC), max_age=timedelta(days=1))
    return await builder.scope(team="T1", asker="U1", conversation="C1")
