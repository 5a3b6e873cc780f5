"""What is noted about rights and their use: the entries of the audit trail, and the port through which they go."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol

from psycopg import AsyncConnection


class Action(StrEnum):
    """What happened."""

    QUESTION = "question"
    ANSWER = "answer"
    REFUSAL = "refusal"
    CLICK = "click"
    REDACTION = "redaction"
    RIGHTS = "rights"
    ROLE = "role"
    EXPORT = "export"


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """One line of the trail. ``actor`` is a user id, or the name of what acted by itself (``slack``, ``sweep``).

    ``details`` holds ids, numbers, and words of our own enumerations: never text of a document, a title or a question.
    """

    action: Action
    team: str
    actor: str
    run: str | None = None
    conversation: str | None = None
    document: str | None = None
    details: Mapping[str, Any] = field(default_factory=dict)


class Audit(Protocol):
    """Where entries go."""

    async def note(self, entry: AuditEntry, *, connection: AsyncConnection[Any] | None = None) -> None:
        """Append the entry, in the caller's transaction when ``connection`` is given. Raises the database's errors."""
        ...
