"""A local Slack workspace for tests, and people in it who act over HTTP as the page does."""

from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest

from bot.sandbox.server import Sandbox

Json = dict[str, Any]


class Person:
    """Somebody in the workspace. `user` is a name or an id; each method is one call of the control API.

    A refused call raises `Refused`.
    """

    def __init__(self, sandbox: Sandbox, user: str) -> None:
        self._site = sandbox.page_url.rstrip("/")
        found = sandbox.context.workspace.find_person(user)
        assert found is not None, f"nobody named {user}"
        self.id = found.id
        self.name = found.name

    async def post(self, conversation: str, text: str, *, thread_ts: str | None = None) -> str:
        """Say something; the ts of the message."""
        body = await self.act("post", conversation=conversation, text=text, thread_ts=thread_ts)
        return str(body["ts"])

    async def edit(self, conversation: str, ts: str, text: str) -> None:
        await self.act("edit", conversation=conversation, ts=ts, text=text)

    async def delete(self, conversation: str, ts: str) -> None:
        await self.act("delete", conversation=conversation, ts=ts)

    async def messages(self, conversation: str, *, thread_ts: str | None = None) -> list[Json]:
        """What is said at the top level, or in a thread with its first message, oldest first."""
        return list((await self.look("messages", conversation=conversation, thread_ts=thread_ts))["messages"])

    async def conversations(self) -> list[Json]:
        return list((await self.look("conversations"))["conversations"])

    async def open(self, *members: str) -> str:
        """The DM or group DM with these people; its id."""
        kind = "dm" if len(members) == 1 else "group_dm"
        return str((await self.act("create", kind=kind, members=list(members)))["conversation"]["id"])

    async def upload(
        self, conversation: str, name: str, body: bytes, *, text: str = "", thread_ts: str | None = None
    ) -> tuple[str, str]:
        """Share a new file; its id and the ts of the message."""
        answer = await self.send("upload", body, conversation=conversation, name=name, text=text, thread_ts=thread_ts)
        return str(answer["file"]["id"]), str(answer["ts"])

    async def record(
        self,
        conversation: str,
        body: bytes,
        *,
        mimetype: str = "audio/mp4",
        duration_ms: int = 3_000,
        transcript: str | None = None,
        thread_ts: str | None = None,
    ) -> tuple[str, str]:
        """Send a voice clip; its file's id and the ts of the message."""
        duration = str(duration_ms)
        fields = {"conversation": conversation, "mimetype": mimetype, "duration_ms": duration, "thread_ts": thread_ts}
        answer = await self.send("record", body, transcript=transcript, **fields)
        return str(answer["file"]["id"]), str(answer["ts"])

    async def click(self, conversation: str, message: Json, action_id: str, *, value: str | None = None) -> None:
        """Press the button of this action_id (and value), wherever it is in the message."""
        block_id = next(
            block["block_id"]
            for holder in (message, *message.get("attachments", ()))
            for block in holder.get("blocks", ())
            for element in (*block.get("elements", ()), block.get("accessory") or {})
            if element.get("action_id") == action_id and value in (None, element.get("value"))
        )
        fields = {"message_ts": message["ts"], "block_id": block_id, "action_id": action_id}
        await self.act("click", conversation=conversation, **fields)

    async def send(self, deed: str, body: bytes | AsyncIterator[bytes], **fields: str | None) -> Json:
        """Any deed of the control API that takes bytes: upload, record, upload_version."""
        query = {"as": self.id, **{key: value for key, value in fields.items() if value is not None}}
        return await _answer("POST", f"{self._site}/control/{deed}", params=query, data=body)

    async def act(self, deed: str, **fields: object) -> Json:
        """Any deed of the control API (POST), by its name."""
        body = {"as": self.id, **{key: value for key, value in fields.items() if value is not None}}
        return await _answer("POST", f"{self._site}/control/{deed}", json=body)

    async def look(self, what: str, **fields: str | None) -> Json:
        """Any question of the control API (GET), by its name."""
        query = {"as": self.id, **{key: value for key, value in fields.items() if value is not None}}
        return await _answer("GET", f"{self._site}/control/{what}", params=query)


class Refused(Exception):
    """The sandbox refused a deed; `body` is its answer."""

    def __init__(self, body: Json) -> None:
        super().__init__(f"{body['error']}: {body.get('message')}")
        self.body = body


async def _answer(verb: str, url: str, **request: Any) -> Json:
    async with aiohttp.ClientSession() as session, session.request(verb, url, **request) as response:
        body: Json = await response.json()
    if not body["ok"]:
        raise Refused(body)
    return body


@pytest.fixture
async def sandbox() -> AsyncIterator[Sandbox]:
    """A fresh workspace: its bot, and nobody and nothing else yet (see `populate`)."""
    async with Sandbox() as sandbox:
        yield sandbox


@pytest.fixture
async def office(sandbox: Sandbox) -> Sandbox:
    """The workspace with the people and channels of the small fixture: see `populate`."""
    populate(sandbox)
    return sandbox


def populate(sandbox: Sandbox) -> None:
    """mei and tom (full members), gus (guest); #general (all three and the bot), #sales (mei, tom, the bot),
    #lobby (mei alone) and the private #prices (mei and the bot). Raises no events."""
    workspace = sandbox.context.workspace
    bot = workspace.app.user
    mei = workspace.add_person("mei", real_name="Mei 梅", locale="zh-CN").id
    tom = workspace.add_person("tom", real_name="Tom").id
    gus = workspace.add_person("gus", real_name="Gus", is_guest=True).id
    workspace.add_conversation("public", name="general", members=(mei, tom, gus, bot))
    workspace.add_conversation("public", name="sales", members=(mei, tom, bot))
    workspace.add_conversation("public", name="lobby", members=(mei,))
    workspace.add_conversation("private", name="prices", members=(mei, bot))
