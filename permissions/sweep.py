"""Reads a whole workspace, page by page; a restart goes on where it was broken off."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import datetime
from typing import Final

import structlog

from permissions.model import Trouble, TroubleKind
from permissions.ports import Directory, Stage, SweepState, WorkspaceSource, WorkspaceUnavailable
from permissions.reading import Reader

_log = structlog.get_logger()

_SAY_EVERY: Final = 200
"""Conversations between two lines of the log."""

_FAILURES_IN_A_ROW: Final = 3
"""Conversations that may fail one after the other before the workspace itself counts as silent."""

_NOBODY_ANSWERS = frozenset({TroubleKind.RATE_LIMITED, TroubleKind.NOT_INSTALLED})
_GOES_ON_LATER = frozenset({TroubleKind.SILENT, TroubleKind.RATE_LIMITED})


class Sweep:
    """All people, all user groups, all conversations that the bot is in, and the members of each.

    ``announce`` tells others of what has changed in a team.
    """

    def __init__(
        self,
        *,
        source: WorkspaceSource,
        directory: Directory,
        clock: Callable[[], datetime],
        announce: Callable[[str], Awaitable[None]],
    ) -> None:
        self._source = source
        self._directory = directory
        self._rows = directory.sweeps
        self._reader = Reader(source=source, directory=directory, clock=clock)
        self._clock = clock
        self._announce = announce
        self._stages: dict[Stage, Callable[[SweepState], Awaitable[None]]] = {
            Stage.PEOPLE: self._people,
            Stage.GROUPS: self._groups,
            Stage.CONVERSATIONS: self._conversations,
            Stage.MEMBERS: self._members,
        }

    async def run(self, team: str, *, resume_since: datetime | None = None) -> bool:
        """Go on with a sweep that was begun since ``resume_since`` and broken off, or begin one; True when it went on.

        Raises :class:`WorkspaceUnavailable` when the lists cannot be read; one conversation whose members cannot be
        read stays as it was and does not stop the others.
        """
        state = await self._rows.state(team)
        is_resumed = (
            state is not None
            and state.stage is not Stage.DONE
            and resume_since is not None
            and state.began_at >= resume_since
        )
        if state is None or not is_resumed:
            now = self._clock()
            state = SweepState(team, Stage.PEOPLE, now, now)
            await self._rows.put(state)
        _log.info("sweep_begins", team=team, stage=str(state.stage), resumed=is_resumed)
        try:
            await self._go_on(state)
        except WorkspaceUnavailable as problem:
            await self._break_off(team, problem.trouble)
            raise
        await self._rows.note_trouble(team, None)
        return is_resumed

    async def _go_on(self, state: SweepState) -> None:
        while state.stage is not Stage.DONE:
            await self._stages[state.stage](state)
            following = list(Stage)[list(Stage).index(state.stage) + 1]
            state = replace(state, stage=following, stage_began_at=self._clock(), cursor="")
            await self._rows.put(state)
        _log.info("sweep_ended", team=state.team, seconds=(self._clock() - state.began_at).total_seconds())

    async def _break_off(self, team: str, trouble: Trouble) -> None:
        await self._rows.note_trouble(team, trouble)
        state = await self._rows.state(team)
        if state is not None and state.cursor and trouble.kind not in _GOES_ON_LATER:
            # It may be the cursor that is refused: the stage begins anew.
            await self._rows.put(replace(state, cursor=""))

    async def _people(self, state: SweepState) -> None:
        async for page in self._source.people(state.team, cursor=state.cursor):
            await self._directory.put_people(page.items, as_of=state.stage_began_at)
            await self._turned(state, page.cursor)
        await self._directory.people_listed(state.team, as_of=state.stage_began_at)

    async def _groups(self, state: SweepState) -> None:
        try:
            await self._reader.groups(state.team)
        except WorkspaceUnavailable as problem:
            # What is known of them grows old and then grants nobody; channels must not wait for it.
            _log.warning("groups_unknown", team=state.team, problem=str(problem))
        await self._announce(state.team)

    async def _conversations(self, state: SweepState) -> None:
        async for page in self._source.conversations(state.team, cursor=state.cursor):
            for conversation in page.items:
                await self._directory.put_conversation(conversation, as_of=state.stage_began_at)
            await self._rows.seen(state.team, [one.id for one in page.items], at=state.stage_began_at)
            await self._turned(state, page.cursor)
        await self._rows.forget_unseen(state.team, since=state.began_at, as_of=state.stage_began_at)
        for place in await self._rows.unseen_open(state.team, since=state.began_at):
            await self._look_for(state.team, place)
        await self._announce(state.team)

    async def _look_for(self, team: str, place: str) -> None:
        """A public channel that was not listed may be one that the bot was taken out of, or is closed, or gone."""
        try:
            await self._reader.conversation(team, place)
        except WorkspaceUnavailable as problem:
            _log.warning("conversation_unknown", team=team, conversation=place, problem=str(problem))
            if problem.trouble.kind in _NOBODY_ANSWERS:
                raise

    async def _turned(self, state: SweepState, cursor: str) -> None:
        """A page is done: from here a restart goes on."""
        if cursor:
            await self._rows.put(replace(state, cursor=cursor))
        await self._announce(state.team)

    async def _members(self, state: SweepState) -> None:
        failures = count = 0
        while (place := await self._rows.next_place(state.team, sweep=state.began_at)) is not None:
            trouble = await self._members_of(state.team, place)
            failures = failures + 1 if trouble is not None and trouble.kind is TroubleKind.SILENT else 0
            await self._rows.tried(state.team, place, sweep=state.began_at)
            if trouble is not None and failures >= _FAILURES_IN_A_ROW:
                raise WorkspaceUnavailable("members of one conversation after the other", trouble=trouble)
            count += 1
            if count % _SAY_EVERY == 0:
                await self._say(state.team)

    async def _members_of(self, team: str, place: str) -> Trouble | None:
        try:
            await self._reader.members(team, place)
        except WorkspaceUnavailable as problem:
            _log.warning("members_unknown", team=team, conversation=place, problem=str(problem))
            if problem.trouble.kind in _NOBODY_ANSWERS:
                raise
            return problem.trouble
        await self._announce(team)
        return None

    async def _say(self, team: str) -> None:
        progress = await self._rows.progress(team)
        if progress is not None:
            _log.info("sweep_goes_on", team=team, conversations_read=progress.read, of=progress.places)
