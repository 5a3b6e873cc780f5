"""Reads single things of the workspace into the rows of rights."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import datetime
from functools import partial

import structlog

from permissions.model import Trouble, TroubleKind
from permissions.ports import Directory, WorkspaceSource, WorkspaceUnavailable

_log = structlog.get_logger()

REMEDIES = {
    TroubleKind.SILENT: "Slack could not be reached, or did not answer usefully; it is tried again by itself",
    TroubleKind.RATE_LIMITED: "Slack limits how often it is asked; it is tried again by itself",
    TroubleKind.MISSING_SCOPE: "add the scope to the app (`haitang manifest` has them all) and install it again",
    TroubleKind.NOT_INSTALLED: "install the app in the workspace again, and set SLACK_BOT_TOKEN when it has changed",
    TroubleKind.NO_GROUPS: "the workspace's plan has no user groups: share files in channels instead",
    TroubleKind.ENDLESS: "Slack's list began anew without an end; it is tried again by itself",
    TroubleKind.REFUSED: "see Slack's word for it in its documentation",
}
"""What an administrator can do."""


class Listings:
    """All people of a team, read once for everybody who waits: it takes longer than a question does."""

    def __init__(self, read: Callable[[str], Awaitable[None]]) -> None:
        self._read = read
        self._under_way: dict[str, asyncio.Task[None]] = {}

    async def people(self, team: str) -> None:
        """Return when they were read. Whoever gives up waiting stops nothing. Raises what the reading raises."""
        task = self._under_way.get(team)
        if task is None:
            task = asyncio.create_task(self._of(team), name=f"people of {team}")
            self._under_way[team] = task
            task.add_done_callback(partial(self._ended, team))
        await asyncio.shield(task)

    async def aclose(self) -> None:
        """Give up what is under way."""
        tasks = list(self._under_way.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _of(self, team: str) -> None:
        await self._read(team)

    def _ended(self, team: str, task: asyncio.Task[None]) -> None:
        self._under_way.pop(team, None)
        # Nobody may be waiting for its error any more.
        if not task.cancelled() and (error := task.exception()) is not None:
            _log.warning("people_unknown", team=team, problem=str(error))


class Reader:
    """Everything it reads is written as of the moment before it was asked for. Raises WorkspaceUnavailable."""

    def __init__(self, *, source: WorkspaceSource, directory: Directory, clock: Callable[[], datetime]) -> None:
        self._source = source
        self._directory = directory
        self._clock = clock
        self._said: dict[str, Trouble | None] = {}

    async def person(self, team: str, user: str) -> None:
        """Somebody who does not exist is unknown."""
        as_of = self._clock()
        person = await self._source.person(team, user)
        if person is None:
            await self._directory.drop_person(team, user, as_of=as_of)
        else:
            await self._directory.put_people([person], as_of=as_of)

    async def people(self, team: str) -> None:
        """All of them, at once."""
        as_of = self._clock()
        async for page in self._source.people(team):
            await self._directory.put_people(page.items, as_of=as_of)
        await self._directory.people_listed(team, as_of=as_of)

    async def conversation(self, team: str, conversation: str) -> None:
        """One that the bot does not see stays unknown, nobody is known to be there, and it is not open to all."""
        as_of = self._clock()
        found = await self._source.conversation(team, conversation)
        if found is None:
            await self._directory.hide_conversation(team, conversation)
        else:
            await self._directory.put_conversation(found, as_of=as_of)

    async def members(self, team: str, conversation: str) -> None:
        as_of = self._clock()
        members = await self._source.members(team, conversation)
        await self._directory.replace_members(team, conversation, members, as_of=as_of)

    async def conversations_of(self, team: str, user: str) -> None:
        """Where somebody is: only confirms."""
        as_of = self._clock()
        conversations = await self._source.conversations_of(team, user)
        await self._directory.confirm_conversations_of(team, user, conversations, as_of=as_of)

    async def groups(self, team: str) -> None:
        """All user groups. A workspace whose plan has none has none: then they grant nobody, which is said once."""
        as_of = self._clock()
        try:
            groups = await self._source.groups(team)
        except WorkspaceUnavailable as problem:
            await self._note_groups_trouble(team, problem.trouble)
            if problem.trouble.kind is not TroubleKind.NO_GROUPS:
                raise
            groups = []
        else:
            await self._note_groups_trouble(team, None)
        await self._directory.groups.replace_all(team, groups, as_of=as_of)

    async def _note_groups_trouble(self, team: str, trouble: Trouble | None) -> None:
        await self._directory.sweeps.note_trouble(team, trouble, of_groups=True)
        if trouble is not None and self._said.get(team) != trouble:
            _log.warning("groups_grant_nobody", team=team, trouble=str(trouble), remedy=REMEDIES[trouble.kind])
        self._said[team] = trouble
