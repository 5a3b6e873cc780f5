"""What a person is in the middle of survives what happens meanwhile: clicks, focus, drafts, recordings, links."""

from __future__ import annotations

import asyncio
import re
from typing import Any

import pytest
from playwright.async_api import Route, expect

from bot.sandbox.server import Sandbox
from tests.e2e.browser.conftest import Bot, BrowserPage, Troubles
from tests.sandbox_fixtures import Person

pytestmark = pytest.mark.browser

STOP = {"type": "button", "action_id": "stop", "text": {"type": "plain_text", "text": "Stop"}}


def draft(text: str) -> dict[str, Any]:
    blocks = [{"type": "markdown", "text": text}, {"type": "actions", "block_id": "b", "elements": [STOP]}]
    return {"text": text, "blocks": blocks}


async def test_a_click_reaches_its_button_though_the_answer_grows_between_press_and_release(
    office: Sandbox, browser_page: BrowserPage, channels: dict[str, str], bot: Bot
) -> None:
    @bot.app.action("stop")
    async def stopped(ack: Any, body: dict[str, Any]) -> None:
        await ack()
        bot.clicks.append(body)

    page = await browser_page("mei", at=channels["general"])
    answer = await bot.client.chat_postMessage(channel=channels["general"], **draft("one"))
    button = page.get_by_role("button", name="Stop")
    await button.hover()
    await page.mouse.down()
    await bot.client.chat_update(channel=channels["general"], ts=answer["ts"], **draft("one two"))
    await bot.client.chat_postMessage(channel=channels["sales"], text="meanwhile")
    async with page.expect_response("**/control/click"):
        await page.mouse.up()
    await expect(page.locator(".message")).to_contain_text("one two")
    assert len(bot.clicks) == 1


async def test_the_focus_stays_on_a_button_of_an_answer_that_grows(
    office: Sandbox, browser_page: BrowserPage, channels: dict[str, str], bot: Bot
) -> None:
    page = await browser_page("mei", at=channels["general"])
    answer = await bot.client.chat_postMessage(channel=channels["general"], **draft("one"))
    await page.get_by_role("button", name="Stop").focus()
    await bot.client.chat_update(channel=channels["general"], ts=answer["ts"], **draft("one two"))
    await expect(page.locator(".message")).to_contain_text("one two")
    await expect(page.get_by_role("button", name="Stop")).to_be_focused()


async def test_what_one_is_editing_survives_new_messages(
    office: Sandbox, browser_page: BrowserPage, channels: dict[str, str]
) -> None:
    await Person(office, "mei").post(channels["general"], "mine")
    page = await browser_page("mei", at=channels["general"])
    await page.locator(".message").hover()
    await page.get_by_role("button", name="Edit message").click()
    editing = page.get_by_role("textbox", name="Edit message")
    await editing.fill("half a sent")
    await Person(office, "tom").post(channels["general"], "new")
    await expect(page.locator(".message", has_text="new")).to_be_visible()
    await expect(editing).to_have_value("half a sent")
    await expect(editing).to_be_focused()
    await editing.press("Escape")
    await expect(page.locator(".message", has_text="mine")).to_be_visible()


async def test_drafts_wait_where_they_were_written(
    office: Sandbox, browser_page: BrowserPage, channels: dict[str, str]
) -> None:
    page = await browser_page("mei", at=channels["general"])
    await page.get_by_role("textbox", name="Message #general").fill("for everybody")
    await page.locator(".entry", has_text="sales").click()
    await expect(page.get_by_role("textbox", name="Message #sales")).to_have_value("")
    await page.locator(".entry", has_text="general").click()
    await expect(page.get_by_role("textbox", name="Message #general")).to_have_value("for everybody")


async def test_a_recording_ends_when_one_goes_elsewhere(
    office: Sandbox, browser_page: BrowserPage, channels: dict[str, str]
) -> None:
    page = await browser_page("mei", at=channels["general"])
    await page.get_by_role("button", name="Record a voice clip").click()
    await expect(page.get_by_role("timer")).to_be_visible()
    await page.locator(".entry", has_text="sales").click()
    await page.locator(".entry", has_text="general").click()
    await expect(page.get_by_role("textbox", name="Message #general")).to_be_visible()
    await expect(page.get_by_role("timer")).to_be_hidden()
    assert await Person(office, "mei").messages(channels["general"]) == []


async def test_a_clip_that_could_not_be_sent_is_kept_and_sent_again(
    office: Sandbox, browser_page: BrowserPage, channels: dict[str, str], troubles: Troubles
) -> None:
    troubles.allowed.append("ERR_FAILED")
    page = await browser_page("mei", at=channels["general"])
    await page.route("**/control/record?*", lambda route: route.abort())
    await page.get_by_role("button", name="Record a voice clip").click()
    await expect(page.get_by_role("timer")).to_have_text(re.compile("0:0[1-9]"))
    await page.get_by_role("button", name="Stop and send").click()
    await expect(page.get_by_role("alert")).to_contain_text("does not answer")
    await page.unroute("**/control/record?*")
    await page.get_by_role("button", name="Stop and send").click()
    await expect(page.locator(".file-audio")).to_have_count(1)


async def test_links_to_messages_and_files_open_in_the_page_as_the_same_person(
    office: Sandbox, browser_page: BrowserPage, channels: dict[str, str], bot: Bot
) -> None:
    ts = await Person(office, "tom").post(channels["sales"], "the old news")
    file, _ = await Person(office, "tom").upload(channels["sales"], "计划.txt", b"plan")
    link = await bot.client.chat_getPermalink(channel=channels["sales"], message_ts=ts)
    other_name = office.page_url.replace("127.0.0.1", "localhost")
    page = await browser_page("mei", at=channels["general"])
    await Person(office, "tom").post(channels["general"], f"see {link['permalink']} and {other_name}files/{file}")
    await page.locator(".message a").nth(1).click()
    await expect(page.get_by_role("dialog", name="计划.txt")).to_contain_text("plan")
    await page.keyboard.press("Escape")
    await page.locator(".message a").first.click()
    await expect(page.locator(".message.pointed-at")).to_contain_text("the old news")
    await expect(page.get_by_role("heading", name="sales")).to_be_visible()
    await page.goto(str(link["permalink"]))
    await expect(page.locator(".message.pointed-at")).to_contain_text("the old news")


async def test_a_very_long_text_goes_ahead_of_its_file(
    office: Sandbox, browser_page: BrowserPage, channels: dict[str, str]
) -> None:
    page = await browser_page("mei", at=channels["general"])
    text = "防水" * 5_000
    await page.get_by_role("textbox", name="Message #general").fill(text)
    await page.locator("main input[type=file]").set_input_files(
        [{"name": "a.txt", "mimeType": "text/plain", "buffer": b"a"}]
    )
    await page.get_by_role("button", name="Send").click()
    await expect(page.locator(".file-card")).to_have_count(1)
    words, file = await Person(office, "mei").messages(channels["general"])
    assert words["text"] == text
    assert file["text"] == ""


async def test_a_message_that_arrives_while_a_list_is_loading_is_not_lost(
    office: Sandbox, browser_page: BrowserPage, channels: dict[str, str]
) -> None:
    """The answer to the loading was made before the message, and arrives after it."""
    asked, released = asyncio.Event(), asyncio.Event()

    async def late(route: Route) -> None:
        response = await route.fetch()
        asked.set()
        await released.wait()
        await route.fulfill(response=response)

    page = await browser_page("mei", at=channels["general"])
    await Person(office, "tom").post(channels["sales"], "older")
    await page.route("**/control/messages?*", late)
    await page.locator(".entry", has_text="sales").click()
    await asked.wait()
    await Person(office, "tom").post(channels["sales"], "just now")
    await expect(page.locator(".message", has_text="just now")).to_be_visible()
    released.set()
    await expect(page.locator(".message", has_text="older")).to_be_visible()
    assert await page.locator(".message .text").all_inner_texts() == ["older", "just now"]
