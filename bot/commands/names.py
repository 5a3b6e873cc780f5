"""What people type on the command line, as ids: the workspace, a person, a channel, a user group."""

from __future__ import annotations

from typing import Any, Final, LiteralString

from psycopg_pool import AsyncConnectionPool

from bot.commands.output import Misused
from bot.ingestion import LOCAL_TEAM

TEAMS: Final = "SELECT DISTINCT team FROM people UNION SELECT DISTINCT team FROM documents ORDER BY team"

PEOPLE: Final = """
SELECT user_id, name FROM people
 WHERE team = %(team)s AND NOT is_deleted AND (user_id = %(word)s OR lower(name) = lower(%(word)s))
 ORDER BY user_id
"""

CONVERSATIONS: Final = """
SELECT conversation_id, name FROM conversations
 WHERE team = %(team)s AND (conversation_id = %(word)s OR lower(name) = lower(%(word)s))
 ORDER BY conversation_id
"""

GROUPS: Final = """
SELECT group_id, handle FROM user_groups
 WHERE team = %(team)s
   AND (group_id = %(word)s OR lower(handle) = lower(%(word)s) OR lower(name) = lower(%(word)s))
 ORDER BY group_id
"""


class Names:
    """Looks names up in the rows. Rights are always decided by the id that is found."""

    def __init__(self, *, pool: AsyncConnectionPool) -> None:
        self._pool = pool

    async def team(self) -> str:
        """The one workspace of this data folder; raises Misused when there are several."""
        teams = [team for (team,) in await self._rows(TEAMS) if team != LOCAL_TEAM]
        if len(teams) > 1:
            raise Misused(f"this data folder serves several workspaces ({', '.join(teams)}): use a folder for each")
        return teams[0] if teams else LOCAL_TEAM

    async def person(self, team: str, word: str) -> str:
        """A person's id by id or unique name; an id that is not known is taken as it is, and may see nothing."""
        return await self._one(PEOPLE, team, word.removeprefix("@"), "person", is_id=_is_id(word, "UW"))

    async def channel(self, team: str, word: str) -> str:
        """A channel's id by id or unique name; raises Misused for an unknown name."""
        return await self._one(CONVERSATIONS, team, word.removeprefix("#"), "channel", is_id=_is_id(word, "CGD"))

    async def group(self, team: str, word: str) -> str:
        """A user group's id by id, handle or name; raises Misused for an unknown name."""
        return await self._one(GROUPS, team, word.removeprefix("@"), "user group", is_id=_is_id(word, "S"))

    async def _one(self, statement: LiteralString, team: str, word: str, what: str, *, is_id: bool) -> str:
        rows = await self._rows(statement, team=team, word=word)
        if len(rows) == 1:
            return str(rows[0][0])
        if rows:
            known = ", ".join(f"{name} ({identifier})" for identifier, name in rows)
            raise Misused(f"{word!r} names more than one {what}: {known}. Give the id.")
        if is_id:
            return word
        raise Misused(
            f"no {what} is called {word!r} in the workspace {team}. Names are those in Slack; they are known once the "
            "bot has been connected (`haitang serve`, or `haitang demo`)."
        )

    async def _rows(self, statement: LiteralString, **values: Any) -> list[tuple[Any, ...]]:
        async with self._pool.connection() as connection:
            return await (await connection.execute(statement, values)).fetchall()


def _is_id(word: str, initials: str) -> bool:
    """Slack's ids are an initial and capitals or digits, such as U012AB3CD."""
    return len(word) >= 3 and word[0] in initials and word.isalnum() and word.isupper()
