"""Who can see a file, as far as the viewer may know; who may have it forgotten; what App Home lists."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import pytest
from psycopg_pool import AsyncConnectionPool

from bot.audit.trail import AuditTrail
from bot.library import PAGE, FileLibrary
from handlers.home import home_view
from handlers.model import FileRefused, PlaceKind, RefusalReason, SeenFrom, UploadStage
from ingest.catalog import Catalog
from permissions.adapters.coverage import PgCoverage
from permissions.model import ConversationKind, Principal
from permissions.roles import Role, RoleRules, Roles
from permissions.scopes import ScopeBuilder
from tests import rows
from tests.integration.agent.world import Known

WORKSPACE = Principal.workspace(rows.TEAM)
SALES, PRICES = Principal.channel(rows.TEAM, "C1"), Principal.channel(rows.TEAM, "C2")


@dataclass
class Deletions:
    """``ingest.deletion.Deletion`` that only remembers."""

    done: list[tuple[str, str]] = field(default_factory=list)

    async def delete(self, document: str, *, by: str) -> None:
        self.done.append((document, by))


Make = Callable[..., FileLibrary]


@pytest.fixture
async def make(pool: AsyncConnectionPool) -> Make:
    """U1 uploads; U1 and U2 are in sales (public), U1 in prices (private); U3 is in neither; U9 a guest in sales."""
    for user in ("U1", "U2", "U3"):
        await rows.add_person(pool, user)
    await rows.add_person(pool, "U9", is_guest=True)
    await rows.add_conversation(pool, "C1", ["U1", "U2", "U9"], kind=ConversationKind.PUBLIC)
    await rows.add_conversation(pool, "C2", ["U1"])

    def library(**listed: set[str]) -> FileLibrary:
        age = timedelta(days=1)
        scopes = ScopeBuilder(coverage=PgCoverage(pool=pool), clock=lambda: rows.NOW, max_age=age)
        rules = RoleRules(listed={Role(role): frozenset(users) for role, users in listed.items()})
        return FileLibrary(
            pool=pool,
            catalog=Catalog(pool=pool),
            deletion=Deletions(),  # type: ignore[arg-type]  # only delete is called
            scopes=scopes,
            roles=Roles(pool=pool, scopes=scopes, rules=rules, clock=lambda: rows.NOW, max_age=age),
            memberships=Known(),
            audit=AuditTrail(pool=pool),
        )

    return library


async def learn(pool: AsyncConnectionPool, document: str, *principals: Principal) -> None:
    await rows.add_document(pool, document, ["text"], principals=principals, title=f"{document}.md")


async def refused(library: FileLibrary, viewer: str, document: str = "d1") -> RefusalReason:
    with pytest.raises(FileRefused) as error:
        await library.who_sees(team=rows.TEAM, viewer=viewer, document=document)
    return error.value.reason


async def test_a_place_that_the_viewer_can_not_see_is_never_named(pool: AsyncConnectionPool, make: Make) -> None:
    await learn(pool, "d1", WORKSPACE, SALES, PRICES)
    members, sales, prices = (
        SeenFrom(PlaceKind.WORKSPACE, people=3),
        SeenFrom(PlaceKind.CHANNEL, "C1", 3),
        SeenFrom(PlaceKind.CHANNEL, "C2", 1),
    )
    seen = {}
    for user in ("U1", "U2", "U3", "U9"):
        access = await make().who_sees(team=rows.TEAM, viewer=user, document="d1")
        seen[user] = (access.places, access.elsewhere, access.may_forget, access.title)
    assert seen == {
        "U1": ((members, sales, prices), False, True, "d1.md"),
        "U2": ((members, sales), True, False, "d1.md"),
        "U3": ((members, sales), True, False, "d1.md"),
        "U9": ((sales,), True, False, "d1.md"),
    }


async def test_whom_the_file_is_not_open_to_is_told_nothing_and_that_is_noted(
    pool: AsyncConnectionPool, make: Make
) -> None:
    await learn(pool, "d1", PRICES)
    assert await refused(make(), "U3") is RefusalReason.NOT_ALLOWED
    assert await refused(make(), "U3", "d9") is RefusalReason.UNKNOWN
    noted = [entry async for entry in AuditTrail(pool=pool).entries(rows.TEAM) if entry["action"] == "refusal"]
    assert [(one["actor"], one["document"], one["details"]) for one in noted] == [
        ("U3", "d1", {"what": "who_can_see", "reason": "not_allowed"})
    ]


async def test_an_administrator_sees_that_it_exists_and_what_it_is_called_but_no_foreign_channel(
    pool: AsyncConnectionPool, make: Make
) -> None:
    await learn(pool, "d1", PRICES, Principal.user(rows.TEAM, "U2"))
    access = await make(administrator={"U3"}).who_sees(team=rows.TEAM, viewer="U3", document="d1")
    assert access.title == "d1.md"
    assert access.places == (SeenFrom(PlaceKind.PERSON, "U2"),)
    assert access.elsewhere
    assert access.may_forget


async def test_the_uploader_who_has_left_looks_after_it_without_its_name(pool: AsyncConnectionPool, make: Make) -> None:
    await learn(pool, "d1", PRICES)
    async with pool.connection() as connection:
        await connection.execute("DELETE FROM memberships WHERE conversation_id = 'C2'")
    access = await make().who_sees(team=rows.TEAM, viewer="U1", document="d1")
    assert (access.title, access.places, access.elsewhere, access.may_forget) == (None, (), True, True)
    home = await make().home(team=rows.TEAM, person="U1", page=0)
    assert [(file.document, file.title) for file in home.files] == [("d1", None)]


@pytest.mark.parametrize(
    ("user", "listed", "may"),
    [
        ("U1", {}, True),
        ("U2", {}, False),
        ("U2", {"curator": {"U2"}}, True),
        ("U3", {"curator": {"U3"}}, False),
        ("U3", {"administrator": {"U3"}}, True),
        ("U9", {}, False),
    ],
)
async def test_who_may_have_a_file_forgotten(
    pool: AsyncConnectionPool, make: Make, user: str, listed: dict[str, set[str]], may: bool
) -> None:
    await learn(pool, "d1", SALES)
    library = make(**listed)
    if may:
        await library.forget(team=rows.TEAM, by=user, document="d1")
    else:
        with pytest.raises(FileRefused):
            await library.forget(team=rows.TEAM, by=user, document="d1")
    deletions: Any = library.deletion
    assert deletions.done == ([("d1", user)] if may else [])
    last = [entry async for entry in AuditTrail(pool=pool).entries(rows.TEAM)][-1]
    assert (last["action"], last["actor"]) == ("curation" if may else "refusal", user)


async def test_app_home_lists_what_somebody_looks_after_page_by_page(pool: AsyncConnectionPool, make: Make) -> None:
    for number in range(PAGE + 1):
        await learn(pool, f"d{number}", SALES)
    first = await make().home(team=rows.TEAM, person="U1", page=0)
    second = await make().home(team=rows.TEAM, person="U1", page=1)
    assert (len(first.files), first.has_more, len(second.files), second.has_more) == (PAGE, True, 1, False)
    assert {file.stage for file in first.files} == {UploadStage.READY}
    assert (await make().home(team=rows.TEAM, person="U2", page=0)).files == ()


async def test_a_curator_finds_what_is_open_to_them_and_nothing_else(pool: AsyncConnectionPool, make: Make) -> None:
    await learn(pool, "d1", SALES)
    await learn(pool, "d2", PRICES)
    home = await make(curator={"U2"}).home(team=rows.TEAM, person="U2", page=0)
    assert [file.title for file in home.files] == ["d1.md"]
    assert (home.role, home.states) == ("curator", None)


async def test_who_may_not_ask_everywhere_is_told_so_in_app_home(pool: AsyncConnectionPool, make: Make) -> None:
    member, guest = [await make().home(team=rows.TEAM, person=user, page=0) for user in ("U1", "U9")]
    assert member.may_not_ask is None
    assert "not in direct messages" in str(guest.may_not_ask)
    assert "write to me directly" in str(home_view(member, rows.NOW))
    assert str(guest.may_not_ask) in str(home_view(guest, rows.NOW))
    assert "write to me directly" not in str(home_view(guest, rows.NOW))


async def test_administrators_get_numbers_of_all_files(pool: AsyncConnectionPool, make: Make) -> None:
    await learn(pool, "d1", PRICES)
    home = await make(administrator={"U3"}).home(team=rows.TEAM, person="U3", page=0)
    assert home.states is not None
    assert {stage: count for stage, count in home.states.items() if count} == {"ready": 1}
    assert home.files == ()


@pytest.mark.parametrize(("locale", "language"), [("zh-CN", "zh"), ("en-GB", "en"), ("", "en")])
async def test_the_language_is_the_one_of_their_slack(
    pool: AsyncConnectionPool, make: Make, locale: str, language: str
) -> None:
    async with pool.connection() as connection:
        await connection.execute("UPDATE people SET locale = %s WHERE user_id = 'U1'", (locale,))
    assert await make().language(rows.TEAM, "U1") == language
