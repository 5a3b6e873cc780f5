"""``haitang documents list`` and ``show``: what was learned; in somebody's name as far as their role and rights go."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bot.bootstrap import Core, open_core
from bot.commands.acting import refused
from bot.commands.documents import version_line
from bot.commands.names import Names
from bot.commands.output import Console, Declined
from bot.config import load
from handlers.places import place_label
from permissions.roles import Role
from retrieval.model import Place


async def list_all(*, asker: str | None, as_json: bool) -> int:
    """List the documents of the workspace: for an administrator all, for others those that are open to them."""
    console = Console(as_json=as_json)
    async with open_core(load(), purpose="documents list") as core:
        team = await Names(pool=core.pool).team()
        rows = await core.catalog.documents(team=team)
        if asker is not None:
            rows = await _of(core, team, await Names(pool=core.pool).person(team, asker), rows)
    lines = [f"{row['document']}  {row['state']:<10}  {row['title']}" for row in rows]
    console.result(rows, lines or ["no documents yet"])
    return 0


async def _of(core: Core, team: str, person: str, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows for one person, without places that they can't see."""
    if await core.roles.may(team, person, Role.ADMINISTRATOR):
        return rows
    held = set((await core.scopes.scope(team=team, asker=person, conversation=None)).principal_names())
    return [
        {**row, "principals": [name for name in row["principals"] if name in held]}
        for row in rows
        if not held.isdisjoint(row["principals"])
    ]


async def show(document: str, *, asker: str | None, as_json: bool) -> int:
    """Show one document: its versions, and its units as they were read.

    In somebody's name the text is shown to whom the document is open; others who look after it see the versions alone.
    """
    console = Console(as_json=as_json)
    async with open_core(load(), purpose="documents show") as core:
        found = await core.catalog.show(document)
        if found is not None and asker is not None:
            team = await Names(pool=core.pool).team()
            found = await _shown_to(core, team, await Names(pool=core.pool).person(team, asker), found)
    if found is None:
        raise Declined(f"there is no document {document!r}; `haitang documents list` names them")
    lines = [found["title"], *(version_line(row["version"], row) for row in found["versions"])]
    lines += [f"\n— {_where(unit)}\n{unit['text']}" for unit in found["units"]]
    console.result(found, lines)
    return 0


async def _shown_to(core: Core, team: str, person: str, found: dict[str, Any]) -> dict[str, Any] | None:
    """What the person may see of a document; None, as if there were none, when that is nothing."""
    document = found["document"]
    if await core.roles.may_read(team, person, document):
        return found
    if await core.roles.may(team, person, Role.ADMINISTRATOR):
        return {**found, "units": []}
    await refused(core, team, person, what="documents_show", reason="not_allowed", document=document)
    return None


def _where(unit: Mapping[str, Any]) -> str:
    place = place_label(Place.from_json(unit["place"]), "en")
    return f"{place} ({unit['how']})" if place else str(unit["how"])
