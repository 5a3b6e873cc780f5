"""The whole bot behind the page: upload a file, ask about it, watch the answer grow, open its citation."""

from __future__ import annotations

import pytest
from playwright.async_api import Page, expect

from tests.e2e.browser.conftest import BrowserPage
from tests.e2e.company import Company

pytestmark = pytest.mark.browser

GUIDE = "# Kiln guide\n\nThe kiln K-77 is fired at 1,240 degrees for nine hours. Glaze is mixed by Hanna Berg.\n"
QUESTION = "@haitang At what temperature is the kiln K-77 fired?"
PATIENCE = 60_000  # milliseconds; nothing waits for it when all is well

# Every text that the bot's message in the thread has had, in order.
COLLECT = """() => {
    window.states = [];
    const look = () => {
        const text = document.querySelector('.thread .message[data-author] .badge')?.closest('.message').innerText;
        if (text && window.states.at(-1) !== text) window.states.push(text);
    };
    new MutationObserver(look).observe(document.body, { subtree: true, childList: true, characterData: true });
    look();
}"""


async def send(page: Page, text: str) -> None:
    writing = page.get_by_role("textbox", name="Message #general")
    await writing.fill(text)
    await page.get_by_role("button", name="Send").click()


@pytest.mark.parametrize("width", [390, 1280])
async def test_upload_ask_read_the_growing_answer_and_open_its_citation(
    small: Company, browser_page: BrowserPage, width: int
) -> None:
    page = await browser_page("tom", width, at=small.channel("general"), site=small.sandbox.page_url)
    await page.evaluate(COLLECT)
    await page.locator("main input[type=file]").set_input_files(
        [{"name": "kiln-guide.md", "mimeType": "text/markdown", "buffer": GUIDE.encode()}]
    )
    await send(page, "for everyone")
    learned = page.locator(".message", has=page.locator(".file-card")).locator('[data-reaction="white_check_mark"]')
    await expect(learned).to_be_visible(timeout=PATIENCE)

    await send(page, QUESTION)
    asked = page.locator(".conversation .message", has_text="At what temperature")
    await asked.locator(".thread-summary").click(timeout=PATIENCE)
    source = page.locator(".thread .attachment", has_text="kiln-guide.md")
    await expect(source).to_be_visible(timeout=PATIENCE)
    answer = page.locator(".thread .message", has_text="1,240 degrees").first
    await expect(answer).to_contain_text("[1]")
    states = await page.evaluate("window.states")
    assert len(states) > 1, "the placeholder was replaced by the answer in place"
    assert "1,240" in states[-1]

    await source.get_by_role("button", name="Open").click()
    dialog = page.get_by_role("dialog").first
    await expect(dialog).to_contain_text("The kiln K-77 is fired at 1,240 degrees", timeout=PATIENCE)
    await dialog.locator("a.button").click()
    await expect(page.get_by_role("dialog", name="kiln-guide.md").locator("pre")).to_contain_text("Hanna Berg")
