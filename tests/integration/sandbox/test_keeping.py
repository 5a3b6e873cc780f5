"""The workspace outlives its server, and comes with the sample company."""

import asyncio
import json
import signal
import sys
import threading
from asyncio import subprocess
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import aiohttp
from slack_sdk.web.async_client import AsyncWebClient

from bot.sandbox.clock import Clock
from bot.sandbox.model import Person as Model
from bot.sandbox.samples import Samples, load
from bot.sandbox.seed import seed
from bot.sandbox.server import Sandbox
from tests.integration.sandbox.conftest import Ears, channel_id, connected
from tests.sandbox_fixtures import Person, populate


async def test_a_restart_keeps_everything(tmp_path: Path) -> None:
    """The demo, started again, has kept everything: people, channels, messages, files, reactions, tokens."""
    async with Sandbox(data=tmp_path) as office:
        populate(office)
        mei = Person(office, "mei")
        web = AsyncWebClient(token=office.bot_token, base_url=office.api_url)
        root = await mei.post("sales", "a question 问题")
        await web.chat_postMessage(channel=channel_id(office, "sales"), text="an answer", thread_ts=root)
        await web.reactions_add(channel=channel_id(office, "sales"), timestamp=root, name="eyes")
        file_id, file_ts = await mei.upload("prices", "prices.txt", b"glue 40")
        gone = await mei.post("sales", "deleted")
        await mei.delete("sales", gone)
        tokens = (office.bot_token, office.app_token, office.signing_secret)
        before = await everything(mei)
    async with Sandbox(data=tmp_path) as office:
        mei = Person(office, "mei")
        assert (office.bot_token, office.app_token, office.signing_secret) == tokens
        assert await everything(mei) == before
        (message,) = await mei.messages("prices")
        assert (message["ts"], message["files"][0]["id"]) == (file_ts, file_id)
        # The address of the server may be another one; files are found under the new one.
        assert message["files"][0]["url_private"].startswith(office.page_url)
        async with aiohttp.ClientSession() as session:
            url = f"{office.page_url}control/files/{file_id}"
            async with session.get(url, params={"as": mei.id}) as response:
                assert await response.read() == b"glue 40"
        assert await mei.post("sales", "later") > file_ts


async def test_a_clock_set_back_gives_no_ts_twice(tmp_path: Path) -> None:
    """A message's ts names it within its conversation, whatever happens to the machine's clock."""
    async with Sandbox(data=tmp_path) as office:
        populate(office)
        said = [await Person(office, "mei").post("sales", "now")]
    yesterday = datetime.now(UTC) - timedelta(days=1)
    async with Sandbox(data=tmp_path, clock=Clock(now=lambda: yesterday)) as office:
        said += [await Person(office, "mei").post("sales", "yesterday?") for _ in range(2)]
    assert said == sorted(set(said))


async def test_an_answer_waits_for_the_file(office: Sandbox) -> None:
    """What a call was told is done is in the file: the answer comes after the write, however long that takes."""
    gate, written = threading.Event(), []
    office.context.workspace._journal._thread.submit(lambda: written.append(gate.wait()))
    asyncio.get_running_loop().call_later(0.1, gate.set)
    await Person(office, "mei").post("sales", "hello")
    assert written == [True]


async def everything(person: Person) -> list[object]:
    conversations = await person.conversations()
    messages = [await person.messages(one["id"]) for one in conversations if one["name"] == "sales"]
    root = messages[0][0]["ts"]
    return [await person.look("workspace"), conversations, messages, await person.messages("sales", thread_ts=root)]


async def test_a_killed_server_keeps_what_it_said(tmp_path: Path) -> None:
    """A server that is killed has lost nothing that was on its page; `python -m bot.sandbox` runs it alone."""
    command = (sys.executable, "-m", "bot.sandbox", "--data", str(tmp_path), "--samples")
    process = await subprocess.create_subprocess_exec(*command, stdout=subprocess.PIPE)
    assert process.stdout is not None
    said = json.loads(await process.stdout.readline())
    web = AsyncWebClient(token=said["bot_token"], base_url=said["api_url"])
    channels = (await web.conversations_list(types="public_channel"))["channels"]
    posted = await web.chat_postMessage(channel=channels[0]["id"], text="remember me")
    process.send_signal(signal.SIGKILL)
    await process.wait()
    process = await subprocess.create_subprocess_exec(*command, stdout=subprocess.PIPE)
    assert process.stdout is not None
    again = json.loads(await process.stdout.readline())
    assert again["bot_token"] == said["bot_token"]
    web = AsyncWebClient(token=again["bot_token"], base_url=again["api_url"])
    history = await web.conversations_history(channel=channels[0]["id"], limit=1)
    assert history["messages"][0]["ts"] == posted["ts"]
    process.send_signal(signal.SIGINT)
    assert await process.wait() == 0


async def test_the_samples_fill_a_fresh_workspace() -> None:
    """The demo workspace: its people, channels and memberships, each file uploaded by its person."""
    samples = load()
    async with Sandbox() as office:
        assert await seed(office.context, samples) is True
        check(office, samples)
        assert await seed(office.context, samples) is False
        check(office, samples)


async def test_an_interrupted_seeding_is_taken_up(sandbox: Sandbox) -> None:
    """The demo, stopped while it uploads its samples, uploads the rest when it starts again, and none twice."""
    samples = load()
    await seed(sandbox.context, replace(samples, files=samples.files[:1]))
    await seed(sandbox.context, samples)
    check(sandbox, samples)


def check(office: Sandbox, samples: Samples) -> None:
    workspace = office.context.workspace
    assert {one.name for one in workspace.people.values()} == {one.name for one in samples.people} | {"haitang"}
    for channel in samples.channels:
        found = workspace.find_channel(channel.name)
        assert found is not None
        names = {workspace.people[member].name for member in found.members}
        assert names == {*channel.members, "haitang"}
        assert (found.kind, found.topic) == (channel.kind, channel.topic)
    assert [file.name for file in workspace.files.values()] == [one.name for one in samples.files]
    for sample, file in zip(samples.files, workspace.files.values(), strict=True):
        assert workspace.file_path(file).read_bytes() == sample.path.read_bytes()
        uploader: Model = workspace.people[file.user]
        assert uploader.name == sample.by


async def test_the_bot_hears_of_the_samples(sandbox: Sandbox, ears: Ears) -> None:
    """The sample files come the normal way: the bot learns of them by events."""
    samples = load()
    async with connected(sandbox, ears):
        await seed(sandbox.context, samples)
        await ears.wait("file_shared", count=len(samples.files))
    shared = [one for one in ears.heard if one.get("subtype") == "file_share"]
    assert {one["files"][0]["name"] for one in shared} == {one.name for one in samples.files}
