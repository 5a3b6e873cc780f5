"""Which events a message raises, heard by the real bolt over the socket."""

from slack_bolt.async_app import AsyncApp

from bot.sandbox.server import Sandbox
from tests.integration.sandbox.conftest import Ears, channel_id
from tests.sandbox_fixtures import Person


async def test_a_mention_arrives_twice(app: AsyncApp, ears: Ears, mei: Person, bot: str) -> None:
    """slack.md, Limits: a mention in a channel arrives twice, as `app_mention` and as `message`."""
    ts = await mei.post("sales", f"<@{bot}> who supplies the glue?")
    mention, message = await ears.wait("app_mention"), await ears.wait("message")
    assert mention["ts"] == message["ts"] == ts
    assert message["channel_type"] == "channel"
    assert "channel_type" not in mention


async def test_a_direct_message_arrives_once(app: AsyncApp, ears: Ears, mei: Person, bot: str) -> None:
    """slack.md, design 4: direct messages are plain `message.im`."""
    conversation = await mei.open(bot)
    await mei.post(conversation, f"<@{bot}> hello")
    await mei.post(conversation, "are you there?")
    second = await ears.wait("message", count=2)
    assert (second["channel_type"], second["text"]) == ("im", "are you there?")
    assert "app_mention" not in ears.types()


async def test_a_group_dm_has_no_twin(app: AsyncApp, ears: Ears, mei: Person, tom: Person, bot: str) -> None:
    """field-reports.md, lidge-jun/cli-jaw#651: a group DM has no app_mention twin."""
    conversation = await mei.open(tom.id, bot)
    await mei.post(conversation, f"<@{bot}> hello")
    await mei.post(conversation, "and now?")
    assert (await ears.wait("message", count=2))["channel_type"] == "mpim"
    assert "app_mention" not in ears.types()


async def test_the_bots_own_messages_come_back(app: AsyncApp, ears: Ears, office: Sandbox, bot: str) -> None:
    """slack.md, Events that must not trigger an answer: own messages arrive as events too."""
    await app.client.chat_postMessage(channel=channel_id(office, "sales"), text=f"I am <@{bot}>")
    message = await ears.wait("message")
    assert message["user"] == bot
    assert message["bot_id"] == office.context.workspace.app.bot_id
    assert "app_mention" not in ears.types()


async def test_an_edit_is_a_hidden_message_changed(app: AsyncApp, ears: Ears, mei: Person, bot: str) -> None:
    """slack.md, Events that must not trigger an answer: an edit is the subtype message_changed, its mention no twin."""
    ts = await mei.post("sales", "who supplies the glue?")
    await mei.edit("sales", ts, f"<@{bot}> who supplies the tiles?")
    changed = await ears.wait("message", subtype="message_changed")
    assert changed["message"]["text"].endswith("tiles?")
    assert changed["message"]["ts"] == changed["previous_message"]["ts"] == ts
    assert changed["message"]["edited"]["user"] == mei.id
    assert changed["hidden"] is True
    assert changed["ts"] != ts
    assert "app_mention" not in ears.types()


async def test_a_deletion_is_a_message_deleted(app: AsyncApp, ears: Ears, mei: Person) -> None:
    """slack.md, Events that must not trigger an answer: a deletion is the subtype message_deleted."""
    ts = await mei.post("sales", "never mind")
    await mei.delete("sales", ts)
    deleted = await ears.wait("message", subtype="message_deleted")
    assert deleted["deleted_ts"] == ts
    assert deleted["previous_message"]["text"] == "never mind"
    assert await mei.messages("sales") == []


async def test_the_deleted_root_of_a_thread_leaves_a_tombstone(app: AsyncApp, ears: Ears, mei: Person) -> None:
    """openclaw/openclaw#22035: a deleted root arrives as message_changed whose message is a tombstone."""
    ts = await mei.post("sales", "a question")
    await mei.post("sales", "an answer", thread_ts=ts)
    await mei.delete("sales", ts)
    changed = await ears.wait("message", subtype="message_changed")
    assert changed["message"]["subtype"] == "tombstone"
    assert changed["previous_message"]["text"] == "a question"
    assert [one["text"] for one in await mei.messages("sales", thread_ts=ts)][1:] == ["an answer"]


async def test_a_reply_to_a_vanished_message_stands_in_the_channel(app: AsyncApp, office: Sandbox, mei: Person) -> None:
    """slackapi/python-slack-events-api#87: a reply to a deleted question stands in the channel itself."""
    ts = await mei.post("sales", "a question")
    await mei.delete("sales", ts)
    answer = await app.client.chat_postMessage(channel=channel_id(office, "sales"), text="late", thread_ts=ts)
    assert "thread_ts" not in answer["message"]
    assert [one["text"] for one in await mei.messages("sales")] == ["late"]


async def test_a_reply_carries_its_thread(app: AsyncApp, ears: Ears, office: Sandbox, mei: Person, tom: Person) -> None:
    """slack.md, Limits (conversations.replies): a reply names its root; a reply to a reply is one to the root."""
    root = await mei.post("sales", "a question")
    reply = await tom.post("sales", "why?", thread_ts=root)
    await mei.post("sales", "because", thread_ts=reply)
    heard = await ears.wait("message", text="because")
    assert heard["thread_ts"] == root
    assert heard["parent_user_id"] == mei.id
    (top,) = await mei.messages("sales")
    assert (top["reply_count"], top["reply_users_count"]) == (2, 2)


async def test_the_bot_hears_nothing_of_places_it_is_not_in(
    app: AsyncApp, ears: Ears, office: Sandbox, mei: Person, bot: str
) -> None:
    """slack.md, Identity and access: events reach the bot only for channels it is in."""
    await mei.post("lobby", f"<@{bot}> can you hear me?")
    await mei.post("sales", "here you can")
    await ears.wait("message", text="here you can")
    assert ears.types() == ["message"]


async def test_without_the_scope_no_message_arrives(
    app: AsyncApp, ears: Ears, office: Sandbox, mei: Person, bot: str
) -> None:
    """field-reports.md, sweatco/archie-hq#215: a missing scope means silence; each kind of place has its own."""
    office.context.faults.scopes.discard("groups:history")
    office.context.faults.scopes.discard("app_mentions:read")
    await mei.post("prices", "the glue costs 40")
    await mei.post("sales", f"<@{bot}> what does the glue cost?")
    await ears.wait("message", channel=channel_id(office, "sales"))
    assert ears.types() == ["message"]


async def test_what_people_type_is_escaped(app: AsyncApp, ears: Ears, mei: Person, bot: str) -> None:
    """slack.md, Markdown: Slack's own forms are <…>; everything else that a person types arrives escaped."""
    await mei.post("sales", f"<@{bot}> is 3 < 5 & <b>bold</b> <https://example.org/a>?")
    message = await ears.wait("message")
    assert message["text"] == f"<@{bot}> is 3 &lt; 5 &amp; &lt;b&gt;bold&lt;/b&gt; <https://example.org/a>?"
    await mei.edit("sales", message["ts"], message["text"])
    assert (await ears.wait("message", subtype="message_changed"))["message"]["text"] == message["text"]
