"""One answer without Slack: for the command line, where nobody reads but who typed it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial

from bot.agent.graph import AnswerGraph, RunContext
from bot.answers.evidence import new_id
from bot.answers.records import RunRecords
from bot.answers.rights import Scopes
from handlers.model import Completion, Final, RunEvent
from permissions.model import AccessScope

Emit = Callable[[RunEvent], Awaitable[None]]


class OneAnswer:
    """Answers from what is known of rights: nothing is asked of Slack, and what is unknown or stale counts as no."""

    def __init__(self, *, records: RunRecords, graph: AnswerGraph, scopes: Scopes, seconds: float) -> None:
        self._records = records
        self._graph = graph
        self._scopes = scopes
        self._seconds = seconds

    async def answer(self, *, team: str, asker: str, conversation: str | None, text: str, emit: Emit) -> Final:
        """Answer under the rights of ``asker`` for the readers of ``conversation`` (None: the asker alone reads).

        The run and its evidence are kept; its events go to ``emit``. Raises TimeoutError and the errors of the stores.
        """
        run_id = new_id("run")
        await self._records.begin_command(run_id, team=team, conversation=conversation, asker=asker, text=text)
        completion = Completion.FAILED
        try:
            scope_now = partial(self._scope, run_id, team=team, asker=asker, conversation=conversation)
            context = RunContext(
                run_id=run_id, scope=await scope_now(), scope_now=scope_now, emit=emit, alone=conversation is None
            )
            final: Final = await self._graph.run(text, (), context, seconds=self._seconds)
            completion = final.completion
        finally:
            await self._records.end(run_id, completion)
        return final

    async def _scope(self, run_id: str, *, team: str, asker: str, conversation: str | None) -> AccessScope:
        scope = await self._scopes.scope(team=team, asker=asker, conversation=conversation)
        await self._records.note_scope(run_id, scope)
        return scope
