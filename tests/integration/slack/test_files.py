"""Files and voice clips: how they arrive, what Slack says of them, and their bytes."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from handlers.adapters.files import SlackFiles
from handlers.errors import Gone, HtmlInstead, MissingScope, SlackError, TooBig
from handlers.model import FileShare, UploadPlace, UploadStage, UploadStatus
from handlers.pace import EditBudget
from handlers.upload_reply import UploadReplies
from permissions.model import ConversationKind
from tests.integration.slack.conftest import Bot

LIMIT = 1_000_000


@pytest.fixture
async def files(bot: Bot) -> AsyncIterator[SlackFiles]:
    files = SlackFiles(client=bot.app._client)
    await files.open()
    yield files
    await files.aclose()


async def test_a_file_in_a_channel_is_learnt_and_no_question(bot: Bot) -> None:
    mei, general = bot.person("mei"), bot.channel("general")
    file_id, ts = await mei.upload(general, "policy.md", b"# Policy", text="our new policy")
    await bot.notes.until(lambda: bool(bot.uploads.registered))
    (upload,) = bot.uploads.registered
    assert (upload["conversation"], upload["ts"], upload["user"]) == (general, ts, mei.id)
    assert (upload["file"].file_id, upload["file"].name) == (file_id, "policy.md")
    assert not bot.questions.asked


async def test_a_mention_with_a_file_is_a_question_and_an_upload(bot: Bot) -> None:
    mei, general = bot.person("mei"), bot.channel("general")
    await mei.upload(general, "policy.md", b"# Policy", text=f"{bot.mention} what does it say?")
    inquiry = await bot.asked()
    await bot.notes.until(lambda: bool(bot.uploads.registered))
    assert inquiry.text == "what does it say?"


async def test_a_file_without_words_in_a_direct_message_is_an_upload_alone(bot: Bot) -> None:
    mei = bot.person("mei")
    room = await mei.open(bot.app.identity.user)
    await mei.upload(room, "notes.txt", b"words")
    await bot.notes.until(lambda: bool(bot.uploads.registered))
    await mei.post(room, "what do my notes say?")
    await bot.asked()
    assert len(bot.questions.asked) == 1


@pytest.mark.parametrize("mimetype", ["audio/mp4", "video/mp4", "video/webm"])
async def test_a_voice_clip_is_a_question_whatever_type_it_is_labelled(bot: Bot, mimetype: str) -> None:
    mei = bot.person("mei")
    room = await mei.open(bot.app.identity.user)
    file_id, _ = await mei.record(room, b"sound", mimetype=mimetype)
    inquiry = await bot.asked()
    assert inquiry.voice is not None
    assert (inquiry.voice.file_id, inquiry.voice.transcript, inquiry.text) == (file_id, None, "")
    assert not bot.uploads.registered


async def test_a_clip_in_a_channel_or_an_engaged_thread_is_a_question_elsewhere_it_is_talk(bot: Bot) -> None:
    mei, general = bot.person("mei"), bot.channel("general")
    root = await mei.post(general, "shall we?")
    await mei.record(general, b"sound", thread_ts=root)
    await mei.record(general, b"sound")
    await bot.asked(1)
    bot.questions.engaged.add((general, root))
    await mei.record(general, b"sound", thread_ts=root)
    assert (await bot.asked(2)).thread_ts == root
    assert len(bot.questions.asked) == 2


async def test_slacks_own_transcript_is_taken_when_it_is_complete(bot: Bot, files: SlackFiles) -> None:
    mei = bot.person("mei")
    room = await mei.open(bot.app.identity.user)
    file_id, _ = await mei.record(room, b"sound", transcript="how long is the warranty")
    inquiry = await bot.asked()
    assert inquiry.voice is not None
    assert inquiry.voice.transcript == "how long is the warranty"
    assert (await files.info("T", file_id)).transcript == "how long is the warranty"


async def test_a_long_transcript_is_read_from_the_subtitles(bot: Bot, files: SlackFiles) -> None:
    mei = bot.person("mei")
    room = await mei.open(bot.app.identity.user)
    words = " ".join(f"word{number}" for number in range(400))
    file_id, _ = await mei.record(room, b"sound", transcript=words)
    assert (await files.info("T", file_id)).transcript == words


async def test_changes_of_a_file_are_passed_on(bot: Bot) -> None:
    mei, general, sales = bot.person("mei"), bot.channel("general"), bot.channel("sales")
    file_id, _ = await mei.upload(general, "policy.md", b"# Policy")
    await bot.notes.until(lambda: file_id in bot.uploads.moved)
    bot.uploads.moved.clear()
    await mei.act("share_file", file=file_id, conversation=sales)
    await bot.notes.until(lambda: file_id in bot.uploads.moved)
    await mei.send("upload_version", b"# Policy 2", file=file_id)
    await bot.notes.until(lambda: file_id in bot.uploads.changed)
    await mei.act("delete_file", file=file_id)
    await bot.notes.until(lambda: file_id in bot.uploads.gone)


async def test_what_slack_says_of_a_file(bot: Bot, files: SlackFiles) -> None:
    mei, general, prices = bot.person("mei"), bot.channel("general"), bot.channel("prices")
    file_id, first = await mei.upload(general, "policy.md", b"# Policy")
    second = (await mei.act("share_file", file=file_id, conversation=prices))["ts"]
    info = await files.info("T", file_id)
    assert (info.name, info.size, info.user, info.has_more_shares) == ("policy.md", 8, mei.id, False)
    assert set(info.shares) == {
        FileShare(general, ConversationKind.PUBLIC, (first,)),
        FileShare(prices, ConversationKind.PRIVATE, (second,)),
    }
    assert info.permalink


async def test_a_download_follows_to_the_other_host_without_the_token(
    bot: Bot, files: SlackFiles, tmp_path: Path
) -> None:
    mei, general = bot.person("mei"), bot.channel("general")
    body = bytes(range(256)) * 3_000
    file_id, _ = await mei.upload(general, "data.bin", body)
    info = await files.download("T", file_id, tmp_path / "data.bin", max_bytes=LIMIT)
    assert (tmp_path / "data.bin").read_bytes() == body
    assert info.size == len(body)
    assert (await mei.look("calls"))["leaked_tokens"] == []


async def test_a_login_page_is_not_the_file(bot: Bot, files: SlackFiles, tmp_path: Path) -> None:
    mei, general = bot.person("mei"), bot.channel("general")
    file_id, _ = await mei.upload(general, "policy.pdf", b"%PDF-1.7")
    info = await files.info("T", file_id)
    await bot.trouble(revoke_scope="files:read")
    with pytest.raises(MissingScope, match="files:read"):
        await files.download("T", file_id, tmp_path / "policy.pdf", max_bytes=LIMIT)
    with pytest.raises(HtmlInstead):
        async with await files._get(info.url) as response:
            await files._save(response, info, tmp_path / "policy.pdf", LIMIT)


async def test_a_page_is_the_file_when_the_file_is_a_page(bot: Bot, files: SlackFiles, tmp_path: Path) -> None:
    file_id, _ = await bot.person("mei").upload(bot.channel("general"), "page.html", b"<!doctype html><p>Policy")
    await files.download("T", file_id, tmp_path / "page.html", max_bytes=LIMIT)
    assert (tmp_path / "page.html").read_bytes() == b"<!doctype html><p>Policy"


async def test_a_file_over_the_limit_is_refused_before_and_while_it_is_read(
    bot: Bot, files: SlackFiles, tmp_path: Path
) -> None:
    file_id, _ = await bot.person("mei").upload(bot.channel("general"), "data.bin", b"x" * 2_000)
    with pytest.raises(TooBig):
        await files.download("T", file_id, tmp_path / "data.bin", max_bytes=1_000)
    info = await files.info("T", file_id)
    with pytest.raises(TooBig):
        async with await files._get(info.url) as response:
            await files._save(response, info, tmp_path / "data.bin", 1_000)


async def test_a_deleted_file_is_gone(bot: Bot, files: SlackFiles, tmp_path: Path) -> None:
    mei = bot.person("mei")
    file_id, _ = await mei.upload(bot.channel("general"), "policy.md", b"# Policy")
    await mei.act("delete_file", file=file_id)
    with pytest.raises(Gone):
        await files.download("T", file_id, tmp_path / "policy.md", max_bytes=LIMIT)
    with pytest.raises(SlackError):
        await files.info("T", "F0UNKNOWN")


async def test_an_upload_is_followed_by_one_edited_message_and_a_reaction(bot: Bot) -> None:
    mei, general = bot.person("mei"), bot.channel("general")
    _, ts = await mei.upload(general, "policy.md", b"# Policy")
    shows = UploadReplies(messages=bot.messages, budget=EditBudget(clock=time.monotonic), sleep=asyncio.sleep)
    place = UploadPlace(team="T", conversation=general, upload_ts=ts, language="zh")
    shown = await shows.show(place, UploadStatus(title="policy.md", stage=UploadStage.WAITING))
    place = UploadPlace(team="T", conversation=general, upload_ts=ts, language="zh", status_ts=shown)
    upload, progress = await mei.messages(general, thread_ts=ts)
    assert [one["name"] for one in upload["reactions"]] == ["eyes"]
    await shows.show(place, UploadStatus(title="policy.md", stage=UploadStage.READING, percent=10))
    done = UploadStatus(title="policy.md", stage=UploadStage.READY, counts={"pages": 2, "chunks": 3})
    assert await shows.show(place, done) == shown
    upload, result = await mei.messages(general, thread_ts=ts)
    assert result["ts"] == progress["ts"]
    assert result["blocks"][0]["text"]["text"] == "“policy.md”已就绪：现在可以提问了。\n2 页 · 3 段可检索内容"
    assert [one["name"] for one in upload["reactions"]] == ["white_check_mark"]
    await shows.aclose()


async def test_without_the_permission_for_reactions_the_message_alone_tells(bot: Bot) -> None:
    mei, general = bot.person("mei"), bot.channel("general")
    _, ts = await mei.upload(general, "policy.md", b"# Policy")
    await bot.trouble(revoke_scope="reactions:write")
    shows = UploadReplies(messages=bot.messages, budget=EditBudget(clock=time.monotonic), sleep=asyncio.sleep)
    place = UploadPlace(team="T", conversation=general, upload_ts=ts, language="en")
    await shows.show(place, UploadStatus(title="policy.md", stage=UploadStage.FAILED, cause="encrypted"))
    (_, result) = await mei.messages(general, thread_ts=ts)
    assert "protected by a password" in result["blocks"][0]["text"]["text"]
