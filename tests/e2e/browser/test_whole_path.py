"""The whole bot behind the page: upload a file, ask about it, watch the answer grow, open its citation, speak."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from playwright.async_api import expect

from bot.sandbox import samples
from bot.sandbox.server import Sandbox
from tests.e2e.browser.conftest import BrowserPage, Launch
from tests.e2e.company import Company, open_company
from tests.sandbox_fixtures import populate

pytestmark = pytest.mark.browser

SPEECH = next(voice for voice in samples.load().voices if voice.path.suffix == ".wav")  # the kind that Chromium plays
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


@pytest.fixture(scope="module")
async def workshop(short_folder: Path) -> AsyncIterator[Company]:
    """A bot among mei, tom and gus, for all tests of this file."""
    async with Sandbox() as sandbox:
        populate(sandbox)
        async with open_company(sandbox, short_folder / "workshop") as company:
            yield company


@pytest.mark.parametrize(("width", "kiln", "degrees"), [(390, "K-39", "1,180"), (1280, "K-77", "1,240")])
async def test_upload_ask_read_the_growing_answer_and_open_its_citation(
    workshop: Company, browser_page: BrowserPage, width: int, kiln: str, degrees: str
) -> None:
    name = f"guide-{kiln}.md"
    guide = f"# Kiln guide\n\nThe kiln {kiln} is fired at {degrees} degrees. Its glaze is mixed by Hanna Berg.\n"
    page = await browser_page("tom", width, at=workshop.channel("general"), site=workshop.sandbox.page_url)
    await page.locator("main input[type=file]").set_input_files(
        [{"name": name, "mimeType": "text/markdown", "buffer": guide.encode()}]
    )
    await page.get_by_role("button", name="Send").click()
    uploaded = page.locator(".conversation .message", has=page.locator(".file-card", has_text=name))
    await expect(uploaded.locator('[data-reaction="white_check_mark"]')).to_be_visible(timeout=PATIENCE)
    await uploaded.locator(".thread-summary").click()

    await page.evaluate(COLLECT)
    await page.get_by_role("textbox", name="Reply…").fill(f"@haitang At what temperature is the kiln {kiln} fired?")
    await page.keyboard.press("Enter")
    source = page.locator(".thread .attachment", has_text=name)
    await expect(source).to_be_visible(timeout=PATIENCE)
    answer = page.locator(".thread .message", has_text=f"{degrees} degrees").first
    await expect(answer).to_contain_text("[1]")
    states = (await page.evaluate("window.states"))[await answer.get_attribute("data-ts")]
    assert len(states) > 1, "the placeholder became the answer in place"
    assert f"{degrees} degrees" not in states[0]

    await source.get_by_role("button", name="Open").click()
    dialog = page.get_by_role("dialog").first
    await expect(dialog).to_contain_text(f"The kiln {kiln} is fired at {degrees} degrees", timeout=PATIENCE)
    await dialog.locator("a.button").click()
    await expect(page.get_by_role("dialog", name=name).locator("pre")).to_contain_text("Hanna Berg")


async def test_who_leaves_a_private_channel_loses_what_was_answered_from_it(
    workshop: Company, browser_page: BrowserPage
) -> None:
    """Before their eyes: the old answer is withdrawn, and asked again nothing is found."""
    mei, tom, prices = workshop.person("mei"), workshop.person("tom"), workshop.channel("prices")
    await mei.act("invite", conversation=prices, user=tom.id)
    await mei.upload(prices, "glaze-prices.md", b"# Glaze prices\n\nA bucket of celadon glaze costs 31 euros.\n")
    await workshop.published(mei, "glaze-prices.md")
    dm = await tom.open(workshop.sandbox.context.workspace.app.user)
    page = await browser_page("tom", at=dm, site=workshop.sandbox.page_url)
    await page.get_by_role("textbox").last.fill("What does a bucket of celadon glaze cost?")
    await page.keyboard.press("Enter")
    source = page.locator(".conversation .attachment", has_text="glaze-prices.md")
    await expect(source).to_be_visible(timeout=PATIENCE)
    answer = page.locator(".conversation .message", has_text="costs 31 euros").first
    ts = await answer.get_attribute("data-ts")
    await tom.act("leave", conversation=prices)

    withdrawn = page.locator(f'.conversation .message[data-ts="{ts}"]')
    await expect(withdrawn).to_contain_text("This answer was withdrawn", timeout=PATIENCE)
    await expect(source).to_have_count(0)
    await expect(page.locator(".conversation")).not_to_contain_text("31 euros")
    await withdrawn.get_by_role("button", name="Ask again").click()
    await expect(withdrawn).to_contain_text("I found nothing about this", timeout=PATIENCE)


async def test_a_question_spoken_in_the_page_is_heard(
    workshop: Company, browser_page: BrowserPage, launch: Launch
) -> None:
    speaking = await launch(f"--use-file-for-fake-audio-capture={SPEECH.path}%noloop")
    dm = await workshop.person("tom").open(workshop.sandbox.context.workspace.app.user)
    page = await browser_page("tom", at=dm, site=workshop.sandbox.page_url, using=speaking)
    await page.get_by_role("button", name="Record a voice clip").click()
    await expect(page.get_by_role("timer")).to_have_text(re.compile("0:0[4-9]"))
    await page.get_by_role("button", name="Stop and send").click()
    await expect(page.locator(".message .file-audio")).to_be_visible()
    heard = page.locator(".message", has_text=re.compile("I heard|我听到的是"))
    await expect(heard).to_contain_text("流程有几个步骤", timeout=PATIENCE)
    await page.context.close()
    await speaking.close()
