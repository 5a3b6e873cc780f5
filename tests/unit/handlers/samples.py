"""Inquiries, evidence and ends of runs for the tests of what people see."""

from __future__ import annotations

from typing import Any

from handlers.model import Completion, Final, Inquiry
from permissions.model import ConversationKind
from retrieval.model import Evidence, EvidenceSet, Modality, Place, ReadBy


def inquiry(**changes: Any) -> Inquiry:
    values: dict[str, Any] = {
        "team": "T1",
        "conversation": "C1",
        "kind": ConversationKind.PUBLIC,
        "message_ts": "1.0",
        "thread_ts": "1.0",
        "asker": "U1",
        "text": "how long is the warranty?",
    }
    return Inquiry(**{**values, **changes})


def evidence(number: int, **changes: Any) -> Evidence:
    values: dict[str, Any] = {
        "evidence_id": f"ev{number}",
        "number": number,
        "document": f"d{number}",
        "version": f"v{number}",
        "version_number": 2,
        "unit": 1,
        "chunk_id": f"c{number}",
        "title": f"policy-{number}.pdf",
        "excerpt": "Five years.",
        "place": Place(page=3),
        "modality": Modality.DOCUMENT,
        "read_by": ReadBy.TEXT_LAYER,
        "media_ref": f"m{number}",
        "sha256": "0" * 64,
        "published_at": "2026-11-27T12:00:00+00:00",
    }
    return Evidence(**{**values, **changes})


def final(text: str, *numbers: int, **changes: Any) -> Final:
    found = tuple(evidence(number) for number in numbers)
    values: dict[str, Any] = {
        "run_id": "r1",
        "answer_id": "a1",
        "revision": 1,
        "text": text,
        "evidence": EvidenceSet(evidence_set_id="s1", run_id="r1", revision=1, evidence=found),
        "gaps": (),
        "notices": (),
        "completion": Completion.ANSWERED,
        "language": "en",
    }
    return Final(**{**values, **changes})
