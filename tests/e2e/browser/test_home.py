"""The Home tab, the question before a button acts, and the app's entry in a message's menu, as a person uses them."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.async_api import expect

from bot.sandbox.server import Sandbox
from handlers.access import WHO_SHORTCUT, access_blocks, forget_button
from handlers.model import FileAccess, PlaceKind, SeenFrom
from handlers.views import modal, section
from tests.e2e.browser.conftest import Bot, BrowserPage
from tests.sandbox_fixtures import Person

pytestmark = pytest.mark.browser


def home(*words: str) -> dict[str, Any]:
    forget = {"type": "actions", "block_id": "en:home:d1", "elements": [forget_button("d1", "en")]}
    return {"type": "home", "blocks": [section(one) for one in words] + [forget]}


async def test_the_home_tab_is_filled_asks_before_it_forgets_and_is_drawn_anew(
    office: Sandbox, browser_page: BrowserPage, bot: Bot
) -> None:
    @bot.app.event("app_home_opened")
    async def opened(event: dict[str, Any], client: Any) -> None:
        await client.views_publish(user_id=event["user"], view=home("policy.pdf"))

    @bot.app.action("forget_file")
    async def forget(ack: Any, body: dict[str, Any], client: Any) -> None:
        await ack()
        bot.clicks.append(body)
        await client.views_publish(user_id=body["user"]["id"], view=home("Nothing left."))

    page = await browser_page("mei", at="home")
    tab = page.get_by_role("main", name="Home")
    await expect(tab).to_contain_text("policy.pdf")
    await tab.get_by_role("button", name="Forget this file").click()
    question = page.get_by_role("dialog", name="Forget this file")
    await expect(question).to_contain_text("This can't be undone")
    await question.get_by_role("button", name="Keep it").click()
    assert bot.clicks == []
    await tab.get_by_role("button", name="Forget this file").click()
    await question.get_by_role("button", name="Forget it").click()
    await expect(tab).to_contain_text("Nothing left.")
    assert [click["actions"][0]["value"] for click in bot.clicks] == ["d1"]


async def test_the_menu_of_a_message_with_a_file_leads_to_who_can_see_it(
    office: Sandbox, browser_page: BrowserPage, channels: dict[str, str], bot: Bot
) -> None:
    @bot.app.shortcut(WHO_SHORTCUT)
    async def who(ack: Any, body: dict[str, Any], client: Any) -> None:
        await ack()
        places = (SeenFrom(PlaceKind.CHANNEL, body["channel"]["id"], 3),)
        access = FileAccess("d1", body["message"]["files"][0]["name"], places, elsewhere=True, may_forget=False)
        view = modal("Who can see this?", "en", access_blocks(access, "en"))
        await client.views_open(trigger_id=body["trigger_id"], view=view)

    await Person(office, "mei").upload(channels["general"], "policy.pdf", b"five years")
    page = await browser_page("mei", at=channels["general"])
    message = page.locator(".message", has_text="policy.pdf")
    await message.hover()
    await message.get_by_role("button", name="Who can see this?").click()
    dialog = page.get_by_role("dialog", name="Who can see this?")
    await expect(dialog).to_contain_text("everyone in #general (3 people)")
    await expect(dialog).to_contain_text("in other places that you can't see")
