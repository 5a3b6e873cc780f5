"""``haitang audit export``: the audit trail as JSON lines, for administrators."""

from __future__ import annotations

import sys
from datetime import UTC, datetime

from bot.audit.export import export as entries
from bot.bootstrap import open_core
from bot.commands.acting import OPERATOR, person_with
from bot.commands.names import Names
from bot.commands.output import Console, Misused
from bot.config import load
from permissions.roles import Role

_PROGRESS_EVERY = 10_000


async def export(*, since: str | None, until: str | None, asker: str | None) -> int:
    """Write the entries to stdout, oldest first, as they are read."""
    console = Console(as_json=True)
    begin, end = _time(since, "--since"), _time(until, "--until")
    async with open_core(load(), purpose="audit export") as core:
        team = await Names(pool=core.pool).team()
        actor = OPERATOR
        if asker is not None:
            actor = await person_with(core, team, asker, Role.ADMINISTRATOR, what="audit_export")
        count = 0
        async for line in entries(core.audit, team, actor=actor, since=begin, until=end):
            sys.stdout.write(line + "\n")
            count += 1
            if count % _PROGRESS_EVERY == 0:
                console.say(f"{count} entries …")
        sys.stdout.flush()
    console.say(f"{count} entries")
    return 0


def _time(text: str | None, option: str) -> datetime | None:
    """A day or a time in ISO 8601; without a zone it is UTC."""
    if text is None:
        return None
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        raise Misused(f"{option} {text!r} is no time: give one such as 2026-11-30 or 2026-11-30T09:00:00Z") from None
    return time if time.tzinfo else time.replace(tzinfo=UTC)
