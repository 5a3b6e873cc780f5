"""``--as``: commands in somebody's name do what their role and rights allow, and note what they do not."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from psycopg_pool import AsyncConnectionPool

from bot.audit.trail import AuditTrail
from bot.commands import curating, library
from bot.commands.acting import OPERATOR, may_ask, person_with
from bot.commands.output import Declined
from ingest.catalog import Catalog
from permissions.adapters.coverage import PgCoverage
from permissions.model import Principal
from permissions.roles import Role, RoleRules, Roles
from permissions.scopes import ScopeBuilder
from tests import rows

SALES, PRICES = Principal.channel(rows.TEAM, "C1"), Principal.channel(rows.TEAM, "C2")

Make = Callable[..., Any]


@pytest.fixture
async def make(pool: AsyncConnectionPool) -> Make:
    """The core that commands work with. UADMIN administers; U1 uploads and is in both channels, U2 in sales alone."""
    for user in ("U1", "U2", "UADMIN"):
        await rows.add_person(pool, user)
    await rows.add_conversation(pool, "C1", ["U1", "U2"])
    await rows.add_conversation(pool, "C2", ["U1"])
    await rows.add_document(pool, "d1", ["secret"], principals=[SALES, PRICES], title="sales.md")
    await rows.add_document(pool, "d2", ["secret"], principals=[PRICES], title="prices.md")

    def core(**listed: set[str]) -> Any:
        age = timedelta(days=1)
        scopes = ScopeBuilder(coverage=PgCoverage(pool=pool), clock=lambda: rows.NOW, max_age=age)
        rules = {Role.ADMINISTRATOR: frozenset({"UADMIN"})}
        rules |= {Role(role): frozenset(users) for role, users in listed.items()}
        roles = Roles(pool=pool, scopes=scopes, rules=RoleRules(listed=rules), clock=lambda: rows.NOW, max_age=age)
        return SimpleNamespace(
            pool=pool, scopes=scopes, roles=roles, audit=AuditTrail(pool=pool), catalog=Catalog(pool=pool)
        )

    return core


async def last(core: Any) -> dict[str, Any]:
    return [entry async for entry in core.audit.entries(rows.TEAM)][-1]


async def test_a_list_holds_what_is_open_to_the_person_and_for_administrators_all(make: Make) -> None:
    core = make()
    found = await core.catalog.documents(team=rows.TEAM)
    seen = {user: await library._of(core, rows.TEAM, user, found) for user in ("U1", "U2", "UADMIN")}
    assert [row["document"] for row in seen["U1"]] == ["d1", "d2"]
    assert [row["document"] for row in seen["UADMIN"]] == ["d1", "d2"]
    assert [(row["document"], row["principals"]) for row in seen["U2"]] == [("d1", [str(SALES)])]


async def test_text_is_shown_to_whom_the_document_is_open_and_to_no_role(make: Make) -> None:
    core = make(curator={"U2"})
    found = await core.catalog.show("d2")
    shown = {user: await library._shown_to(core, rows.TEAM, user, found) for user in ("U1", "U2", "UADMIN")}
    assert len(shown["U1"]["units"]) == 1
    assert shown["U2"] is None
    assert (shown["UADMIN"]["title"], shown["UADMIN"]["units"]) == ("prices.md", [])
    refusals = [entry async for entry in core.audit.entries(rows.TEAM) if entry["action"] == "refusal"]
    assert [(entry["actor"], entry["document"]) for entry in refusals] == [("U2", "d2")]


@pytest.mark.parametrize(
    ("who", "document", "listed", "may"),
    [
        (None, "d2", {}, True),
        ("U1", "d2", {}, True),
        ("UADMIN", "d2", {}, True),
        ("U2", "d1", {}, False),
        ("U2", "d1", {"curator": {"U2"}}, True),
        ("U2", "d2", {"curator": {"U2"}}, False),
        ("U1", "d9", {}, False),
    ],
)
async def test_who_publishes_rolls_back_and_deletes(
    make: Make, who: str | None, document: str, listed: dict[str, set[str]], may: bool
) -> None:
    core = make(**listed)
    if may:
        _, actor = await curating._curator(core, document, who, what="delete")
        assert actor == (who or OPERATOR)
    else:
        with pytest.raises(Declined, match="does not look after"):
            await curating._curator(core, document, who, what="delete")
    noted = await last(core)
    assert (noted["action"], noted["actor"]) == ("curation" if may else "refusal", who or OPERATOR)


async def test_what_could_not_be_published_is_noted_as_refused(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    core = make()
    core.jobs = None

    @asynccontextmanager
    async def opened(*_: object, **__: object) -> AsyncIterator[Any]:
        yield core

    monkeypatch.setattr(curating, "open_core", opened)
    monkeypatch.setattr(curating, "add_pipeline", lambda *_, **__: None)
    with pytest.raises(Declined, match="no version before the present one"):
        await curating.restore("d2", number=None, asker="U1", as_json=True)
    noted = await last(core)
    assert (noted["action"], noted["details"]) == ("refusal", {"what": "publish", "reason": "no_such_version"})


async def test_a_guest_asks_on_the_terminal_where_guests_may_ask(make: Make, pool: AsyncConnectionPool) -> None:
    await rows.add_person(pool, "UGUEST", is_guest=True)
    core = make()
    await may_ask(core, rows.TEAM, "UGUEST", "C1")
    await may_ask(core, rows.TEAM, "U1", None)
    with pytest.raises(Declined, match="not in direct messages"):
        await may_ask(core, rows.TEAM, "UGUEST", None)
    noted = await last(core)
    assert (noted["actor"], noted["details"]) == ("UGUEST", {"what": "question", "reason": "guest_not_here"})


async def test_the_audit_trail_is_for_administrators(make: Make) -> None:
    core = make()
    assert await person_with(core, rows.TEAM, "UADMIN", Role.ADMINISTRATOR, what="audit_export") == "UADMIN"
    with pytest.raises(Declined, match=r"U1 is contributor and not administrator.*roles\.administrators"):
        await person_with(core, rows.TEAM, "U1", Role.ADMINISTRATOR, what="audit_export")
    noted = await last(core)
    assert noted["details"] == {"what": "audit_export", "reason": "not_administrator"}
