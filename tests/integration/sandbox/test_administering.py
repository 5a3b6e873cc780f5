"""What the bot hears and reads when a workspace is administered: guests, sharing, user groups, the app itself."""

import pytest
from slack_bolt.async_app import AsyncApp
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from bot.sandbox.server import Sandbox
from tests.integration.sandbox.conftest import Ears, channel_id
from tests.integration.sandbox.test_limits import refusal
from tests.sandbox_fixtures import Person


async def test_guests_of_both_kinds_and_back(app: AsyncApp, ears: Ears, mei: Person, tom: Person) -> None:
    """slack.md, Identity and access: `is_restricted`, `is_ultra_restricted` (guests)."""
    flags = ("is_restricted", "is_ultra_restricted", "is_stranger", "deleted")
    for changes, wanted in (
        ({"is_guest": True, "is_single_channel": True}, [True, True, False, False]),
        ({"is_guest": False, "is_single_channel": False}, [False] * 4),
        ({"deleted": True}, [False, False, False, True]),
        ({"deleted": False, "is_stranger": True, "home_team": "T0OTHER"}, [False, False, True, False]),
    ):
        await mei.act("change_person", user=tom.id, **changes)
        user = (await app.client.users_info(user=tom.id))["user"]
        assert [user[flag] for flag in flags] == wanted
    assert (await ears.wait("user_change", count=4))["user"]["team_id"] == "T0OTHER"


async def test_a_channel_is_shared_and_unshared(
    app: AsyncApp, ears: Ears, office: Sandbox, mei: Person, tom: Person
) -> None:
    """slack.md, Identity and access: `is_ext_shared`, `is_pending_ext_shared`, `is_org_shared`, `shared_team_ids`."""
    sales = channel_id(office, "sales")

    async def flags() -> list[object]:
        channel = (await app.client.conversations_info(channel=sales))["channel"]
        names = ("is_ext_shared", "is_pending_ext_shared", "is_org_shared", "shared_team_ids", "pending_shared")
        return [channel[name] for name in names]

    team = office.context.workspace.app.team
    await mei.act("share_channel", conversation=sales, team="T0OTHER", pending=True)
    assert await flags() == [False, True, False, [team], ["T0OTHER"]]
    await mei.act("share_channel", conversation=sales, team="T0OTHER")
    assert (await ears.wait("channel_shared"))["connected_team_id"] == "T0OTHER"
    assert await flags() == [True, False, False, [team, "T0OTHER"], []]
    await mei.act("change_person", user=tom.id, home_team="T0OTHER")
    await mei.act("unshare_channel", conversation=sales, team="T0OTHER")
    assert (await ears.wait("channel_unshared"))["is_ext_shared"] is False
    assert await flags() == [False, False, False, [team], []]
    assert tom.id not in (await app.client.conversations_members(channel=sales))["members"]
    await mei.act("share_channel", conversation=sales, team="T0SISTER", in_org=True)
    assert await flags() == [False, False, True, [team, "T0SISTER"], []]


async def test_a_channel_gets_another_id(app: AsyncApp, ears: Ears, office: Sandbox, mei: Person) -> None:
    """slack.md, Identity and access: channel_id_changed. Messages, members and files come along."""
    sales = channel_id(office, "sales")
    file, ts = await mei.upload(sales, "prices.md", b"# Prices")
    moved = (await mei.act("change_channel_id", conversation=sales))["conversation"]["id"]
    event = await ears.wait("channel_id_changed")
    assert (event["old_channel_id"], event["new_channel_id"]) == (sales, moved)
    assert (await refusal(app.client.conversations_info(channel=sales)))["error"] == "channel_not_found"
    assert [one["ts"] for one in await mei.messages(moved)] == [ts]
    assert (await app.client.files_info(file=file))["file"]["channels"] == [moved]


async def test_channels_are_opened_archived_and_deleted(
    app: AsyncApp, ears: Ears, office: Sandbox, mei: Person, tom: Person
) -> None:
    prices = channel_id(office, "prices")
    await mei.act("archive", conversation=prices)
    await mei.act("unarchive", conversation=prices)
    assert (await ears.wait("group_unarchive"))["channel"] == prices
    await mei.act("make_public", conversation=prices)
    await ears.wait("message", subtype="channel_convert_to_public")
    assert prices in {one["id"] for one in await tom.conversations()}
    await mei.act("delete_channel", conversation=prices)
    assert (await ears.wait("channel_deleted"))["channel"] == prices
    assert (await refusal(app.client.conversations_info(channel=prices)))["error"] == "channel_not_found"


async def test_user_groups(app: AsyncApp, ears: Ears, mei: Person, tom: Person) -> None:
    """slack.md, Identity and access: `subteam_members_changed` is a delta with `date_previous_update`."""
    made = (await mei.act("create_group", handle="leads", members=["mei"]))["group"]
    assert (await ears.wait("subteam_created"))["subteam"]["users"] == [mei.id]
    await mei.act("change_group", group="leads", add=["tom"], remove=["mei"])
    delta = await ears.wait("subteam_members_changed")
    assert (delta["added_users"], delta["removed_users"]) == ([tom.id], [mei.id])
    assert delta["date_previous_update"] == made["date_update"] < delta["date_update"]
    listed = (await app.client.usergroups_list(include_users=True))["usergroups"]
    assert [(one["id"], one["users"]) for one in listed] == [(made["id"], [tom.id])]
    assert (await app.client.usergroups_users_list(usergroup=made["id"]))["users"] == [tom.id]
    await mei.act("disable_group", group="leads")
    assert (await ears.wait("subteam_updated"))["subteam"]["date_delete"] > 0
    assert (await app.client.usergroups_list())["usergroups"] == []


@pytest.mark.parametrize(
    "way", [("uninstall", "account_inactive", "app_uninstalled"), ("revoke_tokens", "token_revoked", "tokens_revoked")]
)
async def test_the_app_is_taken_out_and_put_back(
    app: AsyncApp, ears: Ears, mei: Person, way: tuple[str, str, str]
) -> None:
    """slack.md, Identity and access: app_uninstalled, tokens_revoked; after them nothing is heard."""
    deed, error, last = way
    await mei.act(deed)
    await ears.wait(last)
    assert (await refusal(app.client.users_list()))["error"] == error
    await mei.post("sales", "unheard")
    await mei.act("reinstall")
    await mei.post("sales", "heard")
    await ears.wait("message", text="heard")
    assert "unheard" not in str(ears.heard)
    assert (await app.client.users_list())["ok"]


async def test_another_team_is_refused(web: AsyncWebClient) -> None:
    """field-reports.md, slackapi/slack-cli#545."""
    for listing in (
        web.users_list(team_id="T0"),
        web.users_conversations(team_id="T0"),
        web.usergroups_list(team_id="T0"),
    ):
        assert (await refusal(listing))["error"] == "team_access_not_granted"


async def test_trouble_of_other_kinds(web: AsyncWebClient, mei: Person) -> None:
    """A login page in place of JSON, and a list that begins anew for ever."""
    await mei.act("faults", method="users.list", html=True)
    with pytest.raises(SlackApiError):
        await web.users_list()
    await mei.act("faults", method="users.list", loop=True, times=9)
    first = await web.users_list(limit=2)
    again = await web.users_list(limit=2, cursor=first["response_metadata"]["next_cursor"])
    assert first["members"] == again["members"]
    await mei.act("faults", clear=True)
    assert not (await web.users_list())["response_metadata"]["next_cursor"]


async def test_an_event_of_another_workspace(app: AsyncApp, ears: Ears, mei: Person) -> None:
    await mei.act("faults", foreign_event={"team": "T0OTHER", "event": {"type": "team_join", "user": {"id": "U0"}}})
    assert (await ears.wait("team_join"))["user"] == {"id": "U0"}
