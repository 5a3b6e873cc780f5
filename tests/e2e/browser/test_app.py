"""What the app shows and people press: buttons, modals, messages for one person, reactions, citations."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from playwright.async_api import expect

from bot.sandbox.server import Sandbox
from tests.e2e.browser.conftest import Bot, BrowserPage, Troubles
from tests.sandbox_fixtures import Person

pytestmark = pytest.mark.browser

CITATION = {
    "color": "#c94f70",
    "blocks": [
        {
            "type": "section",
            "block_id": "citation",
            "text": {"type": "mrkdwn", "text": "*[1] 案例说明.docx*\n第 3 页"},
            "accessory": {
                "type": "button",
                "action_id": "open",
                "text": {"type": "plain_text", "text": "Open"},
                "value": "e1",
            },
        }
    ],
}


def modal(*blocks: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"type": "modal", "title": {"type": "plain_text", "text": "Source 1"}, "blocks": list(blocks), **more}


def section(text: str) -> dict[str, Any]:
    return {"type": "section", "text": {"type": "mrkdwn", "text": text}}


async def test_opening_a_citation_shows_a_modal_that_is_filled_in_place(
    office: Sandbox, browser_page: BrowserPage, channels: dict[str, str], bot: Bot
) -> None:
    loaded = asyncio.Event()

    @bot.app.action("open")
    async def opened(ack: Any, body: dict[str, Any], client: Any) -> None:
        await ack()
        bot.clicks.append(body)
        view = await client.views_open(trigger_id=body["trigger_id"], view=modal(section("Loading…")))
        await loaded.wait()
        passage = section("…\n&gt; *JS-II* 聚合物水泥防水涂料\n…")
        await client.views_update(view_id=view["view"]["id"], view=modal(passage))

    page = await browser_page("mei", at=channels["general"])
    await bot.client.chat_postMessage(channel=channels["general"], text="answer", attachments=[CITATION])
    await page.get_by_role("button", name="Open").click()
    dialog = page.get_by_role("dialog", name="Source 1")
    await expect(dialog).to_contain_text("Loading…")
    await dialog.evaluate("(node) => { node.dataset.mark = 'same'; }")
    loaded.set()
    await expect(dialog.locator("blockquote strong")).to_have_text("JS-II")
    await expect(dialog).to_have_attribute("data-mark", "same")
    await page.keyboard.press("Escape")
    await expect(dialog).to_have_count(0)
    [click] = bot.clicks
    assert click["actions"][0]["value"] == "e1"
    assert click["user"]["id"] == Person(office, "mei").id


async def test_a_button_shows_that_it_is_busy_and_is_pressed_once(
    office: Sandbox, browser_page: BrowserPage, channels: dict[str, str], bot: Bot
) -> None:
    finish = asyncio.Event()

    @bot.app.action("retry")
    async def retried(ack: Any, body: dict[str, Any]) -> None:
        bot.clicks.append(body)
        await finish.wait()
        await ack()

    page = await browser_page("mei", at=channels["general"])
    retry = {"type": "button", "action_id": "retry", "text": {"type": "plain_text", "text": "Try again"}}
    await bot.client.chat_postMessage(
        channel=channels["general"], text="failed", blocks=[{"type": "actions", "elements": [retry]}]
    )
    button = page.get_by_role("button", name="Try again")
    await button.click()
    await expect(button).to_have_attribute("aria-busy", "true")
    await button.click()
    finish.set()
    await expect(button).not_to_have_attribute("aria-busy", "true")
    assert len(bot.clicks) == 1


async def test_a_button_that_nobody_answers_says_so(
    office: Sandbox, browser_page: BrowserPage, channels: dict[str, str], troubles: Troubles
) -> None:
    troubles.allowed.append("status of 400")
    page = await browser_page("mei", at=channels["general"])
    workspace = office.context
    speaker = workspace.workspace.people[workspace.workspace.app.user]
    conversation = workspace.workspace.conversations[channels["general"]]
    element = {"type": "button", "action_id": "x", "text": {"type": "plain_text", "text": "Press"}}
    blocks = [{"type": "actions", "block_id": "b", "elements": [element]}]
    workspace.talk.post(speaker, conversation, "", blocks=blocks)
    await page.get_by_role("button", name="Press").click()
    await expect(page.get_by_role("alert")).to_contain_text("did not answer")


async def test_a_modal_with_a_field_is_filled_in_refused_and_accepted(
    office: Sandbox, browser_page: BrowserPage, channels: dict[str, str], bot: Bot
) -> None:
    sent: list[str] = []
    field = {
        "type": "input",
        "block_id": "heard",
        "label": {"type": "plain_text", "text": "What I heard"},
        "element": {"type": "plain_text_input", "action_id": "text", "multiline": True, "initial_value": "防睡"},
    }

    @bot.app.action("open")
    async def opened(ack: Any, body: dict[str, Any], client: Any) -> None:
        await ack()
        submit = {"type": "plain_text", "text": "Correct"}
        await client.views_open(trigger_id=body["trigger_id"], view=modal(field, callback_id="heard", submit=submit))

    @bot.app.view("heard")
    async def submitted(ack: Any, view: dict[str, Any]) -> None:
        sent.append(view["state"]["values"]["heard"]["text"]["value"])
        if len(sent) == 1:
            await ack(response_action="errors", errors={"heard": "That is no word."})
        else:
            await ack()

    page = await browser_page("mei", at=channels["general"])
    await bot.client.chat_postMessage(channel=channels["general"], text="answer", attachments=[CITATION])
    await page.get_by_role("button", name="Open").click()
    written = page.get_by_role("textbox", name="What I heard")
    await expect(written).to_have_value("防睡")
    await written.fill("")
    await page.get_by_role("button", name="Correct").click()
    await expect(page.get_by_role("alert")).to_have_text("Please fill this in.")
    await written.fill("防谁")
    await page.get_by_role("button", name="Correct").click()
    await expect(page.get_by_role("alert")).to_have_text("That is no word.")
    await written.fill("防水")
    await page.get_by_role("button", name="Correct").click()
    await expect(page.get_by_role("dialog")).to_have_count(0)
    assert sent == ["防谁", "防水"]


async def test_an_ephemeral_message_is_marked_and_nobody_else_sees_it(
    office: Sandbox, browser_page: BrowserPage, channels: dict[str, str], bot: Bot
) -> None:
    mei = await browser_page("mei", at=channels["general"])
    tom = await browser_page("tom", at=channels["general"])
    await bot.client.chat_postEphemeral(
        channel=channels["general"], user=Person(office, "mei").id, text="More is known to you alone."
    )
    note = mei.locator(".message.ephemeral", has_text="More is known")
    await expect(note).to_contain_text("Only visible to you")
    await bot.client.chat_postMessage(channel=channels["general"], text="for everybody")
    await expect(tom.locator(".message", has_text="for everybody")).to_be_visible()
    await expect(tom.locator(".message.ephemeral")).to_have_count(0)
    await note.get_by_role("button", name="Dismiss").click()
    await expect(note).to_have_count(0)


async def test_reactions_appear_and_go(
    office: Sandbox, browser_page: BrowserPage, channels: dict[str, str], bot: Bot
) -> None:
    ts = await Person(office, "mei").post(channels["general"], "a file")
    page = await browser_page("mei", at=channels["general"])
    await bot.client.reactions_add(channel=channels["general"], timestamp=ts, name="eyes")
    await expect(page.locator(".reaction")).to_have_attribute("data-reaction", "eyes")
    await bot.client.reactions_remove(channel=channels["general"], timestamp=ts, name="eyes")
    await expect(page.locator(".reaction")).to_have_count(0)


async def test_every_kind_of_block_is_shown_and_an_unknown_one_named(
    office: Sandbox, browser_page: BrowserPage, channels: dict[str, str]
) -> None:
    page = await browser_page("mei", at=channels["general"])
    plain = {"type": "plain_text", "text": "*plain*"}
    rich = {"type": "rich_text_section", "elements": [{"type": "text", "text": "rich", "style": {"bold": True}}]}
    picture = {"type": "image", "image_url": "https://outside.example/i.png", "alt_text": "a plan"}
    blocks = [
        {"type": "header", "text": plain},
        {"type": "section", "fields": [{"type": "mrkdwn", "text": "*left*"}, plain]},
        {"type": "context", "elements": [{"type": "mrkdwn", "text": "_small_"}]},
        {"type": "divider"},
        {"type": "rich_text", "elements": [rich]},
        picture,
        {"type": "hologram"},
    ]
    context = office.context
    speaker = context.workspace.people[context.workspace.app.user]
    context.talk.post(speaker, context.workspace.conversations[channels["general"]], "", blocks=blocks)
    await expect(page.locator(".block")).to_have_count(len(blocks))
    await expect(page.locator(".block-header")).to_have_text("*plain*")
    await expect(page.locator(".fields strong")).to_have_text("left")
    await expect(page.locator(".block-context em")).to_have_text("small")
    await expect(page.locator(".block-rich_text strong")).to_have_text("rich")
    await expect(page.locator(".block-image a")).to_have_text("Image: a plan")
    await expect(page.locator(".block-unknown")).to_have_text("[hologram]")
