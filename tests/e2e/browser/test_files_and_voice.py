"""Files by button, by drag and drop, and voice by microphone, as they arrive in the workspace."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

import pytest
from playwright.async_api import Page, expect

from bot.sandbox.server import Sandbox
from tests.e2e.browser.conftest import BrowserPage, Troubles
from tests.sandbox_fixtures import Person

pytestmark = pytest.mark.browser


async def drop(page: Page, name: str, content: str) -> None:
    """Drop a file on the conversation, as a drag from the desktop would."""
    transfer = await page.evaluate_handle(
        """([name, content]) => {
            const transfer = new DataTransfer();
            transfer.items.add(new File([content], name, { type: "text/plain" }));
            return transfer;
        }""",
        [name, content],
    )
    for kind in ("dragenter", "dragover"):
        await page.dispatch_event("main.conversation", kind, {"dataTransfer": transfer})
    await expect(page.locator("main.conversation .drop-note")).to_be_visible()
    await page.dispatch_event("main.conversation", "drop", {"dataTransfer": transfer})
    await expect(page.locator("main.conversation .drop-note")).to_be_hidden()


async def test_files_chosen_by_button_are_staged_and_sent_with_words(
    office: Sandbox, browser_page: BrowserPage, channels: dict[str, str], tmp_path: Path
) -> None:
    page = await browser_page("mei", at=channels["general"])
    report, notes = tmp_path / "报告 & plan.pdf", tmp_path / "notes.txt"
    report.write_bytes(b"%PDF-1.4 nothing")
    notes.write_text("防水材料", encoding="utf-8")
    await page.locator("main input[type=file]").set_input_files([report, notes])
    await expect(page.locator(".upload")).to_have_count(2)
    await page.get_by_role("textbox", name="Message #general").fill("two files for @tom")
    await page.get_by_role("button", name="Send").click()
    await expect(page.locator(".file-card")).to_have_count(2)
    await expect(page.locator(".upload")).to_have_count(0)
    first, second = await Person(office, "mei").messages(channels["general"])
    assert first["text"] == f"two files for <@{Person(office, 'tom').id}>"
    assert [one["files"][0]["name"] for one in (first, second)] == ["报告 & plan.pdf", "notes.txt"]
    assert second["text"] == ""


async def test_a_dropped_file_arrives_byte_for_byte_and_can_be_read(
    office: Sandbox, browser_page: BrowserPage, channels: dict[str, str]
) -> None:
    page = await browser_page("mei", at=channels["general"])
    await drop(page, "价格.txt", "每平方米 48 元 <b>")
    await page.get_by_role("textbox", name="Message #general").press("Enter")
    await page.locator(".file-card").get_by_role("button", name="Open").click()
    await expect(page.get_by_role("dialog").locator("pre")).to_have_text("每平方米 48 元 <b>")
    await page.keyboard.press("Escape")
    await expect(page.get_by_role("dialog")).to_have_count(0)


async def test_an_upload_shows_how_far_it_is_and_can_be_stopped(
    office: Sandbox, browser_page: BrowserPage, channels: dict[str, str], tmp_path: Path
) -> None:
    page = await browser_page("mei", at=channels["general"])
    released = asyncio.Event()
    large = tmp_path / "large.bin"
    large.write_bytes(bytes(4_000_000))
    receive = office.context.uploads.receive

    async def slowly(file, chunks):  # type: ignore[no-untyped-def]
        await released.wait()
        return await receive(file, chunks)

    office.context.uploads.receive = slowly  # type: ignore[method-assign]
    await page.locator("main input[type=file]").set_input_files(large)
    await page.get_by_role("button", name="Send").click()
    await expect(page.get_by_role("progressbar")).to_be_visible()
    await expect(page.locator(".upload")).to_contain_text("uploading")
    await page.get_by_role("button", name="Remove large.bin").click()
    await expect(page.locator(".upload")).to_have_count(0)
    released.set()
    await expect(page.locator(".file-card")).to_have_count(0)


async def test_a_file_that_was_refused_stays_with_its_reason_and_can_be_sent_again(
    office: Sandbox, browser_page: BrowserPage, channels: dict[str, str], troubles: Troubles
) -> None:
    troubles.allowed.append("status of 400")
    page = await browser_page("mei", at=channels["general"])
    refusal = {"ok": False, "error": "file_too_large", "message": "A file has at most 1 GB."}
    await page.route("**/control/upload?*", lambda route: route.fulfill(status=400, json=refusal))
    await drop(page, "big.txt", "x")
    await page.get_by_role("button", name="Send").click()
    await expect(page.locator(".upload")).to_contain_text("A file has at most 1 GB.")
    await page.unroute("**/control/upload?*")
    await page.get_by_role("button", name="Send").click()
    await expect(page.locator(".file-card")).to_contain_text("big.txt")


async def test_a_voice_clip_is_recorded_sent_and_playable(
    office: Sandbox, browser_page: BrowserPage, channels: dict[str, str]
) -> None:
    page = await browser_page("mei", at=channels["general"])
    await page.get_by_role("button", name="Record a voice clip").click()
    recorder = page.get_by_role("group", name="Recording")
    await expect(recorder.get_by_role("timer")).to_have_text(re.compile("0:0[1-9]"))
    await recorder.get_by_role("button", name="Stop and send").click()
    await expect(page.locator(".file-audio audio")).to_have_count(1)
    await expect(recorder).to_be_hidden()
    [message] = await Person(office, "mei").messages(channels["general"])
    [clip] = message["files"]
    assert clip["subtype"] == "slack_audio"
    assert clip["name"] == "audio_message.webm"
    assert clip["mimetype"] == "audio/webm"
    assert 500 < clip["duration_ms"] < 60_000
    assert clip["size"] > 1_000
    seconds = await page.locator("audio").evaluate(
        "(audio) => audio.readyState ? audio.duration : new Promise((done) => "
        "audio.addEventListener('loadedmetadata', () => done(audio.duration || Infinity)))"
    )
    assert seconds != 0


async def test_a_discarded_recording_sends_nothing(
    office: Sandbox, browser_page: BrowserPage, channels: dict[str, str]
) -> None:
    page = await browser_page("mei", at=channels["general"])
    await page.get_by_role("button", name="Record a voice clip").click()
    await page.get_by_role("button", name="Discard the recording").click()
    await expect(page.get_by_role("textbox", name="Message #general")).to_be_focused()
    assert await Person(office, "mei").messages(channels["general"]) == []


async def test_a_file_of_a_channel_one_is_not_in_is_refused(
    office: Sandbox, browser_page: BrowserPage, channels: dict[str, str], troubles: Troubles
) -> None:
    troubles.allowed.append("status of 403")
    mei = await browser_page("mei", at=channels["prices"])
    await drop(mei, "secret.txt", "48")
    await mei.get_by_role("button", name="Send").click()
    await expect(mei.locator(".file-card")).to_have_count(1)
    [file] = office.context.workspace.files
    tom = await browser_page("tom")
    await tom.evaluate("(id) => history.pushState(null, '', `/files/${id}`)", file)
    await tom.reload()
    await expect(tom.get_by_role("dialog")).to_contain_text("Tom may not see this file")
    await expect(tom.get_by_role("dialog")).not_to_contain_text("secret")
