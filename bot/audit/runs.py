"""What the trail says of a run: ids, numbers and our own words alone."""

from __future__ import annotations

from typing import Any

from handlers.model import Completion, Final
from permissions.audit import Action, AuditEntry, scope_details
from permissions.model import AccessScope
from retrieval.model import EvidenceSet


def command_entry(run_id: str, *, team: str, conversation: str | None, asker: str) -> AuditEntry:
    """That whoever has the machine asks in somebody's name; what follows of the run is under that name."""
    return AuditEntry(
        action=Action.QUESTION,
        team=team,
        actor="command",
        run=run_id,
        conversation=conversation,
        details={"as": asker},
    )


def question_entry(run_id: str, scope: AccessScope) -> AuditEntry:
    """Who asked where, and what could be searched for them there."""
    return _entry(scope, Action.QUESTION, run_id, scope_details(scope))


def evidence_entry(scope: AccessScope, evidence: EvidenceSet) -> AuditEntry:
    """What is about to be quoted: the first words are shown after this."""
    return _entry(scope, Action.EVIDENCE, evidence.run_id, _read(scope, evidence))


def answer_entry(scope: AccessScope, final: Final) -> AuditEntry:
    """How a run was answered, on which evidence, and under which scope that was read."""
    details = {"completion": final.completion, "answer": final.answer_id, **_read(scope, final.evidence)}
    return _entry(scope, Action.ANSWER, final.run_id, details)


def end_entry(run_id: str, completion: Completion, *, team: str, conversation: str, asker: str) -> AuditEntry:
    """That a run ended without an answer, or without showing it."""
    return AuditEntry(
        action=Action.ANSWER,
        team=team,
        actor=asker,
        run=run_id,
        conversation=conversation or None,
        details={"completion": completion},
    )


def _entry(scope: AccessScope, action: Action, run_id: str, details: dict[str, Any]) -> AuditEntry:
    return AuditEntry(
        action=action,
        team=scope.team,
        actor=scope.asker,
        run=run_id,
        conversation=scope.conversation,
        details=details,
    )


def _read(scope: AccessScope, evidence: EvidenceSet | None) -> dict[str, Any]:
    items = evidence.evidence if evidence else ()
    seen = scope_details(scope)
    return {
        "evidence": [item.evidence_id for item in items],
        "documents": sorted({item.document for item in items}),
        "scope": seen["scope"],
        "audience": seen["audience"],
    }
