"""The run of an answer: understand → search → check → freeze → write → final."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, TypedDict

import structlog
from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime
from langsmith import tracing_context

from bot.agent.final import compose, view_of
from bot.agent.model import CitedPart, CitedQuote, Findings, Quote, Support, Turn, Understanding
from bot.agent.roles import Checker, Researcher, Understander, Writer
from bot.answers.evidence import Chosen, freeze, new_id
from bot.answers.records import EvidenceGone
from handlers.model import EvidenceReady, Final, Restarted, RunEvent, Status, Step, TextDelta
from permissions.model import AccessScope, Trouble
from retrieval.model import EvidenceSet

log = structlog.get_logger()


class AnswerStore(Protocol):
    """Where evidence and answers are kept; both are durable when the call returns.

    Both raise ``bot.answers.records.EvidenceGone`` when the scope may not read all that is quoted (any more).
    """

    async def freeze(self, scope: AccessScope, evidence: EvidenceSet) -> None: ...

    async def save(self, scope: AccessScope, final: Final) -> None: ...


class BeingRead(Protocol):
    """Files of the scope that are not searchable yet."""

    async def count(self, scope: AccessScope) -> int: ...


@dataclass(frozen=True, slots=True)
class RunContext:
    """What a run is for and under whose rights. Nodes take it from the runtime; no role can change it.

    ``scope`` is what is searched. ``scope_now`` builds it anew: somebody may have joined, or the asker left, since.
    A question that was edited under way is answered anew, under another ``answer_id``. ``alone``: nobody but the asker
    reads the answer. ``channel`` is the conversation's id when it is a channel, whose name readers know.
    ``asks_alone``: the asker may ask in direct messages too. ``trouble`` is why Slack could not tell all of who reads
    there.
    """

    run_id: str
    scope: AccessScope
    scope_now: Callable[[], Awaitable[AccessScope]]
    emit: Callable[[RunEvent], Awaitable[None]]
    alone: bool = False
    channel: str | None = None
    asks_alone: bool = True
    trouble: Trouble | None = None
    answer_id: str = field(default_factory=lambda: new_id("ans"))


class RunState(TypedDict, total=False):
    """What the nodes hand on; each key is written by one node."""

    question: str
    history: tuple[Turn, ...]
    understanding: Understanding
    findings: tuple[Findings, ...]
    supports: tuple[Support, ...]
    evidence: EvidenceSet | None
    text: str
    final: Final


class AnswerGraph:
    """Runs questions through the roles. One instance serves any number of runs at once."""

    def __init__(
        self,
        *,
        understander: Understander,
        researcher: Researcher,
        checker: Checker,
        writer: Writer,
        store: AnswerStore,
        being_read: BeingRead,
    ) -> None:
        self._understander = understander
        self._researcher = researcher
        self._checker = checker
        self._writer = writer
        self._store = store
        self._being_read = being_read
        self._graph = self._build()

    def _build(self) -> Any:
        graph = StateGraph(RunState, context_schema=RunContext)
        graph.add_node("understand", self._understand)
        graph.add_node("search", self._search)
        graph.add_node("check", self._check)
        graph.add_node("freeze", self._freeze)
        graph.add_node("write", self._write)
        graph.add_node("final", self._final)
        graph.add_edge(START, "understand")
        graph.add_conditional_edges("understand", _after_understanding, ["search", "final"])
        graph.add_edge("search", "check")
        graph.add_conditional_edges("check", _after_checking, ["freeze", "final"])
        graph.add_edge("freeze", "write")
        graph.add_edge("write", "final")
        graph.add_edge("final", END)
        return graph.compile(name="answer")

    async def run(self, question: str, history: Sequence[Turn], context: RunContext, *, seconds: float) -> Final:
        """Answer ``question`` within ``seconds``; events go to ``context.emit``, the last of them is the Final.

        A document that goes, or is closed to the readers, while it is quoted starts the run over, once. Raises
        TimeoutError when the time is over, EvidenceGone when it happens again, and whatever the search raises when
        rights can't be checked.
        """
        # LangSmith's environment variables would otherwise send every node's passages to its server.
        with tracing_context(enabled=False):
            async with asyncio.timeout(seconds):
                try:
                    return await self._once(question, history, context)
                except EvidenceGone:
                    log.info("evidence_gone", run_id=context.run_id)
                # Another answer: what was shown of the first must not stay.
                await context.emit(Restarted(context.run_id))
                scope = await context.scope_now()
                return await self._once(question, history, replace(context, scope=scope, answer_id=new_id("ans")))

    async def supports(
        self, question: str, history: Sequence[Turn], scope: AccessScope
    ) -> tuple[Understanding, tuple[Support, ...]]:
        """What the scope would support an answer with. Nothing is written, shown or kept."""
        with tracing_context(enabled=False):
            understanding = await self._understander.understand(question, history)
            found = [await self._researcher.find(scope, part) for part in understanding.parts]
            return understanding, await self._checker.check(found)

    async def _once(self, question: str, history: Sequence[Turn], context: RunContext) -> Final:
        state = RunState(question=question, history=tuple(history))
        ended = await self._graph.ainvoke(state, context=context)
        final: Final = ended["final"]
        return final

    async def _understand(self, state: RunState, runtime: Runtime[RunContext]) -> RunState:
        await _say(runtime, Step.UNDERSTANDING)
        understanding = await self._understander.understand(state["question"], state["history"])
        return {"understanding": understanding}

    async def _search(self, state: RunState, runtime: Runtime[RunContext]) -> RunState:
        parts = state["understanding"].parts
        await _say(runtime, Step.SEARCHING, parts[0].text)
        async with asyncio.TaskGroup() as group:
            searches = [group.create_task(self._researcher.find(runtime.context.scope, part)) for part in parts]
        return {"findings": tuple(search.result() for search in searches)}

    async def _check(self, state: RunState, runtime: Runtime[RunContext]) -> RunState:
        await _say(runtime, Step.CHECKING)
        return {"supports": await self._checker.check(state["findings"])}

    async def _freeze(self, state: RunState, runtime: Runtime[RunContext]) -> RunState:
        run_id = runtime.context.run_id
        evidence = freeze(map(_chosen, _quotes(state["supports"])), run_id=run_id)
        await self._store.freeze(await runtime.context.scope_now(), evidence)
        await runtime.context.emit(EvidenceReady(run_id=run_id, evidence_set_id=evidence.evidence_set_id))
        return {"evidence": evidence}

    async def _write(self, state: RunState, runtime: Runtime[RunContext]) -> RunState:
        await _say(runtime, Step.WRITING)
        run_id, answer_id = runtime.context.run_id, runtime.context.answer_id
        evidence = state["evidence"]
        if evidence is None:
            raise RuntimeError("nothing is written before the evidence is frozen")
        pieces: list[str] = []
        async for piece in self._writer.write(_cited(state["supports"], evidence), state["understanding"].language):
            pieces.append(piece)
            delta = TextDelta(run_id=run_id, answer_id=answer_id, revision=1, seq=len(pieces), text=piece)
            await runtime.context.emit(delta)
        return {"text": "".join(pieces)}

    async def _final(self, state: RunState, runtime: Runtime[RunContext]) -> RunState:
        supports = state.get("supports", ())
        has_gaps = any(not support.quotes for support in supports)
        final = compose(
            run_id=runtime.context.run_id,
            answer_id=runtime.context.answer_id,
            understanding=state["understanding"],
            supports=supports,
            findings=state.get("findings", ()),
            limits=runtime.context.scope.limits,
            trouble=runtime.context.trouble,
            evidence=state.get("evidence"),
            text=state.get("text", ""),
            alone=runtime.context.alone,
            view=view_of(runtime.context.scope, alone=runtime.context.alone),
            channel=runtime.context.channel,
            asks_alone=runtime.context.asks_alone,
            being_read=await self._being_read.count(runtime.context.scope) if has_gaps else 0,
        )
        await self._store.save(await runtime.context.scope_now(), final)
        await runtime.context.emit(final)
        return {"final": final}


def _after_understanding(state: RunState) -> str:
    """Nothing was asked → say how to ask."""
    return "search" if state["understanding"].parts else "final"


def _after_checking(state: RunState) -> str:
    """No part has support → say that nothing was found; no evidence is frozen."""
    return "freeze" if any(support.quotes for support in state["supports"]) else "final"


async def _say(runtime: Runtime[RunContext], step: Step, detail: str = "") -> None:
    await runtime.context.emit(Status(run_id=runtime.context.run_id, step=step, detail=detail))


def _quotes(supports: Sequence[Support]) -> list[Quote]:
    return [quote for support in supports for quote in support.quotes]


def _chosen(quote: Quote) -> Chosen:
    return Chosen(quote.passage, quote.start, quote.end)


def _cited(supports: Sequence[Support], evidence: EvidenceSet) -> list[CitedPart]:
    numbers = {item.chunk_id: item.number for item in evidence.evidence}
    return [
        CitedPart(
            part=support.part,
            quotes=tuple(CitedQuote(quote, numbers[quote.passage.chunk_id]) for quote in support.quotes),
        )
        for support in supports
    ]
