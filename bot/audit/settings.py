"""What the settings say of roles, on the trail whenever it differs from what they said before."""

from __future__ import annotations

from typing import Any, Final

from psycopg_pool import AsyncConnectionPool

from bot.config import RoleSettings
from permissions.audit import Action, Audit, AuditEntry

ACTOR: Final = "settings"

LATEST: Final = """
SELECT details FROM audit
 WHERE team = %(team)s AND action = 'role' AND actor = 'settings' ORDER BY entry_id DESC LIMIT 1
"""


async def note_role_settings(pool: AsyncConnectionPool, audit: Audit, team: str, roles: RoleSettings) -> bool:
    """Note who has which role by the settings; False when the trail says the same already."""
    details: dict[str, Any] = roles.model_dump(mode="json")
    async with pool.connection() as connection, connection.transaction():
        row = await (await connection.execute(LATEST, {"team": team})).fetchone()
        if row is not None and row[0] == details:
            return False
        entry = AuditEntry(action=Action.ROLE, team=team, actor=ACTOR, details=details)
        await audit.note(entry, connection=connection)
    return True
