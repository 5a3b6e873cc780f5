"""The frame around the talk: who one is, where one is, both widths, both languages, the keyboard, and its safety."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

import aiohttp
import pytest
from playwright.async_api import expect

from bot.sandbox.server import Sandbox
from tests.e2e.browser.conftest import Bot, BrowserPage, Troubles
from tests.sandbox_fixtures import Person, populate

pytestmark = pytest.mark.browser

HOSTILE = (
    "<script>window.broken = 1</script><img src=x onerror='window.broken = 1'> <javascript:alert(1)|click> "
    "<!channel> [x](javascript:window.broken=1) ![i](https://outside.example/spy.png) <https://outside.example/|bank>"
)


async def test_switching_the_person_changes_what_is_seen(
    office: Sandbox, browser_page: BrowserPage, channels: dict[str, str]
) -> None:
    await Person(office, "mei").post(channels["prices"], "48 a square metre")
    page = await browser_page("mei", at=channels["prices"])
    await expect(page.locator(".message", has_text="48")).to_be_visible()
    await page.get_by_role("button", name="Switch person").click()
    await page.get_by_role("menuitemradio", name="Tom").click()
    await expect(page.get_by_role("button", name="You are Tom")).to_be_visible()
    await expect(page.locator(".entry", has_text="general")).to_be_visible()
    await expect(page.locator(".entry", has_text="prices")).to_have_count(0)
    await expect(page.get_by_text("48 a square metre")).to_have_count(0)
    await page.reload()
    await expect(page.get_by_role("button", name="You are Tom")).to_be_visible()


async def test_losing_a_channel_takes_its_messages_away_at_once(
    office: Sandbox, browser_page: BrowserPage, channels: dict[str, str], troubles: Troubles
) -> None:
    mei = Person(office, "mei")
    await mei.post(channels["prices"], "48 a square metre")
    await mei.act("invite", conversation=channels["prices"], user=Person(office, "tom").id)
    page = await browser_page("tom", at=channels["prices"])
    await expect(page.locator(".message", has_text="48")).to_be_visible()
    await mei.act("kick", conversation=channels["prices"], user=Person(office, "tom").id)
    await expect(page.get_by_text("48 a square metre")).to_have_count(0)
    await expect(page.locator("main")).to_contain_text("may not see it")
    await expect(page.locator(".entry", has_text="prices")).to_have_count(0)


async def test_a_public_channel_can_be_looked_at_and_joined(
    office: Sandbox, browser_page: BrowserPage, channels: dict[str, str]
) -> None:
    page = await browser_page("tom", at=channels["lobby"])
    await expect(page.locator(".join-bar")).to_contain_text("without being a member")
    await page.get_by_role("button", name="Join channel").click()
    await expect(page.get_by_role("textbox", name="Message #lobby")).to_be_visible()
    await expect(page.locator(".notice")).to_contain_text("Tom joined the channel.")


async def test_unread_is_marked_until_it_is_looked_at(
    office: Sandbox, browser_page: BrowserPage, channels: dict[str, str]
) -> None:
    page = await browser_page("mei", at=channels["general"])
    await Person(office, "tom").post(channels["sales"], "news")
    entry = page.locator(f'[data-conversation="{channels["sales"]}"]')
    await expect(entry).to_contain_text("unread")
    await entry.click()
    await expect(page.locator(".message", has_text="news")).to_be_visible()
    await expect(entry).not_to_contain_text("unread")


async def test_channels_and_direct_messages_are_made_in_the_page(
    office: Sandbox, browser_page: BrowserPage, bot_name: str
) -> None:
    page = await browser_page("mei")
    await page.get_by_role("button", name="New channel").click()
    await page.get_by_role("textbox", name="Name").fill("售后")
    await page.get_by_role("checkbox", name="Private").check()
    await page.get_by_role("button", name="Create").click()
    await expect(page.get_by_role("heading", name="售后")).to_be_visible()
    await expect(page.locator(".entry", has_text="售后").locator(".icon-lock")).to_be_visible()
    await page.locator(".entry", has_text=bot_name).click()
    await expect(page.locator(".empty")).to_contain_text(f"Ask {bot_name} anything")
    await page.get_by_role("textbox", name=f"Message {bot_name}").fill("hello")
    await page.keyboard.press("Enter")
    await expect(page.locator(".message", has_text="hello")).to_be_visible()


async def test_a_narrow_window_shows_one_pane_at_a_time_with_ways_back(
    office: Sandbox, browser_page: BrowserPage, channels: dict[str, str]
) -> None:
    root = await Person(office, "tom").post(channels["general"], "root")
    await Person(office, "tom").post(channels["general"], "reply", thread_ts=root)
    page = await browser_page("mei", 390)
    await expect(page.locator(".sidebar")).to_be_visible()
    await page.locator(".entry", has_text="general").click()
    await expect(page.locator(".sidebar")).to_be_hidden()
    await page.locator(".thread-summary").click()
    await expect(page.locator(".thread")).to_be_visible()
    await expect(page.locator(".conversation")).to_be_hidden()
    await page.get_by_role("button", name="Back to the conversation").click()
    await expect(page.locator(".conversation .message", has_text="root")).to_be_visible()
    await page.get_by_role("button", name="Back to conversations").click()
    await expect(page.locator(".sidebar")).to_be_visible()
    await page.go_back()
    await expect(page.locator(".conversation")).to_be_visible()


@pytest.mark.parametrize("width", [390, 1280])
async def test_nothing_is_wider_than_the_window(
    office: Sandbox, browser_page: BrowserPage, channels: dict[str, str], bot: Bot, width: int
) -> None:
    page = await browser_page("mei", width, at=channels["general"])
    table = "|" + "a column|" * 12 + "\n|" + "-|" * 12 + "\n|" + "value|" * 12
    text = f"{'long' * 200}\n\n{table}\n\n```\n{'code ' * 100}\n```"
    await bot.client.chat_postMessage(
        channel=channels["general"], text="wide", blocks=[{"type": "markdown", "text": text}]
    )
    await expect(page.locator("table")).to_be_attached()
    assert await page.evaluate("document.documentElement.scrollWidth") <= width
    assert await page.evaluate("document.querySelector('main .scroller').scrollWidth") <= width


async def test_the_language_follows_the_browser_and_can_be_switched(
    office: Sandbox, browser_page: BrowserPage, channels: dict[str, str]
) -> None:
    page = await browser_page("mei", at=channels["general"], language="zh-CN")
    await expect(page.locator(".sidebar")).to_contain_text("频道")
    assert await page.evaluate("document.documentElement.lang") == "zh-CN"
    writing = page.get_by_role("textbox", name="发送消息到 #general")
    await writing.fill("草稿")
    await page.get_by_role("button", name="切换到英文界面").click()
    await expect(page.locator(".sidebar")).to_contain_text("Channels")
    await expect(page.get_by_role("textbox", name="Message #general")).to_have_value("草稿")
    await page.reload()
    await expect(page.locator(".sidebar")).to_contain_text("Channels")


async def test_enter_that_chooses_a_word_of_an_input_method_sends_nothing(
    office: Sandbox, browser_page: BrowserPage, channels: dict[str, str]
) -> None:
    page = await browser_page("mei", at=channels["general"])
    writing = page.get_by_role("textbox", name="Message #general")
    await writing.fill("fangshui")
    composing = {"key": "Enter", "isComposing": True, "bubbles": True, "cancelable": True}
    await writing.dispatch_event("keydown", composing)
    await expect(writing).to_have_value("fangshui")
    assert await Person(office, "mei").messages(channels["general"]) == []


async def test_the_keyboard_alone_reaches_everything_and_every_control_has_a_name(
    office: Sandbox, browser_page: BrowserPage, channels: dict[str, str]
) -> None:
    await Person(office, "mei").post(channels["general"], "mine")
    page = await browser_page("mei", at=channels["general"])
    reached = set()
    for _ in range(40):
        await page.keyboard.press("Tab")
        reached.add(await page.evaluate("document.activeElement.getAttribute('aria-label') ?? ''"))
    assert {"Reply in thread", "Edit message", "Attach files", "Record a voice clip", "New channel"} <= reached
    nameless = await page.evaluate(
        "[...document.querySelectorAll('button, a, textarea, select')].filter((one) => "
        "!one.getAttribute('aria-label') && !one.textContent.trim()).map((one) => one.outerHTML)"
    )
    assert nameless == []


@pytest.mark.parametrize("form", ["text", "markdown", "attachment"])
async def test_hostile_text_is_inert(
    office: Sandbox, browser_page: BrowserPage, channels: dict[str, str], bot: Bot, form: str
) -> None:
    page = await browser_page("mei", at=channels["general"])
    content: dict[str, object] = {
        "text": {"text": HOSTILE},
        "markdown": {"text": "x", "blocks": [{"type": "markdown", "text": HOSTILE}]},
        "attachment": {"text": "x", "attachments": [{"text": HOSTILE, "title": HOSTILE, "color": "url(x)"}]},
    }[form]
    await bot.client.chat_postMessage(channel=channels["general"], **content)  # type: ignore[arg-type]
    message = page.locator(".message", has_text="@channel")
    await expect(message).to_contain_text("<script>")
    assert await message.locator("script, img, iframe, object").count() == 0
    links = await message.locator("a").evaluate_all("(all) => all.map((one) => [one.protocol, one.rel])")
    assert links
    assert {tuple(link) for link in links} == {("https:", "noopener noreferrer nofollow")}
    assert await page.evaluate("window.broken") is None


async def test_the_content_policy_is_strict_and_holds(
    office: Sandbox, browser_page: BrowserPage, troubles: Troubles
) -> None:
    async with aiohttp.ClientSession() as session, session.get(office.page_url) as response:
        policy = response.headers["Content-Security-Policy"]
    assert "unsafe" not in policy
    assert "*" not in policy
    assert "default-src 'none'" in policy
    troubles.allowed.append("Content Security Policy")
    page = await browser_page("mei")
    await page.evaluate(
        "document.body.append(Object.assign(document.createElement('script'), {textContent: 'window.broken = 1'}))"
    )
    assert await page.evaluate("window.broken") is None
    assert any("Content Security Policy" in one for one in troubles.seen)


async def test_the_page_comes_back_after_the_workspace_was_restarted(
    browser_page: BrowserPage, troubles: Troubles, tmp_path: Path
) -> None:
    troubles.allowed += ["ERR_CONNECTION_REFUSED", "Connection closed", "ERR_CONNECTION_RESET"]
    async with Sandbox(data=tmp_path) as first:
        populate(first)
        general = first.context.workspace.find_channel("general")
        assert general is not None
        await Person(first, "tom").post(general.id, "before")
        page = await browser_page("mei", at=general.id, site=first.page_url)
        await expect(page.locator(".message")).to_contain_text("before")
    await expect(page.locator(".connection")).to_have_text("Connection lost. Trying again…")
    async with Sandbox(data=tmp_path, port=urlsplit(first.page_url).port or 0) as second:
        await Person(second, "tom").post(general.id, "after")
        await expect(page.locator(".message", has_text="after")).to_be_visible()
        await expect(page.locator(".message", has_text="before")).to_be_visible()
        await expect(page.locator(".connection")).to_be_empty()
        await page.close()
