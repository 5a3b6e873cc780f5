"""Saying something in the page: messages, threads, edits, mentions, and what others see of it at once."""

from __future__ import annotations

import pytest
from playwright.async_api import expect

from bot.sandbox.server import Sandbox
from tests.e2e.browser.conftest import Bot, BrowserPage, Troubles
from tests.sandbox_fixtures import Person

pytestmark = pytest.mark.browser


async def test_enter_sends_and_shift_enter_makes_a_new_line(
    office: Sandbox, browser_page: BrowserPage, channels: dict[str, str]
) -> None:
    mei = await browser_page("mei", at=channels["general"])
    tom = await browser_page("tom", at=channels["general"])
    writing = mei.get_by_role("textbox", name="Message #general")
    await writing.fill("first line")
    await writing.press("Shift+Enter")
    await writing.press_sequentially("second line")
    await writing.press("Enter")
    message = tom.locator(".message", has_text="second line")
    await expect(message.locator(".author")).to_have_text("Mei 梅")
    await expect(message.locator(".text br")).to_have_count(1)
    await expect(writing).to_have_value("")


async def test_a_mention_is_offered_chosen_by_key_and_sent_as_slack_writes_it(
    office: Sandbox, browser_page: BrowserPage, channels: dict[str, str], bot_name: str
) -> None:
    page = await browser_page("mei", at=channels["general"])
    writing = page.get_by_role("textbox", name="Message #general")
    await writing.press_sequentially("hello @hai")
    await expect(page.get_by_role("option")).to_have_count(1)
    await writing.press("Enter")
    await expect(writing).to_have_value("hello @haitang ")
    await writing.press_sequentially("what is < 5 & &lt; new?")
    await writing.press("Enter")
    await expect(page.locator(".message .mention")).to_have_text(f"@{bot_name}")
    [message] = await Person(office, "mei").messages(channels["general"])
    assert message["text"] == f"hello <@{office.context.workspace.app.user}> what is &lt; 5 &amp; &amp;lt; new?"
    await expect(page.locator(".message .text")).to_contain_text("what is < 5 & &lt; new?")


async def test_a_reply_opens_the_thread_and_is_counted_below_its_root(
    office: Sandbox, browser_page: BrowserPage, channels: dict[str, str]
) -> None:
    root = await Person(office, "tom").post(channels["general"], "Who has the keys?")
    page = await browser_page("mei", at=channels["general"])
    await page.locator(".message", has_text="keys").hover()
    await page.get_by_role("button", name="Reply in thread").click()
    reply = page.get_by_role("textbox", name="Reply…")
    await expect(reply).to_be_focused()
    await reply.fill("I do")
    await reply.press("Enter")
    await expect(page.locator(".thread .message")).to_have_count(2)
    await expect(page.locator(".conversation .message")).to_have_count(1)
    await expect(page.locator(".thread-summary")).to_contain_text("1 reply")
    await Person(office, "tom").post(channels["general"], "good", thread_ts=root)
    await expect(page.locator(".thread-summary")).to_contain_text("2 replies")
    await page.get_by_role("button", name="Close thread").click()
    await expect(page.locator(".thread")).to_have_count(0)


async def test_one_edits_and_deletes_only_ones_own_messages(
    office: Sandbox, browser_page: BrowserPage, channels: dict[str, str]
) -> None:
    await Person(office, "tom").post(channels["general"], "not mine")
    await Person(office, "mei").post(channels["general"], "tpyo for <@" + Person(office, "tom").id + ">")
    page = await browser_page("mei", at=channels["general"])
    await page.locator(".message", has_text="not mine").hover()
    await expect(page.get_by_role("button", name="Edit message")).to_have_count(1)
    await page.locator(".message", has_text="tpyo").hover()
    await page.get_by_role("button", name="Edit message").click()
    editing = page.get_by_role("textbox", name="Edit message")
    await expect(editing).to_have_value("tpyo for @tom")
    await editing.fill("typo for @tom")
    await editing.press("Enter")
    await expect(page.locator(".message", has_text="(edited)")).to_contain_text("typo for @Tom")
    await page.locator(".message", has_text="typo").hover()
    await page.get_by_role("button", name="Delete message").click()
    await page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    await expect(page.locator(".message", has_text="typo")).to_have_count(0)
    assert [one["text"] for one in await Person(office, "mei").messages(channels["general"])] == ["not mine"]


async def test_an_answer_grows_in_place_and_its_beginning_stays_in_sight(
    office: Sandbox, browser_page: BrowserPage, channels: dict[str, str], bot: Bot
) -> None:
    page = await browser_page("mei", at=channels["general"])
    placed = await bot.client.chat_postMessage(channel=channels["general"], text="Searching…")
    answer = page.locator(".message[data-author]", has=page.locator(".badge", has_text="APP"))
    await expect(answer).to_contain_text("Searching…")
    lines = "\n\n".join(f"Line {number}" for number in range(60))
    await bot.client.chat_update(
        channel=channels["general"], ts=placed["ts"], text="draft", blocks=[{"type": "markdown", "text": lines}]
    )
    await expect(answer).to_contain_text("Line 59")
    await expect(answer.get_by_text("Line 0", exact=True)).to_be_in_viewport()
    await expect(answer).not_to_contain_text("Searching…")
    await bot.client.chat_postMessage(channel=channels["general"], text="the sources")
    await expect(answer.get_by_text("Line 0", exact=True)).to_be_in_viewport()
    await page.get_by_role("button", name="Jump to the latest").click()
    await expect(page.get_by_text("the sources")).to_be_in_viewport()


async def test_what_was_missed_while_the_connection_was_down_is_caught_up(
    office: Sandbox, browser_page: BrowserPage, channels: dict[str, str]
) -> None:
    tom = Person(office, "tom")
    changed = await tom.post(channels["general"], "before")
    page = await browser_page("mei", at=channels["general"])
    await page.evaluate("document.querySelector('.app').dataset.mark = 'same page'")
    stream = office.context.stream
    for listener in list(stream._listeners):
        stream.leave(listener)
        listener.queue.put_nowait(None)
    await tom.edit(channels["general"], changed, "after")
    await tom.post(channels["general"], "new")
    await expect(page.locator(".message", has_text="after")).to_be_visible()
    await expect(page.locator(".message", has_text="new")).to_be_visible()
    await expect(page.locator(".connection")).to_be_empty()
    assert await page.evaluate("document.querySelector('.app').dataset.mark") == "same page"


async def test_a_refusal_is_shown_with_its_reason_and_the_words_are_kept(
    office: Sandbox, browser_page: BrowserPage, channels: dict[str, str], troubles: Troubles
) -> None:
    troubles.allowed.append("ERR_FAILED")
    page = await browser_page("mei", at=channels["general"])
    writing = page.get_by_role("textbox", name="Message #general")
    await writing.fill("too late")
    await page.route("**/control/post", lambda route: route.abort())
    await writing.press("Enter")
    await expect(page.get_by_role("alert")).to_contain_text("the workspace does not answer")
    await expect(writing).to_have_value("too late")
