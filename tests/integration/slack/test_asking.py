"""How questions arrive, over Socket Mode."""

from __future__ import annotations

from handlers.model import Outgoing
from permissions.model import ConversationKind
from tests.integration.slack.conftest import Bot


async def test_a_mention_and_its_message_twin_are_one_question(bot: Bot) -> None:
    mei, general = bot.person("mei"), bot.channel("general")
    ts = await mei.post(general, f"{bot.mention} who supplies the waterproofing &amp; tiles?")
    inquiry = await bot.asked()
    await bot.notes.until(lambda: bot.questions.deliveries == 2)
    assert [question.text for question in bot.questions.asked] == ["who supplies the waterproofing & tiles?"]
    assert (inquiry.message_ts, inquiry.thread_ts, inquiry.asker, inquiry.conversation) == (ts, ts, mei.id, general)


async def test_redelivered_under_eleven_event_ids_it_is_asked_once(bot: Bot) -> None:
    await bot.trouble(redeliver={"type": "message", "times": 10, "fresh_event_id": True})
    await bot.person("mei").post(bot.channel("general"), f"{bot.mention} how long is the warranty?")
    await bot.notes.until(lambda: bot.questions.deliveries >= 12)
    assert len(bot.questions.asked) == 1


async def test_a_direct_message_needs_no_mention(bot: Bot) -> None:
    mei = bot.person("mei")
    room = await mei.open(bot.app.identity.user)
    await mei.post(room, "海棠 A 用什么防水材料？")
    inquiry = await bot.asked()
    assert (inquiry.kind, inquiry.text, inquiry.thread_ts) == (ConversationKind.DM, "海棠 A 用什么防水材料？", None)


async def test_a_group_dm_has_no_mention_twin_and_is_asked_all_the_same(bot: Bot) -> None:
    mei = bot.person("mei")
    room = await mei.open(bot.person("tom").id, bot.app.identity.user)
    await mei.post(room, f"{bot.mention} how long is the warranty?")
    inquiry = await bot.asked()
    assert inquiry.kind is ConversationKind.GROUP_DM
    assert bot.questions.deliveries == 1


async def test_a_thread_where_the_bot_is_engaged_goes_on_without_a_mention(bot: Bot) -> None:
    mei, tom, general = bot.person("mei"), bot.person("tom"), bot.channel("general")
    root = await mei.post(general, f"{bot.mention} how long is the warranty?")
    await bot.asked()
    bot.questions.engaged.add((general, root))
    await tom.post(general, f"<@{mei.id}> did you know that?", thread_ts=root)
    await tom.post(general, "and who supplies it?", thread_ts=root)
    inquiry = await bot.asked(2)
    assert (inquiry.text, inquiry.thread_ts, inquiry.asker) == ("and who supplies it?", root, tom.id)


async def test_our_own_messages_notices_and_talk_of_others_are_no_questions(bot: Bot) -> None:
    mei, tom, general = bot.person("mei"), bot.person("tom"), bot.channel("general")
    await bot.messages.post(general, Outgoing(f"{bot.mention} I mention myself"))
    await mei.act("leave", conversation=general)
    await mei.act("join", conversation=general)
    await tom.post(general, "the price is `<@U1>` " + f"and `{bot.mention}` is how you call the bot")
    await tom.post(general, "lunch?")
    await tom.post(general, f"{bot.mention} last")
    inquiry = await bot.asked()
    assert [question.text for question in bot.questions.asked] == ["last"]
    assert inquiry.asker == tom.id


async def test_an_edit_is_passed_on_as_an_edit_and_a_deletion_as_one(bot: Bot) -> None:
    mei, general = bot.person("mei"), bot.channel("general")
    ts = await mei.post(general, f"{bot.mention} how long is the guarantee?")
    await bot.asked()
    await mei.edit(general, ts, f"{bot.mention} how long is the warranty?")
    await bot.notes.until(lambda: bool(bot.questions.edited))
    await mei.delete(general, ts)
    await bot.notes.until(lambda: bool(bot.questions.deleted))
    assert [inquiry.text for inquiry in bot.questions.edited] == ["how long is the warranty?"]
    assert bot.questions.deleted == [(bot.app.identity.team, general, ts)]
    assert len(bot.questions.asked) == 1


async def test_what_could_not_be_accepted_is_not_acknowledged_and_told_once(
    bot: Bot,
) -> None:
    mei, general = bot.person("mei"), bot.channel("general")
    bot.questions.failures = 2  # the mention and its twin
    ts = await mei.post(general, f"{bot.mention} how long is the warranty?")
    await bot.asked()
    await bot.app._intake.aclose()
    thread = await mei.messages(general, thread_ts=ts)
    assert ["database" in message["text"] for message in thread[1:]] == [True]
    assert len(bot.questions.asked) == 1


async def test_people_and_places_reach_the_rows_of_rights(bot: Bot) -> None:
    mei, general = bot.person("mei"), bot.channel("general")
    await mei.act("leave", conversation=general)
    await mei.act("join", conversation=general)
    await bot.notes.until(lambda: len(bot.memberships.calls) >= 2)
    assert bot.memberships.calls[:2] == [("left", general, mei.id), ("joined", general, mei.id)]


async def test_after_the_socket_was_dropped_questions_arrive_again(bot: Bot) -> None:
    await bot.trouble(drop_socket=True)
    await bot.person("mei").post(bot.channel("general"), f"{bot.mention} are you there?")
    assert (await bot.asked()).text == "are you there?"
