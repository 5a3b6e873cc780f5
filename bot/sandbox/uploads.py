"""Files: uploaded, shared, changed, unshared and deleted, by people and by the bot alike."""

import asyncio
import mimetypes
from collections.abc import AsyncIterable
from dataclasses import dataclass, replace
from pathlib import Path

from bot.sandbox.clock import Clock
from bot.sandbox.errors import SlackError
from bot.sandbox.events import Events
from bot.sandbox.model import Conversation, File, Json, Person
from bot.sandbox.state import Workspace
from bot.sandbox.talk import Talk

# The types that Slack tells by the name. No table of this machine is asked, for machines differ.
TYPES = mimetypes.MimeTypes(filenames=())
OFFICE = "application/vnd.openxmlformats-officedocument"
for _type, _suffix in (
    (f"{OFFICE}.wordprocessingml.document", ".docx"),
    (f"{OFFICE}.presentationml.presentation", ".pptx"),
    (f"{OFFICE}.spreadsheetml.sheet", ".xlsx"),
    ("text/plain", ".md"),
    ("audio/mp4", ".m4a"),
    ("audio/ogg", ".ogg"),
    ("audio/wav", ".wav"),
    ("video/webm", ".webm"),
):
    TYPES.add_type(_type, _suffix)

# Slack's limit for one file.
MAX_BYTES = 2**30


@dataclass(frozen=True, slots=True, kw_only=True)
class Clip:
    """What makes an upload a voice clip; a transcript, when there is one, is complete."""

    duration_ms: int
    transcript: str | None = None


class Uploads:
    """Every change of a file goes through here."""

    def __init__(self, *, workspace: Workspace, events: Events, talk: Talk, clock: Clock) -> None:
        self._workspace = workspace
        self._events = events
        self._talk = talk
        self._clock = clock

    def announce(self, person: Person, *, name: str, mimetype: str | None = None, clip: Clip | None = None) -> File:
        """A file that is to come; nobody hears of it before its bytes are there and it is shared."""
        file = File(
            id=self._workspace.new_id("F", self._workspace.files),
            name=name,
            title=name,
            mimetype=mimetype or TYPES.guess_type(name)[0] or "application/octet-stream",
            size=0,
            user=person.id,
            created=int(self._clock.timestamp()),
            subtype="slack_audio" if clip else None,
            duration_ms=clip.duration_ms if clip else None,
            transcript=clip.transcript if clip else None,
        )
        return self._workspace.save_file(file)

    def title(self, file: File, title: str) -> File:
        return self._workspace.save_file(replace(file, title=title))

    async def receive(self, file: File, chunks: AsyncIterable[bytes]) -> File:
        """Write the bytes of an announced file. Raises file_too_large, upload_interrupted; the file is deleted then."""
        try:
            size = await _write(self._workspace.file_path(file), chunks)
        except SlackError:
            self._workspace.save_file(replace(file, deleted=True))
            raise
        return self._workspace.save_file(replace(self._workspace.files[file.id], size=size))

    def share(
        self, file: File, person: Person, conversation: Conversation, *, text: str = "", thread_ts: str | None = None
    ) -> Json:
        """Show a file in a conversation; returns the message."""
        was_public = self._is_public(file)
        message = self._talk.post(person, conversation, text, thread_ts=thread_ts, files=(file,))
        file = self._workspace.files[file.id]
        if self._bot_is_in(conversation):
            self._events.file("file_shared", file, channel=conversation.id, user=person.id)
        if file.shares[:-1] and not was_public and self._is_public(file):
            self._events.file("file_public", file, user=person.id, told=self._bot_sees(file))
        return message

    async def change(self, file: File, chunks: AsyncIterable[bytes]) -> File:
        """Put other bytes in a file's place. Raises file_too_large, upload_interrupted; the old ones stay then."""
        changed = replace(file, revision=file.revision + 1)
        size = await _write(self._workspace.file_path(changed), chunks)
        changed = self._workspace.save_file(replace(changed, size=size, shares=self._workspace.files[file.id].shares))
        self._talk.show_file(changed)
        self._events.file("file_change", changed, user=file.user, told=self._bot_sees(changed))
        await asyncio.to_thread(self._workspace.file_path(file).unlink, missing_ok=True)
        return changed

    def unshare(self, file: File, conversation: Conversation) -> None:
        """Take a file out of a conversation; the messages that showed it stay without it, or go if they were empty."""
        told = self._bot_sees(file)
        self._talk.hide_file(file, conversation)
        changed = self._workspace.files[file.id]
        self._events.file("file_unshared", changed, channel=conversation.id, user=file.user, told=told)

    async def delete(self, file: File) -> None:
        """Remove a file everywhere; its messages show that there was one."""
        told = self._bot_sees(file)
        deleted = self._workspace.save_file(replace(file, deleted=True))
        self._talk.show_file(deleted)
        self._events.file("file_deleted", deleted, user=file.user, told=told)
        await asyncio.to_thread(self._workspace.file_path(file).unlink, missing_ok=True)

    def _bot_is_in(self, conversation: Conversation) -> bool:
        return self._workspace.app.user in conversation.members

    def _bot_sees(self, file: File) -> bool:
        return self._workspace.sees_file(self._workspace.people[self._workspace.app.user], file)

    def _is_public(self, file: File) -> bool:
        return any(self._workspace.conversations[share.conversation].kind == "public" for share in file.shares)


async def _write(path: Path, chunks: AsyncIterable[bytes]) -> int:
    """Write to disk off the event loop; the number of bytes.

    Raises file_too_large, upload_interrupted; what was written is gone then.
    """
    size, complete = 0, False
    target = await asyncio.to_thread(path.open, "wb")
    try:
        async for chunk in chunks:
            size += len(chunk)
            if size > MAX_BYTES:
                raise SlackError("file_too_large", "A file has at most 1 GB.")
            await asyncio.to_thread(target.write, chunk)
        complete = True
    except ConnectionError as error:
        raise SlackError("upload_interrupted", "The upload broke off.") from error
    finally:
        await asyncio.to_thread(target.close)
        if not complete:
            await asyncio.to_thread(path.unlink)
    return size
