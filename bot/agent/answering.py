"""From an inquiry to events: hear, look up who may see what, read the thread, run the graph."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Final

import structlog

from bot.agent.admission import Admission
from bot.agent.graph import AnswerGraph, RunContext
from bot.agent.model import Support, Turn, Understanding
from bot.agent.ports import Clips, ThreadHistory
from bot.answers.posts import Posts
from bot.answers.records import RunRecords
from bot.answers.rights import Memberships, Scopes
from handlers.errors import SlackError
from handlers.model import Completion, Inquiry, RunEvent, Status, Step, Transcript
from permissions.model import AccessScope, ConversationKind, Trouble

log = structlog.get_logger()

RUN_SECONDS: Final = 120.0
_CHANNELS: Final = frozenset({ConversationKind.PUBLIC, ConversationKind.PRIVATE})

HISTORY_SECONDS: Final = 3.0
"""How long the thread is waited for; without it a follow-up is read as it stands."""

Emit = Callable[[RunEvent], Awaitable[None]]


class NothingSaid(Exception):
    """A voice clip without any words."""


class Answering:
    """Answers one question at a time for its caller; one instance serves any number at once."""

    def __init__(
        self,
        *,
        records: RunRecords,
        graph: AnswerGraph,
        scopes: Scopes,
        memberships: Memberships,
        history: ThreadHistory,
        clips: Clips,
        admission: Admission,
        posts: Posts,
        seconds: float = RUN_SECONDS,
    ) -> None:
        self._records = records
        self._graph = graph
        self._scopes = scopes
        self._memberships = memberships
        self._history = history
        self._clips = clips
        self._admission = admission
        self._posts = posts
        self._seconds = seconds

    async def answer(self, run_id: str, inquiry: Inquiry, emit: Emit) -> Completion:
        """Answer a claimed run; its events go to ``emit``, the last of them is the Final.

        Whoever may not ask there is told so instead: of their question nothing is heard, read or searched.

        Raises TimeoutError, NothingSaid, ingest's Unreadable for a clip, and errors of the stores.
        """
        loop = asyncio.get_running_loop()
        deadline = loop.time() + self._seconds
        async with asyncio.timeout_at(deadline):
            if (turned_away := await self._admission.refusal(run_id, inquiry)) is not None:
                await emit(turned_away)
                return turned_away.completion
            question = await self._words(run_id, inquiry, emit)
            (scope, trouble), said = await asyncio.gather(self._look(run_id, inquiry), self._said(inquiry))
            history = await self._readable(scope, inquiry, said)
        context = RunContext(
            run_id=run_id,
            scope=scope,
            scope_now=partial(self.scope, run_id, inquiry),
            emit=emit,
            alone=inquiry.kind is ConversationKind.DM,
            asks_alone=await self._admission.asks_alone(inquiry),
            channel=inquiry.conversation if inquiry.kind in _CHANNELS else None,
            trouble=trouble,
        )
        final = await self._graph.run(question, history, context, seconds=deadline - loop.time())
        return final.completion

    async def supports(
        self, inquiry: Inquiry, scopes: Sequence[AccessScope]
    ) -> tuple[Understanding, list[tuple[Support, ...]]]:
        """What each of the scopes would support an answer with, the first being that of where it was asked."""
        history = await self._readable(scopes[0], inquiry, await self._said(inquiry))
        async with asyncio.timeout(self._seconds):
            weighed = [await self._graph.supports(inquiry.text, history, scope) for scope in scopes]
        return weighed[0][0], [supports for _, supports in weighed]

    async def _words(self, run_id: str, inquiry: Inquiry, emit: Emit) -> str:
        """The question's text; of a voice clip what was said in it, shown before it is answered."""
        if inquiry.voice is None:
            return inquiry.text
        await emit(Status(run_id=run_id, step=Step.TRANSCRIBING))
        said = inquiry.voice.transcript or await self._clips.words(inquiry.team, inquiry.voice)
        if not said.strip():
            raise NothingSaid
        # A run that is tried again brings what was heard the first time as its text.
        is_known = inquiry.text.endswith(said.strip())
        words = inquiry.text if is_known else f"{inquiry.text}\n{said}".strip()
        await self._records.note_question(run_id, words)
        await emit(Transcript(run_id=run_id, text=said))
        return words

    async def scope(self, run_id: str, inquiry: Inquiry) -> AccessScope:
        """What the question may be answered from now, noted with the run."""
        return (await self._look(run_id, inquiry))[0]

    async def _look(self, run_id: str, inquiry: Inquiry) -> tuple[AccessScope, Trouble | None]:
        """The scope, and why Slack could not tell all that it depends on."""
        team, asker, conversation = inquiry.team, inquiry.asker, inquiry.conversation
        trouble = await self._memberships.ensure_known(team=team, conversation=conversation, asker=asker)
        scope = await self._scopes.scope(team=team, asker=asker, conversation=conversation)
        await self._records.note_scope(run_id, scope)
        return scope, trouble

    async def _said(self, inquiry: Inquiry) -> Sequence[tuple[bool, str, str]]:
        """What was said before in this thread, which the same people read; in a direct message the latest questions."""
        if inquiry.thread_ts is None or inquiry.thread_ts == inquiry.message_ts:
            if inquiry.kind is not ConversationKind.DM:
                return ()
            return [(False, text, "") for text in await self._records.recent_questions(inquiry)]
        try:
            async with asyncio.timeout(HISTORY_SECONDS):
                messages = await self._history.messages(inquiry.team, inquiry.conversation, inquiry.thread_ts)
        except (SlackError, TimeoutError):
            log.warning("thread_not_read", conversation=inquiry.conversation, exc_info=True)
            return ()
        return messages

    async def _readable(
        self, scope: AccessScope, inquiry: Inquiry, said: Sequence[tuple[bool, str, str]]
    ) -> tuple[Turn, ...]:
        """The turns before the question. Answers of ours that quote what may not be read any more are left out, though
        Slack shows them still: a withdrawal waits for its turn."""
        ours = [ts for by_bot, _, ts in said if by_bot and ts]
        closed = await self._posts.closed(scope, inquiry.conversation, ours) if ours else frozenset()
        return _before(inquiry.text, [Turn(by_bot, text) for by_bot, text, ts in said if ts not in closed])


def _before(question: str, turns: Sequence[Turn]) -> tuple[Turn, ...]:
    """The turns before the question itself; what was written after it is left out."""
    own = [position for position, turn in enumerate(turns) if not turn.by_bot and turn.text == question]
    return tuple(turns[: own[-1]] if own else turns)
