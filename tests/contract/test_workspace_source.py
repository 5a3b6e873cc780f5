"""What every WorkspaceSource does, and what the Slack one does with Slack's ways."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from slack_sdk.web.async_client import AsyncWebClient

from bot.sandbox.faults import MethodFault
from bot.sandbox.model import Person as SandboxPerson
from bot.sandbox.server import Sandbox
from handlers.adapters.workspace import SlackWorkspace
from handlers.reading_pace import ReadPace
from permissions.model import Conversation, ConversationKind, Trouble, TroubleKind
from permissions.ports import WorkspaceSource, WorkspaceUnavailable
from tests.sandbox_fixtures import Person, populate


class Office:
    """A populated workspace, its source, and the waits that the source asked for."""

    def __init__(self, sandbox: Sandbox) -> None:
        self.sandbox = sandbox
        self.team = sandbox.context.workspace.app.team
        self.bot = sandbox.context.workspace.app.user
        self.waits: list[float] = []
        client = AsyncWebClient(token=sandbox.bot_token, base_url=sandbox.api_url)
        pace = ReadPace(clock=lambda: sum(self.waits), sleep=self._wait)
        self.source: WorkspaceSource = SlackWorkspace(client=client, pace=pace, sleep=self._wait)

    async def _wait(self, seconds: float) -> None:
        self.waits.append(seconds)

    def person(self, name: str) -> SandboxPerson:
        found = self.sandbox.context.workspace.find_person(name)
        assert found is not None
        return found

    def channel(self, name: str) -> str:
        found = self.sandbox.context.workspace.find_channel(name)
        assert found is not None
        return found.id

    def fault(self, method: str, **fault: object) -> None:
        self.sandbox.context.faults.methods.append(MethodFault(method, **fault))  # type: ignore[arg-type]  # as written


@pytest.fixture
async def place() -> AsyncIterator[Office]:
    """Pages hold two entries at most, so that everything takes several."""
    async with Sandbox(page_cap=2) as sandbox:
        populate(sandbox)
        yield Office(sandbox)


async def test_it_names_the_bots_own_user(place: Office) -> None:
    assert await place.source.own_user(place.team) == place.bot


async def test_all_people_come_page_by_page(place: Office) -> None:
    pages = [page async for page in place.source.people(place.team)]
    people = {person.name: person for page in pages for person in page.items}
    assert len(pages) > 1
    assert {"mei", "tom", "gus"} < people.keys()
    assert [people["mei"].is_full_member, people["gus"].is_full_member] == [True, False]
    assert people["mei"].locale == "zh-CN"
    assert [person.id for person in people.values() if person.is_bot] == [place.bot]


async def test_the_conversations_are_those_that_the_bot_is_in(place: Office) -> None:
    found = {one.name: one async for page in place.source.conversations(place.team) for one in page.items}
    assert sorted(found) == ["general", "prices", "sales"]
    assert found["prices"] == Conversation(place.team, place.channel("prices"), ConversationKind.PRIVATE, "prices")


async def test_members_of_all_pages_are_named(place: Office) -> None:
    found = await place.source.members(place.team, place.channel("general"))
    assert sorted(found) == sorted([*(place.person(name).id for name in ("mei", "tom", "gus")), place.bot])


async def test_a_persons_conversations(place: Office) -> None:
    """Those that the bot sees as well."""
    found = await place.source.conversations_of(place.team, place.person("tom").id)
    assert sorted(found) == sorted([place.channel("general"), place.channel("sales")])


async def test_one_conversation_and_one_person(place: Office) -> None:
    found = await place.source.conversation(place.team, place.channel("sales"))
    assert found is not None
    assert found.kind is ConversationKind.PUBLIC
    person = await place.source.person(place.team, place.person("gus").id)
    assert person is not None
    assert person.is_guest


async def test_what_does_not_exist_is_none(place: Office) -> None:
    assert await place.source.conversation(place.team, "C0NOWHERE") is None
    assert await place.source.person(place.team, "U0NOBODY") is None


async def test_members_of_what_does_not_exist_are_unknown_and_not_nobody(place: Office) -> None:
    with pytest.raises(WorkspaceUnavailable, match="channel_not_found"):
        await place.source.members(place.team, "C0NOWHERE")


async def test_a_direct_message_with_its_two_members(place: Office) -> None:
    mei = place.person("mei").id
    opened = await Person(place.sandbox, "mei").open(place.bot)
    found = await place.source.conversation(place.team, opened)
    assert found is not None
    assert found.kind is ConversationKind.DM
    assert sorted(await place.source.members(place.team, opened)) == sorted([mei, place.bot])


@pytest.mark.parametrize(
    ("fault", "trouble"),
    [
        ({"error": "missing_scope"}, "missing_scope ?"),
        ({"http": 500}, "silent"),
        ({"html": True}, "silent"),
        ({"error": "internal_error"}, "silent"),
        ({"error": "plan_upgrade_required"}, "no_groups"),
        ({"error": "account_inactive"}, "not_installed account_inactive"),
        ({"error": "fetch_members_failed"}, "refused fetch_members_failed"),
        ({"loop": True, "times": 99}, "endless"),
    ],
)
async def test_a_refusal_is_translated(place: Office, fault: dict[str, object], trouble: str) -> None:
    place.fault("conversations.members", **fault)
    with pytest.raises(WorkspaceUnavailable, match=r"conversations\.members") as caught:
        await place.source.members(place.team, place.channel("sales"))
    assert str(caught.value.trouble) == trouble


async def test_the_missing_scope_is_named(place: Office) -> None:
    place.sandbox.context.faults.scopes.discard("users:read")
    with pytest.raises(WorkspaceUnavailable) as caught:
        await place.source.person(place.team, place.bot)
    assert caught.value.trouble == Trouble(TroubleKind.MISSING_SCOPE, "users:read")


async def test_an_answer_that_never_comes_is_a_silence(place: Office) -> None:
    place.fault("users.info", hang=True)
    client = AsyncWebClient(token=place.sandbox.bot_token, base_url=place.sandbox.api_url, timeout=1)
    with pytest.raises(WorkspaceUnavailable) as caught:
        await SlackWorkspace(client=client).person(place.team, place.bot)
    assert caught.value.trouble == Trouble(TroubleKind.SILENT)


async def test_user_groups_in_use_with_their_members(place: Office) -> None:
    mei = Person(place.sandbox, "mei")
    for handle in ("leads", "old"):
        await mei.act("create_group", handle=handle, members=["mei", "tom"])
    await mei.act("disable_group", group="old")
    (found,) = await place.source.groups(place.team)
    assert (found.handle, found.members) == ("leads", {place.person(name).id for name in ("mei", "tom")})
    assert found.updated > 0


async def test_a_listing_goes_on_from_a_cursor(place: Office) -> None:
    pages = [page async for page in place.source.people(place.team)]
    rest = [page async for page in place.source.people(place.team, cursor=pages[0].cursor)]
    assert rest == pages[1:]
    assert pages[-1].cursor == ""


@pytest.mark.parametrize(
    ("flags", "is_full"),
    [
        ({}, True),
        ({"is_guest": True}, False),
        ({"is_guest": True, "is_single_channel": True}, False),
        ({"is_stranger": True, "home_team": "T0OTHER"}, False),
        ({"home_team": "T0OTHER"}, False),
        ({"deleted": True}, False),
    ],
)
async def test_who_is_a_full_member(place: Office, flags: dict[str, object], is_full: bool) -> None:
    """Somebody of another team is none, whether or not Slack says that they are a stranger."""
    tom = place.person("tom").id
    await Person(place.sandbox, "mei").act("change_person", user=tom, **flags)
    person = await place.source.person(place.team, tom)
    assert person is not None
    assert person.is_full_member is is_full


@pytest.mark.parametrize("way", [{}, {"pending": True}, {"in_org": True}])
async def test_a_channel_of_several_teams_is_shared(place: Office, way: dict[str, object]) -> None:
    sales, mei = place.channel("sales"), Person(place.sandbox, "mei")
    await mei.act("share_channel", conversation=sales, team="T0OTHER", **way)
    found = await place.source.conversation(place.team, sales)
    assert found is not None
    assert found.is_shared
    await mei.act("unshare_channel", conversation=sales, team="T0OTHER")
    found = await place.source.conversation(place.team, sales)
    assert found is not None
    assert not found.is_shared


async def test_a_rate_limit_is_waited_out(place: Office) -> None:
    place.fault("users.info", retry_after=7, times=2)
    assert await place.source.person(place.team, place.person("tom").id) is not None
    assert place.waits == [7.0, 7.0]


async def test_a_rate_limit_without_end_is_given_up(place: Office) -> None:
    place.fault("users.info", retry_after=7, times=9)
    with pytest.raises(WorkspaceUnavailable, match="rate limited"):
        await place.source.person(place.team, place.person("tom").id)


async def test_a_workspace_that_is_gone_is_unavailable(place: Office) -> None:
    await place.sandbox.aclose()
    with pytest.raises(WorkspaceUnavailable, match=r"users\.info"):
        await place.source.person(place.team, "U1")
    await place.sandbox.open()


async def test_every_listing_names_the_team(place: Office) -> None:
    """An organisation's token is refused (team_access_not_granted) where a listing does not say for which team."""
    for listing in (place.source.people(place.team), place.source.conversations(place.team)):
        async for _ in listing:
            pass
    await place.source.conversations_of(place.team, place.person("mei").id)
    await place.source.groups(place.team)
    methods = {"users.list", "users.conversations", "usergroups.list"}
    listings = [call for call in place.sandbox.context.calls if call["method"] in methods]
    assert {call["method"] for call in listings} == methods
    assert {call["args"].get("team_id") for call in listings} == {place.team}


async def test_a_workspace_of_an_organisation_is_read_with_its_token() -> None:
    """field-reports.md, slackapi/slack-cli#545: without team_id its listings are refused."""
    async with Sandbox(enterprise="E0ORG") as sandbox:
        populate(sandbox)
        place = Office(sandbox)
        people = [person async for page in place.source.people(place.team) for person in page.items]
        assert len(people) == 4
        assert [one async for one in place.source.conversations(place.team)]
        assert await place.source.groups(place.team) == []
        with pytest.raises(WorkspaceUnavailable, match="team_access_not_granted"):
            await place.source.groups("T0OTHER")
