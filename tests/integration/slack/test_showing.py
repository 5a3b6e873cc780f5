"""Replies, citations and clicks in the workspace, through the real SDK."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from bot.sandbox.tiers import Tiers
from handlers.errors import SlackError
from handlers.model import Cancelled, CitationRefused, CitationView, Failed, RefusalReason, Status, Step, TextDelta
from handlers.reply import Reply
from permissions.audit import Action
from tests.integration.slack.conftest import Bot
from tests.unit.handlers.samples import final, inquiry

Json = dict[str, Any]


async def begun(bot: Bot, **changes: Any) -> tuple[Reply, str, str]:
    """A reply to a question of mei's in #general, the channel, and the ts of the question."""
    mei, general = bot.person("mei"), bot.channel("general")
    ts = await mei.post(general, f"{bot.mention} how long is the warranty?")
    asked = inquiry(conversation=general, message_ts=ts, thread_ts=ts, asker=mei.id, **changes)
    return await bot.replies.begin(asked, run_id="r1", language="en"), general, ts


async def thread(bot: Bot, general: str, ts: str) -> list[Json]:
    return (await bot.person("mei").messages(general, thread_ts=ts))[1:]


def read(message: Json) -> str:
    """What stands in a message's own blocks."""
    texts = []
    for block in message.get("blocks", ()):
        text = block.get("text")
        texts.append(text["text"] if isinstance(text, dict) else text or "")
        texts += [element["text"] for element in block.get("elements", ()) if isinstance(element.get("text"), str)]
    return "\n".join(texts)


def in_a_hurry(bot: Bot) -> None:
    """A test does not wait for Slack's minutes."""
    bot.replies.budget.per_minute = 6_000.0
    bot.messages._posts.every_s = 0.001


async def test_an_answer_from_placeholder_to_citations(bot: Bot) -> None:
    reply, general, ts = await begun(bot)
    (placeholder,) = await thread(bot, general, ts)
    assert "Got your question" in read(placeholder)
    await reply.show(Status(run_id="r1", step=Step.WRITING))
    await reply.show(TextDelta(run_id="r1", answer_id="a1", revision=1, seq=1, text="Five years"))
    await reply.show(final("Five years [1], by **contract** [2].", 1, 2))
    await reply.finish()
    answer, citations = await thread(bot, general, ts)
    assert "Five years [1], by **contract** [2]." in read(answer)
    assert [one["blocks"][0]["text"]["text"] for one in citations["attachments"]] == [
        "[1] policy-1.pdf",
        "[2] policy-2.pdf",
    ]
    for call in await bot.calls("chat.postMessage"):
        assert (str(call["args"]["unfurl_links"]).lower(), str(call["args"]["unfurl_media"]).lower()) in (
            ("false", "false"),
            ("0", "0"),
        )


async def test_a_long_answer_goes_on_in_further_messages(bot: Bot) -> None:
    reply, general, ts = await begun(bot)
    body = "\n\n".join(f"Paragraph {number} says more about it [1]. " + "word " * 150 for number in range(60))
    await reply.show(final(body, 1))
    await reply.finish()
    *answers, _ = await thread(bot, general, ts)
    assert len(answers) >= 4
    whole = "\n".join(read(answer) for answer in answers)
    assert all(f"Paragraph {number} says" in whole for number in range(60))


async def test_hostile_text_pings_nobody_and_links_nowhere(bot: Bot) -> None:
    reply, general, ts = await begun(bot)
    await reply.show(final("<!channel> <@U1> [click](https://evil.example) [1] @here", 1, gaps=("<!here>",)))
    await reply.finish()
    answer, _ = await thread(bot, general, ts)
    for text in (answer["text"], read(answer)):
        assert "＠channel" in text
        assert "<!" not in text
        assert "](" not in text
        assert "@here" not in text


FAULTS = [
    {"error": "message_not_found"},
    {"error": "edit_window_closed"},
    {"error": "msg_too_long", "times": 2},
    {"error": "cant_update_message"},
    {"http": 500},
    {"retry_after": 1},
]


@pytest.mark.parametrize("fault", FAULTS, ids=str)
async def test_the_answer_lands_whatever_the_final_edit_meets(bot: Bot, fault: Json) -> None:
    reply, general, ts = await begun(bot)
    await bot.trouble(method="chat.update", **fault)
    await reply.show(final("Five years [1].", 1))
    await reply.finish()
    shown = await thread(bot, general, ts)
    assert ["Five years [1]." in read(message) for message in shown] == [True, False]
    assert "attachments" in shown[1]


async def test_a_deleted_placeholder_is_replaced_by_the_answer(bot: Bot) -> None:
    reply, general, ts = await begun(bot)
    await bot.messages.delete(general, reply.placeholder_ts)
    await reply.show(final("Five years [1].", 1))
    await reply.finish()
    answer, _ = await thread(bot, general, ts)
    assert "Five years [1]." in read(answer)


async def test_a_question_deleted_while_it_is_answered_leaves_nothing_waiting(bot: Bot) -> None:
    reply, general, ts = await begun(bot)
    await bot.person("mei").delete(general, ts)
    await reply.show(Cancelled(run_id="r1"))
    await reply.finish()
    (shown,) = await thread(bot, general, ts)
    assert "This question was stopped." in read(shown)


async def test_a_socket_dropped_in_mid_answer_does_not_touch_the_reply(bot: Bot) -> None:
    reply, general, ts = await begun(bot)
    await bot.trouble(drop_socket=True)
    await reply.show(final("Five years [1].", 1))
    await reply.finish()
    assert "Five years [1]." in read((await thread(bot, general, ts))[0])


async def test_twenty_answers_at_once_share_the_budget_and_all_end(bot: Bot, monkeypatch: pytest.MonkeyPatch) -> None:
    mei, general = bot.person("mei"), bot.channel("general")
    in_a_hurry(bot)
    monkeypatch.setattr(Tiers, "take", lambda *_, **__: 0)

    async def answer(number: int) -> None:
        asked = inquiry(conversation=general, message_ts=f"{number}.0", thread_ts=None, asker=mei.id)
        reply = await bot.replies.begin(asked, run_id=f"r{number}", language="en")
        for seq in range(1, 30):
            await reply.show(TextDelta(run_id=f"r{number}", answer_id="a", revision=1, seq=seq, text=f"word {seq} "))
            await asyncio.sleep(0)
        await reply.show(final(f"Answer {number} [1].", 1))
        await reply.finish()

    await asyncio.gather(*(answer(number) for number in range(20)))
    shown = "\n".join(read(message) for message in await mei.messages(general))
    assert all(f"Answer {number} [1]." in shown for number in range(20))
    assert "Got your question" not in shown
    edits = await bot.calls("chat.update")
    assert not [call for call in edits if not call["ok"]]


async def test_a_storm_of_429s_loses_no_answer(bot: Bot) -> None:
    in_a_hurry(bot)
    await bot.trouble(method="chat.postMessage", retry_after=0, times=3)
    await bot.trouble(method="chat.update", retry_after=0, times=6)
    reply, general, ts = await begun(bot)
    for seq in range(1, 10):
        await reply.show(TextDelta(run_id="r1", answer_id="a", revision=1, seq=seq, text="word "))
        await asyncio.sleep(0)
    await reply.show(final("Five years [1].", 1))
    await reply.finish()
    assert "Five years [1]." in read((await thread(bot, general, ts))[0])


async def test_a_bot_without_the_permission_to_write_says_which_one(bot: Bot) -> None:
    await bot.trouble(revoke_scope="chat:write")
    with pytest.raises(SlackError, match="chat:write"):
        await begun(bot)


VIEW = CitationView(
    number=1,
    title="policy-1.pdf",
    place="page 3",
    before="Before.",
    excerpt="Five years.",
    after="After.",
    version_number=2,
    published_at="2026-11-27T12:00:00+00:00",
    is_current=True,
    link="https://example.slack.com/files/F1",
)


async def opened(bot: Bot, found: CitationView | Exception) -> Json:
    """The modal that mei sees after she opened the citation of an answer."""
    bot.citations.views["ev1"] = found
    reply, general, ts = await begun(bot)
    await reply.show(final("Five years [1].", 1))
    await reply.finish()
    _, citations = await thread(bot, general, ts)
    await bot.person("mei").click(general, citations, "open_citation")
    await bot.notes.until(lambda: bool(bot.citations.opened))
    (call,) = await bot.called("views.update")
    view = call["args"]["view"]
    return dict(view)


async def test_opening_a_citation_shows_the_passage(bot: Bot) -> None:
    view = await opened(bot, VIEW)
    assert "Five years." in read(view)
    assert bot.citations.opened == [(bot.person("mei").id, "ev1", "en")]


@pytest.mark.parametrize(
    ("problem", "expected"),
    [
        (CitationRefused(RefusalReason.NOT_ALLOWED), "not shared with you"),
        (CitationRefused(RefusalReason.DELETED), "has been deleted"),
        (RuntimeError("broken"), "could not be opened just now"),
    ],
)
async def test_a_citation_that_cannot_be_opened_says_why(bot: Bot, problem: Exception, expected: str) -> None:
    assert expected in read(await opened(bot, problem))


async def test_stop_and_try_again_reach_the_run_and_a_refusal_is_seen_by_the_clicker_alone(bot: Bot) -> None:
    reply, general, ts = await begun(bot)
    (placeholder,) = await thread(bot, general, ts)
    await bot.person("mei").click(general, placeholder, "stop_run")
    await bot.notes.until(lambda: bool(bot.questions.cancelled))
    await reply.show(Failed(run_id="r1", message="The database went away.", can_retry=True))
    await reply.finish()
    bot.questions.yes = False
    (failed,) = await thread(bot, general, ts)
    tom = bot.person("tom")
    await tom.click(general, failed, "retry_run")
    await bot.notes.until(lambda: bool(bot.questions.retried))
    await bot.called("chat.postEphemeral")
    assert bot.questions.cancelled == [("r1", bot.person("mei").id)]
    assert bot.questions.retried == [("r1", tom.id)]
    seen = [message for message in await tom.messages(general, thread_ts=ts) if message.get("ephemeral")]
    assert "can't be tried again" in seen[0]["text"]


async def test_a_click_is_noted_before_it_does_anything(bot: Bot) -> None:
    await opened(bot, VIEW)
    (entry,) = bot.trail.entries
    assert (entry.action, entry.actor) == (Action.CLICK, bot.person("mei").id)
    assert entry.details == {"what": "open_citation", "value": "ev1"}
    assert entry.conversation == bot.channel("general")


async def test_a_click_that_can_not_be_noted_does_nothing_and_says_so(bot: Bot) -> None:
    reply, general, ts = await begun(bot)
    (placeholder,) = await thread(bot, general, ts)
    bot.trail.is_full = True
    await bot.person("mei").click(general, placeholder, "stop_run")
    (whisper,) = await bot.called("chat.postEphemeral")
    assert "did not work just now" in whisper["args"]["text"]
    assert bot.questions.cancelled == []
    await reply.abandon()
