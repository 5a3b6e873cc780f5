"""What the same search would have found for others: with every right, and with those of public files alone."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from bot.agent.offline.checker import CalibratedChecker
from bot.agent.offline.researcher import SearchingResearcher
from bot.agent.offline.understander import RuleUnderstander
from bot.bootstrap import Core
from permissions.model import AccessScope, Principal
from permissions.ports import AskerFacts, Covered, Standing
from permissions.scopes import ScopeBuilder
from retrieval.search import Search, SearchSettings

SOMEBODY = "U0"

PATIENT = SearchSettings(channel_seconds=60.0, total_seconds=120.0)
"""The bot's own settings, but for deadlines: what is measured is what there is to find, not how busy the machine is."""


@dataclass(frozen=True, slots=True)
class _Holding:
    """Coverage of somebody who holds these principals, whoever asks and wherever."""

    principals: frozenset[Principal]

    async def look(self, *, team: str, asker: str, conversation: str | None, since: datetime) -> Standing:
        _ = team, asker, conversation, since
        return Standing(asker=AskerFacts(is_full_member=True, has_stale=False), place=None, principals=self.principals)

    async def cover(
        self, *, team: str, conversation: str, principals: Collection[Principal], since: datetime
    ) -> Covered:
        """Nobody asks this of it."""
        _ = team, conversation, principals, since
        return Covered(place=None)


class Baseline:
    """Searches beside the bot. ``team`` is the bot's workspace."""

    def __init__(self, core: Core, team: str) -> None:
        self._team = team
        self._understander = RuleUnderstander()
        search = Search(
            encoder=core.encoder,
            vectors=core.vectors,
            full_text=core.full_text,
            passages=core.passages,
            settings=PATIENT,
        )
        self._researcher = SearchingResearcher(search=search, encoder=core.encoder)
        self._checker = CalibratedChecker()

    async def best(self, question: str, *, conversations: Iterable[str], people: Iterable[str]) -> str:
        """Text of the best passage in the whole workspace; empty when there is none."""
        everything = {Principal.channel(self._team, one) for one in conversations}
        everything |= {Principal.user(self._team, one) for one in people}
        understood = await self._understander.understand(question, ())
        found = await self._researcher.find(await self._scope(frozenset(everything)), understood.parts[0])
        return found.ranked[0].passage.text if found.ranked else ""

    async def public_answers(self, question: str) -> bool:
        """Whether a bot that knows public files alone would have answered."""
        understood = await self._understander.understand(question, ())
        scope = await self._scope(frozenset())
        supports = await self._checker.check([await self._researcher.find(scope, understood.parts[0])])
        return any(support.quotes for support in supports)

    async def _scope(self, principals: frozenset[Principal]) -> AccessScope:
        """The workspace's own principal, which every full member holds, and these."""
        builder = ScopeBuilder(
            coverage=_Holding(principals), clock=lambda: datetime.now(UTC), max_age=timedelta(days=1)
        )
        return await builder.scope(team=self._team, asker=SOMEBODY, conversation=None)
