"""The run graph with every role in its offline form."""

from __future__ import annotations

from bot.agent.graph import AnswerGraph, AnswerStore, BeingRead
from bot.agent.offline.checker import CalibratedChecker
from bot.agent.offline.researcher import SearchingResearcher
from bot.agent.offline.understander import RuleUnderstander
from bot.agent.offline.writer import QuotingWriter
from bot.agent.ports import Searching
from retrieval.ports import Encoder


def offline_graph(*, search: Searching, encoder: Encoder, store: AnswerStore, being_read: BeingRead) -> AnswerGraph:
    """Rules understand, the search finds, a calibrated threshold decides, quotes answer: no model, no key."""
    return AnswerGraph(
        understander=RuleUnderstander(),
        researcher=SearchingResearcher(search=search, encoder=encoder),
        checker=CalibratedChecker(),
        writer=QuotingWriter(),
        store=store,
        being_read=being_read,
    )
