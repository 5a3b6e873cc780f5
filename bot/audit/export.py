"""The trail as JSON lines; that it was taken is on the trail itself, before the first line."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from datetime import datetime

from bot.audit.trail import AuditTrail
from permissions.audit import Action, AuditEntry


async def export(
    trail: AuditTrail, team: str, *, actor: str, since: datetime | None = None, until: datetime | None = None
) -> AsyncIterator[str]:
    """One line of JSON for each entry, in order. ``actor`` is who gets them; their right to was checked."""
    span = {"since": since.isoformat() if since else None, "until": until.isoformat() if until else None}
    await trail.note(AuditEntry(action=Action.EXPORT, team=team, actor=actor, details=span))
    async for entry in trail.entries(team, since=since, until=until):
        yield json.dumps({**entry, "at": entry["at"].isoformat()}, ensure_ascii=False)
