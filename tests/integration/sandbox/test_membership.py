"""What the bot hears of people and conversations."""

from slack_bolt.async_app import AsyncApp

from bot.sandbox.manifest import Manifest, installed
from bot.sandbox.server import Sandbox
from tests.integration.sandbox.conftest import Ears, channel_id, connected
from tests.integration.sandbox.test_limits import refusal
from tests.sandbox_fixtures import Person, populate


async def test_who_joins_and_leaves(app: AsyncApp, ears: Ears, office: Sandbox, mei: Person, tom: Person) -> None:
    """slack.md, Identity and access: member_joined/left reach the bot only for channels it is in."""
    sales, prices, lobby = (channel_id(office, name) for name in ("sales", "prices", "lobby"))
    await tom.act("join", conversation=lobby)
    await mei.act("invite", conversation=prices, user=tom.id)
    joined = await ears.wait("member_joined_channel")
    assert (joined["channel"], joined["user"], joined["inviter"]) == (prices, tom.id, mei.id)
    assert joined["channel_type"] == "G"
    await tom.act("leave", conversation=sales)
    left = await ears.wait("member_left_channel")
    assert (left["channel"], left["user"], left["channel_type"]) == (sales, tom.id, "C")
    assert ears.types().count("member_joined_channel") == 1


async def test_joining_leaves_a_notice(app: AsyncApp, ears: Ears, office: Sandbox, mei: Person, gus: Person) -> None:
    """slack.md, Events that must not trigger an answer: joins and other notices are messages with a subtype."""
    await mei.act("invite", conversation=channel_id(office, "sales"), user=gus.id)
    notice = await ears.wait("message", subtype="channel_join")
    assert notice["user"] == gus.id
    await mei.act("kick", conversation=channel_id(office, "sales"), user=gus.id)
    await ears.wait("message", subtype="channel_leave")


async def test_the_bot_comes_and_goes(app: AsyncApp, ears: Ears, office: Sandbox, mei: Person, tom: Person) -> None:
    """slack.md, Identity and access: after the bot leaves, its view is stale."""
    lobby, bot = channel_id(office, "lobby"), office.context.workspace.app.user
    await mei.act("invite", conversation=lobby, user=bot)
    assert (await ears.wait("member_joined_channel"))["user"] == bot
    await mei.act("kick", conversation=lobby, user=bot)
    assert (await ears.wait("channel_left"))["channel"] == lobby
    await tom.act("join", conversation=lobby)
    await mei.post("sales", "the end")
    await ears.wait("message", text="the end")
    assert ears.types().count("member_joined_channel") == 1


async def test_a_channel_becomes_private(app: AsyncApp, ears: Ears, office: Sandbox, mei: Person, tom: Person) -> None:
    """slack.md, Identity and access: public → private is a MESSAGE subtype, `channel_type:"group"`, same id."""
    sales = channel_id(office, "sales")
    await mei.act("make_private", conversation=sales)
    notice = await ears.wait("message", subtype="channel_convert_to_private")
    assert (notice["channel"], notice["channel_type"]) == (sales, "group")
    assert (await app.client.conversations_info(channel=sales))["channel"]["is_private"] is True
    await tom.act("leave", conversation=sales)
    assert sales not in {one["id"] for one in await tom.conversations()}


async def test_channels_come_and_change(app: AsyncApp, ears: Ears, office: Sandbox, mei: Person) -> None:
    """slack.md, Identity and access: channel_created, channel_rename, channel_archive, unless private without it."""
    secret = (await mei.act("create", kind="private", name="secret"))["conversation"]["id"]
    made = (await mei.act("create", kind="public", name="tiles"))["conversation"]["id"]
    assert (await ears.wait("channel_created"))["channel"]["id"] == made
    await mei.act("rename", conversation=secret, name="more-secret")
    await mei.act("rename", conversation=made, name="all-tiles")
    assert (await ears.wait("channel_rename"))["channel"] == {
        "id": made,
        "name": "all-tiles",
        "created": office.context.workspace.conversations[made].created,
    }
    await mei.act("archive", conversation=made)
    assert (await ears.wait("channel_archive"))["channel"] == made
    assert secret not in str(ears.heard)


async def test_only_what_the_manifest_asks_for() -> None:
    """Slack tells an app of the events that its manifest subscribes to, and grants the scopes it asks for."""
    manifest = Manifest(scopes=frozenset({"channels:history", "chat:write"}), events=frozenset({"message.channels"}))
    ears = Ears()
    async with Sandbox(manifest=manifest) as office:
        populate(office)
        mei, bot = Person(office, "mei"), office.context.workspace.app.user
        async with connected(office, ears) as app:
            await mei.act("create", kind="public", name="tiles")
            await mei.post(await mei.open(bot), "in private")
            await mei.post("sales", f"<@{bot}> in public")
            await ears.wait("message")
            assert [one["text"] for one in ears.heard] == [f"<@{bot}> in public"]
            assert (await refusal(app.client.users_list()))["needed"] == "users:read"


def test_the_bots_manifest_is_what_the_sandbox_grants() -> None:
    """`haitang manifest`: every scope that a method needs and every event that is told apart is spelt as Slack does."""
    manifest = installed()
    assert {"app_mention", "message.channels", "file_shared", "member_left_channel"} <= manifest.events
    assert {"chat:write", "files:read", "groups:history"} <= manifest.scopes


async def test_people_come_and_go(app: AsyncApp, ears: Ears, office: Sandbox, mei: Person, tom: Person) -> None:
    """slack.md, Identity and access: user_change, team_join carry the user with its flags."""
    await mei.act("person", name="ann", real_name="Ann", is_guest=True)
    joined = await ears.wait("team_join")
    assert (joined["user"]["name"], joined["user"]["is_restricted"]) == ("ann", True)
    await mei.act("deactivate", user=tom.id)
    changed = await ears.wait("user_change")
    assert (changed["user"]["id"], changed["user"]["deleted"]) == (tom.id, True)
