"""The whole bot behind the page: upload a file, ask about it, watch the answer grow, open its citation, speak."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.async_api import expect

from tests.e2e.browser.conftest import BrowserPage, Launch
from tests.e2e.company import Company

pytestmark = pytest.mark.browser

GUIDE = "# Kiln guide\n\nThe kiln K-77 is fired at 1,240 degrees for nine hours. Glaze is mixed by Hanna Berg.\n"
QUESTION = "@haitang At what temperature is the kiln K-77 fired?"
SPEECH = Path(__file__).parents[4] / "shared" / "data" / "audio" / "LDC93S1_pcms16le_1_8000.wav"
PATIENCE = 60_000  # milliseconds; nothing waits for it when all is well

# Every text that each message of the thread has had, in order, by its ts.
COLLECT = """() => {
    window.states = {};
    const look = () => {
        for (const message of document.querySelectorAll('.thread .message')) {
            const known = (window.states[message.dataset.ts] ??= []);
            if (known.at(-1) !== message.innerText) known.push(message.innerText);
        }
    };
    new MutationObserver(look).observe(document.body, { subtree: true, childList: true, characterData: true });
}"""


@pytest.mark.parametrize("width", [390, 1280])
async def test_upload_ask_read_the_growing_answer_and_open_its_citation(
    small: Company, browser_page: BrowserPage, width: int
) -> None:
    page = await browser_page("tom", width, at=small.channel("general"), site=small.sandbox.page_url)
    await page.locator("main input[type=file]").set_input_files(
        [{"name": "kiln-guide.md", "mimeType": "text/markdown", "buffer": GUIDE.encode()}]
    )
    await page.get_by_role("button", name="Send").click()
    uploaded = page.locator(".conversation .message", has=page.locator(".file-card"))
    await expect(uploaded.locator('[data-reaction="white_check_mark"]')).to_be_visible(timeout=PATIENCE)
    await uploaded.locator(".thread-summary").click()

    await page.evaluate(COLLECT)
    await page.get_by_role("textbox", name="Reply…").fill(QUESTION)
    await page.keyboard.press("Enter")
    source = page.locator(".thread .attachment", has_text="kiln-guide.md")
    await expect(source).to_be_visible(timeout=PATIENCE)
    answer = page.locator(".thread .message", has_text="1,240 degrees").first
    await expect(answer).to_contain_text("[1]")
    states = (await page.evaluate("window.states"))[await answer.get_attribute("data-ts")]
    assert len(states) > 1, "the placeholder became the answer in place"
    assert "1,240 degrees" not in states[0]

    await source.get_by_role("button", name="Open").click()
    dialog = page.get_by_role("dialog").first
    await expect(dialog).to_contain_text("The kiln K-77 is fired at 1,240 degrees", timeout=PATIENCE)
    await dialog.locator("a.button").click()
    await expect(page.get_by_role("dialog", name="kiln-guide.md").locator("pre")).to_contain_text("Hanna Berg")


async def test_a_question_spoken_in_the_page_is_heard(
    small: Company, browser_page: BrowserPage, launch: Launch
) -> None:
    if not SPEECH.exists():
        pytest.skip(f"no recording of speech at {SPEECH}")
    speaking = await launch(f"--use-file-for-fake-audio-capture={SPEECH}%noloop")
    dm = await small.person("tom").open(small.sandbox.context.workspace.app.user)
    page = await browser_page("tom", at=dm, site=small.sandbox.page_url, using=speaking)
    await page.get_by_role("button", name="Record a voice clip").click()
    await expect(page.get_by_role("timer")).to_have_text(re.compile("0:0[4-9]"))
    await page.get_by_role("button", name="Stop and send").click()
    await expect(page.locator(".message .file-audio")).to_be_visible()
    heard = page.locator(".message", has_text="I heard")
    await expect(heard).to_contain_text("suit", timeout=PATIENCE)
    await page.context.close()
    await speaking.close()
