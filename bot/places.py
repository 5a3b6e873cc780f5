"""Makes where a file is shared in Slack its document's grants, apart from what it holds."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterable, Mapping
from typing import Final
from weakref import WeakValueDictionary

import structlog
from psycopg_pool import AsyncConnectionPool

from bot.answers.rights import Memberships
from bot.shares import SeenShare, SeenShares
from handlers.adapters.files import BRIEFLY_S, SlackFiles
from handlers.errors import NotAuthorised, RateLimited, SlackError, Unreachable
from handlers.model import FileInfo
from ingest.model import Document
from ingest.rights import Rights
from permissions.grants import Grants, held_kinds, principals_for_shares
from permissions.model import ConversationKind, Principal, PrincipalKind

log = structlog.get_logger()

MOST_VERIFIED: Final = 50
"""Places beyond Slack's own list that are looked at for one file: conversations.replies is Tier 3, 50 a minute."""

PASSING: Final = (RateLimited, Unreachable, NotAuthorised)
"""Errors that say nothing of the file."""


class FilePlaces:
    """Makes a file's places of now its document's grants. Who asks Slack first also writes first: what one has read
    must not be overwritten by what another had read before.

    A place counts when Slack lists it, or, where Slack's list is cut short, when a message that was seen there shows
    the file still. A message that is known to be gone counts for nothing, whatever a late list says. The workspace is
    granted only where Slack's list and our own row agree that the channel is public. Every doubt gives the smaller set.
    """

    def __init__(
        self,
        *,
        pool: AsyncConnectionPool,
        files: SlackFiles,
        shares: SeenShares,
        grants: Grants,
        rights: Rights,
        memberships: Memberships,
    ) -> None:
        self._pool = pool
        self._files = files
        self._shares = shares
        self._grants = grants
        self._rights = rights
        self._memberships = memberships
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def refresh(self, document: Document) -> None:
        """Raises SlackError; Gone when the bot can't see the file.

        What could be learned is granted before an error is raised, and what is known to be gone is withdrawn.
        """
        async with self._turns.setdefault(document.document_id, asyncio.Lock()):
            try:
                info = await self._files.info(document.team, document.source_id, patience_s=BRIEFLY_S)
            except PASSING:
                await self.withdraw_gone(document)
                raise
            await self._grant(document, info)

    async def _grant(self, document: Document, info: FileInfo) -> None:
        team, file = document.team, document.source_id
        listed = [(share.conversation, ts) for share in info.shares for ts in share.messages]
        await self._shares.note(team=team, file_id=file, messages=listed)
        seen = await self._shares.of(team=team, file_id=file)
        places = _standing(info, seen)
        trouble: SlackError | None = None
        kept: frozenset[Principal] = frozenset()
        people: dict[str, str] = {}
        try:
            if info.has_more_shares:
                await self._verify(document, places, seen)
            people = await self._people(places)
        except SlackError as error:
            trouble = error
            if isinstance(error, PASSING):
                kept = await self._kept_meanwhile(document, places, seen)
        await self._learn(document, info, places)
        async with self._pool.connection() as connection, connection.transaction():
            kinds = await held_kinds(connection, team, places)
            shares = ((place, _narrower(said, kinds.get(place))) for place, said in places.items())
            granted = principals_for_shares(team, shares, people=people)
            await self._rights.replace(connection, document.document_id, granted | kept)
        if trouble is not None:
            raise trouble

    async def _verify(
        self, document: Document, places: dict[str, ConversationKind | None], seen: Iterable[SeenShare]
    ) -> None:
        """Add to ``places`` those beyond Slack's list where a message shows the file still."""
        candidates = [share for share in seen if not share.is_gone and share.conversation not in places]
        if len(candidates) > MOST_VERIFIED:
            log.warning("places_not_looked_at", file=document.source_id, count=len(candidates) - MOST_VERIFIED)
        for share in candidates[:MOST_VERIFIED]:
            if share.conversation in places:
                continue
            shown = await self._files.is_shown(share.conversation, share.ts, document.source_id)
            if shown:
                is_direct = share.conversation.startswith("D")
                places[share.conversation] = ConversationKind.DM if is_direct else None
            elif shown is False:
                await self._shares.note_gone(
                    team=document.team, conversation=share.conversation, ts=share.ts, files=[document.source_id]
                )

    async def _kept_meanwhile(
        self, document: Document, places: dict[str, ConversationKind | None], seen: Iterable[SeenShare]
    ) -> frozenset[Principal]:
        """What had been verified before stays until Slack can be asked again: answers would be emptied for good.

        Adds the conversations to ``places``; returns the persons of direct messages.
        """
        current = await self._grants.of(document.document_id)
        rooms = {grant.id for grant in current if grant.kind is PrincipalKind.CHANNEL}
        for share in seen:
            if not share.is_gone and share.conversation in rooms:
                places.setdefault(share.conversation, None)
        return frozenset(grant for grant in current if grant.kind is PrincipalKind.USER)

    async def _people(self, places: Mapping[str, ConversationKind | None]) -> dict[str, str]:
        """The persons of direct messages; who shared the file there need not be who uploaded it."""
        direct = [place for place, kind in places.items() if kind is ConversationKind.DM]
        found = {place: await self._files.person_of(place) for place in direct}
        return {place: person for place, person in found.items() if person}

    async def _learn(self, document: Document, info: FileInfo, places: Mapping[str, ConversationKind | None]) -> None:
        """Have conversations read that have no row yet; without one, a channel is not taken for public."""
        rooms = {place for place, kind in places.items() if kind is not ConversationKind.DM}
        async with self._pool.connection() as connection:
            known = await held_kinds(connection, document.team, rooms)
        for place in sorted(rooms - known.keys()):
            await self._memberships.ensure_known(document.team, place, info.user)

    async def withdraw_gone(self, document: Document) -> None:
        """Without Slack, and so at once: whatever every message that gave it is known to have lost. Gives nothing."""
        seen = await self._shares.of(team=document.team, file_id=document.source_id)
        lost = _lost(seen)
        if not lost:
            return
        current = await self._grants.of(document.document_id)
        remain = {grant.id for grant in current if grant.kind is PrincipalKind.CHANNEL} - lost
        fewer = {Principal.channel(document.team, place) for place in lost}
        async with self._pool.connection() as connection, connection.transaction():
            kinds = await held_kinds(connection, document.team, remain)
            if ConversationKind.PUBLIC not in kinds.values():
                fewer.add(Principal.workspace(document.team))
            if any(place.startswith("D") for place in lost):
                fewer |= {grant for grant in current if grant.kind is PrincipalKind.USER}
            await self._rights.narrow(connection, document.document_id, fewer)


def _standing(info: FileInfo, seen: Collection[SeenShare]) -> dict[str, ConversationKind | None]:
    """Slack's list without the places whose messages are all known to be gone."""
    gone = {(share.conversation, share.ts) for share in seen if share.is_gone}
    lost = _lost(seen)
    places: dict[str, ConversationKind | None] = {}
    for share in info.shares:
        if share.messages:
            stands = any((share.conversation, ts) not in gone for ts in share.messages)
        else:
            stands = share.conversation not in lost
        if stands:
            places[share.conversation] = share.kind
    return places


def _lost(seen: Collection[SeenShare]) -> set[str]:
    """The conversations in which no message is left of those that were seen to show the file."""
    return {share.conversation for share in seen} - {share.conversation for share in seen if not share.is_gone}


def _narrower(said: ConversationKind | None, known: ConversationKind | None) -> ConversationKind:
    """Public only where Slack's list (None: it is cut short there) and our own row both say so."""
    if said is ConversationKind.DM:
        return ConversationKind.DM
    is_public = known is ConversationKind.PUBLIC and said in {None, ConversationKind.PUBLIC}
    return ConversationKind.PUBLIC if is_public else ConversationKind.PRIVATE
