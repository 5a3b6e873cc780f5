"""What is noted about rights and their use: the entries of the audit trail, and the port through which they go."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final, Protocol

from psycopg import AsyncConnection

from permissions.model import AccessScope

# Until the transaction ends; the triggers that note changes of grants and people read it.
_ACT: Final = "SELECT set_config('haitang.actor', %(actor)s, true)"


class Action(StrEnum):
    """What happened."""

    QUESTION = "question"
    EVIDENCE = "evidence"
    ANSWER = "answer"
    REFUSAL = "refusal"
    CLICK = "click"
    REDACTION = "redaction"
    RIGHTS = "rights"
    ROLE = "role"
    CURATION = "curation"
    EXPORT = "export"
    RETENTION = "retention"


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


async def acting(connection: AsyncConnection[Any], actor: str) -> None:
    """Say who changes rights in this transaction; a change that nobody is named for is taken as Slack's."""
    await connection.execute(_ACT, {"actor": actor})


def scope_details(scope: AccessScope) -> dict[str, Any]:
    """A scope as an entry holds it: its principals, a hash that equal scopes share, who reads, and what limited it."""
    names = scope.principal_names()
    return {
        "scope": hashlib.sha256("\n".join(names).encode()).hexdigest()[:32],
        "principals": names,
        "audience": scope.audience_key,
        "limits": [str(limit) for limit in scope.limits],
    }
