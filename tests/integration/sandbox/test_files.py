"""Files: the events they raise, what files.info says, and how their bytes are fetched."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from slack_bolt.async_app import AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from bot.sandbox.server import Sandbox
from tests.integration.sandbox.conftest import PATIENCE, Ears, channel_id
from tests.integration.sandbox.test_limits import refusal
from tests.sandbox_fixtures import Person, Refused


async def fetch(sandbox: Sandbox, url: str, *, follow: bool = True, token: str | None = None) -> tuple[int, str, bytes]:
    """Status, content type and body of a download with the bot's token, or another."""
    headers = {"Authorization": f"Bearer {sandbox.bot_token if token is None else token}"}
    async with (
        aiohttp.ClientSession() as session,
        session.get(url, headers=headers, allow_redirects=follow) as response,
    ):
        return response.status, response.content_type, await response.read()


async def test_an_upload_is_a_file_share(app: AsyncApp, ears: Ears, office: Sandbox, tom: Person) -> None:
    """slack.md, Files: a plain upload is `message` subtype `file_share`; `file_shared` carries ids only."""
    file_id, ts = await tom.upload("sales", "plan.txt", b"the plan", text="look")
    message, shared = await ears.wait("message"), await ears.wait("file_shared")
    assert (message["subtype"], message["ts"], message["text"]) == ("file_share", ts, "look")
    assert (message["files"][0]["id"], message["files"][0]["size"]) == (file_id, 8)
    assert (shared["file_id"], shared["channel_id"], shared["user_id"]) == (
        file_id,
        channel_id(office, "sales"),
        tom.id,
    )
    assert shared["file"] == {"id": file_id}


async def test_a_mention_may_bring_a_file(app: AsyncApp, ears: Ears, tom: Person, bot: str) -> None:
    """slack.md, Files: a mention with a file arrives as `app_mention` with `files`."""
    file_id, ts = await tom.upload("sales", "plan.txt", b"the plan", text=f"<@{bot}> what is in it?")
    mention = await ears.wait("app_mention")
    assert mention["ts"] == ts
    assert [one["id"] for one in mention["files"]] == [file_id]


async def test_who_sees_a_file_is_where_it_is_shared(office: Sandbox, web: AsyncWebClient, mei: Person) -> None:
    """slack.md, Files: who may see a file = union of `shares.public|private`; beware `has_more_shares`."""
    secret = (await mei.act("create", kind="private", name="secret"))["conversation"]["id"]
    file_id, ts = await mei.upload("prices", "prices.txt", b"glue 40")
    await mei.act("share_file", file=file_id, conversation=secret)
    await mei.act("share_file", file=file_id, conversation=channel_id(office, "sales"))
    info = (await web.files_info(file=file_id))["file"]
    assert set(info["shares"]["public"]) == {channel_id(office, "sales")}
    assert set(info["shares"]["private"]) == {channel_id(office, "prices")}
    assert info["shares"]["private"][channel_id(office, "prices")][0]["ts"] == ts
    assert (info["channels"], info["groups"]) == ([channel_id(office, "sales")], [channel_id(office, "prices")])
    assert info["has_more_shares"] is True


async def test_a_file_the_bot_may_not_see(office: Sandbox, web: AsyncWebClient, mei: Person) -> None:
    """slack.md, Files: errors `not_visible`, `file_deleted`; an unknown id is `file_not_found`."""
    file_id, _ = await mei.upload("lobby", "a.txt", b"a")
    assert (await refusal(web.files_info(file=file_id)))["error"] == "not_visible"
    assert (await refusal(web.files_info(file="F0")))["error"] == "file_not_found"
    file_id, _ = await mei.upload("sales", "b.txt", b"b")
    await mei.act("delete_file", file=file_id)
    assert (await refusal(web.files_info(file=file_id)))["error"] == "file_deleted"


async def test_a_download_needs_the_token_and_redirects(office: Sandbox, web: AsyncWebClient, mei: Person) -> None:
    """slack.md, Files: downloads redirect to a CDN: the bearer token goes to Slack hosts only."""
    file_id, _ = await mei.upload("sales", "plan.txt", "the plan 方案".encode())
    url = (await web.files_info(file=file_id))["file"]["url_private_download"]
    status, _, _ = await fetch(office, url, follow=False)
    assert status == 302
    assert await fetch(office, url) == (200, "text/plain", "the plan 方案".encode())
    assert office.context.leaked_tokens == []


async def test_a_leaked_token_is_noticed(office: Sandbox, web: AsyncWebClient, mei: Person) -> None:
    """field-reports.md, Unstructured-IO/unstructured-ingest PR#707: the token forwarded on a redirect."""
    file_id, _ = await mei.upload("sales", "plan.txt", b"the plan")
    url = (await web.files_info(file=file_id))["file"]["url_private"]
    headers = {"Authorization": f"Bearer {office.bot_token}"}
    async with aiohttp.ClientSession(headers=headers) as session:
        async with session.get(url, allow_redirects=False) as response:
            address = response.headers["Location"]
        async with session.get(address) as response:
            assert await response.read() == b"the plan"
    assert len((await mei.look("calls"))["leaked_tokens"]) == 1


@pytest.mark.parametrize("trouble", ["no token", "no scope"])
async def test_a_login_page_instead_of_the_file(
    office: Sandbox, web: AsyncWebClient, mei: Person, trouble: str
) -> None:
    """slack.md, Files: a missing scope gives HTTP 200 with login HTML."""
    file_id, _ = await mei.upload("sales", "plan.txt", b"the plan")
    url = (await web.files_info(file=file_id))["file"]["url_private"]
    if trouble == "no scope":
        await mei.act("faults", revoke_scope="files:read")
    status, content_type, body = await fetch(office, url, token="" if trouble == "no token" else None)
    assert (status, content_type) == (200, "text/html")
    assert b"plan" not in body


async def test_a_changed_file(app: AsyncApp, ears: Ears, office: Sandbox, mei: Person) -> None:
    """slack.md, Files: recompute on file_change; the id stays, the bytes are others."""
    file_id, _ = await mei.upload("sales", "plan.txt", b"the plan")
    await mei.send("upload_version", b"the better plan", file=file_id)
    assert (await ears.wait("file_change"))["file_id"] == file_id
    info = (await app.client.files_info(file=file_id))["file"]
    assert info["size"] == len(b"the better plan")
    assert await fetch(office, info["url_private"]) == (200, "text/plain", b"the better plan")
    (message,) = await mei.messages("sales")
    assert message["files"][0]["size"] == info["size"]


async def test_a_deleted_file(app: AsyncApp, ears: Ears, office: Sandbox, mei: Person) -> None:
    """slack.md, Files: recompute on file_deleted; its messages keep a tombstone."""
    file_id, _ = await mei.upload("sales", "plan.txt", b"the plan")
    url = (await app.client.files_info(file=file_id))["file"]["url_private"]
    await mei.act("delete_file", file=file_id)
    assert (await ears.wait("file_deleted"))["file_id"] == file_id
    assert (await fetch(office, url))[0] == 404
    (message,) = await mei.messages("sales")
    assert message["files"] == [{"id": file_id, "mode": "tombstone"}]
    assert list(office.context.workspace.folder.iterdir()) == []


async def test_an_unshared_file(app: AsyncApp, ears: Ears, office: Sandbox, mei: Person) -> None:
    """slack.md, Files: recompute on file_unshared and message_deleted; rights go with the place."""
    file_id, _ = await mei.upload("sales", "plan.txt", b"the plan", text="look")
    await mei.act("share_file", file=file_id, conversation=channel_id(office, "prices"))
    await mei.act("unshare_file", file=file_id, conversation=channel_id(office, "sales"))
    unshared = await ears.wait("file_unshared")
    assert (unshared["file_id"], unshared["channel_id"]) == (file_id, channel_id(office, "sales"))
    info = (await app.client.files_info(file=file_id))["file"]
    assert (info["channels"], info["groups"]) == ([], [channel_id(office, "prices")])
    (message,) = await mei.messages("prices")
    await mei.delete("prices", message["ts"])
    await ears.wait("message", subtype="message_deleted")
    assert (await refusal(app.client.files_info(file=file_id)))["error"] == "not_visible"


async def test_a_private_file_made_public(app: AsyncApp, ears: Ears, office: Sandbox, mei: Person) -> None:
    """slack.md, Files: recompute on file_public."""
    file_id, _ = await mei.upload("prices", "plan.txt", b"the plan")
    await mei.act("share_file", file=file_id, conversation=channel_id(office, "sales"))
    assert (await ears.wait("file_public"))["file_id"] == file_id


async def test_a_strangers_file_is_a_stub(app: AsyncApp, ears: Ears, office: Sandbox, mei: Person) -> None:
    """slack.md, Files: Slack Connect stub `check_file_info` → files.info."""
    hired = await mei.act("person", name="ann", real_name="Ann", is_stranger=True, home_team="T0OTHER")
    ann = Person(office, hired["user"]["id"])
    await mei.act("invite", conversation=channel_id(office, "sales"), user=ann.id)
    assert (await ears.wait("channel_shared"))["connected_team_id"] == "T0OTHER"
    file_id, _ = await ann.upload("sales", "offer.txt", b"an offer")
    message = await ears.wait("message", subtype="file_share")
    assert message["files"] == [{"id": file_id, "mode": "file_access", "file_access": "check_file_info"}]
    assert (await app.client.files_info(file=file_id))["file"]["name"] == "offer.txt"
    channel = (await app.client.conversations_info(channel=channel_id(office, "sales")))["channel"]
    assert (channel["is_ext_shared"], channel["connected_team_ids"]) == (True, ["T0OTHER"])


@pytest.mark.parametrize("mimetype", ["audio/mp4", "video/mp4", "video/webm"])
async def test_a_voice_clip(app: AsyncApp, ears: Ears, mei: Person, mimetype: str) -> None:
    """slack.md, Files: voice clips have `subtype=="slack_audio"`, names audio_message*, mimetypes that may lie."""
    await mei.record("sales", b"sound", mimetype=mimetype, duration_ms=2_500)
    message = await ears.wait("message", subtype="file_share")
    (clip,) = message["files"]
    assert (clip["subtype"], clip["mimetype"], clip["duration_ms"]) == ("slack_audio", mimetype, 2_500)
    assert clip["name"].startswith("audio_message")
    assert message["text"] == ""
    assert clip["transcription"] == {"status": "processing"}


async def test_a_transcribed_voice_clip(app: AsyncApp, ears: Ears, office: Sandbox, mei: Person) -> None:
    """slack.md, Files: `transcription{status,locale,preview{content,has_more}}` and `vtt` of a clip."""
    words = "这个房间用了什么防水材料？" * 20
    await mei.record("sales", b"sound", transcript=words)
    (clip,) = (await ears.wait("message", subtype="file_share"))["files"]
    assert clip["transcription"]["status"] == "complete"
    assert clip["transcription"]["locale"] == "zh-CN"
    assert clip["transcription"]["preview"]["has_more"] is True
    assert words.startswith(clip["transcription"]["preview"]["content"])
    status, content_type, body = await fetch(office, clip["vtt"])
    assert (status, content_type) == (200, "text/vtt")
    assert words in body.decode()


async def test_the_bot_uploads(office: Sandbox, web: AsyncWebClient, mei: Person, tmp_path: Path) -> None:
    """slack.md, Files: files.getUploadURLExternal → POST → files.completeUploadExternal (`files_upload_v2`)."""
    sales = channel_id(office, "sales")
    root = await mei.post("sales", "a question")
    answer: Any = await web.files_upload_v2(
        channel=sales, thread_ts=root, filename="answer.txt", title="Answer", content="aloud", initial_comment="here"
    )
    _, reply = await mei.messages("sales", thread_ts=root)
    assert reply["text"] == "here"
    assert (reply["files"][0]["title"], reply["files"][0]["size"]) == ("Answer", 5)
    assert await fetch(office, answer["file"]["url_private"]) == (200, "text/plain", b"aloud")


async def test_people_open_only_what_they_may(office: Sandbox, mei: Person, tom: Person, gus: Person) -> None:
    """The control API: /control/files/{id} gives the bytes to who can see the file, never as a page."""
    file_id, _ = await mei.upload("sales", "page.html", b"<script>alert(1)</script>")
    private_id, _ = await mei.upload("prices", "prices.txt", b"glue 40")
    url = f"{office.page_url}control/files"
    async with aiohttp.ClientSession() as session:
        async with session.get(f"{url}/{file_id}", params={"as": tom.id}) as response:
            assert await response.read() == b"<script>alert(1)</script>"
            assert response.headers["Content-Disposition"] == "attachment; filename*=UTF-8''page.html"
            assert "sandbox" in response.headers["Content-Security-Policy"]
        for person, file in ((gus, file_id), (tom, private_id)):
            async with session.get(f"{url}/{file}", params={"as": person.id}) as response:
                assert response.status == 403
    with pytest.raises(Refused, match="not_allowed"):
        await tom.act("delete_file", file=file_id)


async def test_an_upload_that_breaks_off_leaves_nothing(office: Sandbox, mei: Person) -> None:
    """The control API: an upload that the page cancels is shared nowhere, its bytes are gone."""
    workspace = office.context.workspace
    started = asyncio.Event()

    async def body() -> AsyncIterator[bytes]:
        yield b"half"
        started.set()
        await asyncio.Event().wait()

    sending = asyncio.create_task(mei.send("upload", body(), conversation="sales", name="half.txt"))
    await asyncio.wait_for(started.wait(), PATIENCE)
    sending.cancel()
    await asyncio.gather(sending, return_exceptions=True)
    async with asyncio.timeout(PATIENCE):
        while [file.deleted for file in workspace.files.values()] != [True] or any(workspace.folder.iterdir()):
            await mei.messages("sales")
    assert await mei.messages("sales") == []


async def test_the_bot_hears_nothing_of_files_it_cannot_see(
    app: AsyncApp, ears: Ears, office: Sandbox, mei: Person
) -> None:
    """slack.md, Identity and access: events reach the bot only for channels it is in; files are no exception."""
    file_id, _ = await mei.upload("lobby", "plan.txt", b"the plan")
    await mei.send("upload_version", b"the better plan", file=file_id)
    await mei.act("delete_file", file=file_id)
    office.context.faults.scopes.discard("files:read")
    await mei.upload("sales", "other.txt", b"another plan")
    await mei.post("sales", "the end")
    await ears.wait("message", text="the end")
    assert set(ears.types()) == {"message"}
