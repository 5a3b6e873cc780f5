"""Files that live in Slack: what they are, where they are shared, and their bytes."""

from __future__ import annotations

import asyncio
import html
import re
import urllib.parse
from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

import aiohttp
import structlog
from slack_sdk.web.async_client import AsyncWebClient

from handlers.adapters.slack import PATIENCE_S, bypasses_proxy, patient_call
from handlers.errors import Gone, HtmlInstead, MissingScope, Refused, SlackError, TooBig, Unreachable
from handlers.model import FileInfo, FileShare
from handlers.voice import complete_transcript, is_voice_clip
from handlers.wellformed import wellformed
from permissions.model import ConversationKind

log = structlog.get_logger()

SLACK_DOMAINS = ("slack.com", "slack-files.com", "slack-edge.com")
DOWNLOAD_TIMEOUT_S = 600.0
REDIRECTS = 4
PIECE = 256 * 1024
BRIEFLY_S = 5.0
"""Seconds for a look at where a file is shared: what can't be seen in them is seen by the next attempt of the job."""
PAGE = 200
MOST_PAGES = 50
"""Of the files of a channel that the bot has joined, the newest 10,000 are looked at."""
_HTML = re.compile(rb"\s*(?:<!--.*?-->\s*)?<(?:!doctype html|html)", re.IGNORECASE | re.DOTALL)


class SlackFiles:
    """Reads files with the bot's token, which goes to Slack's hosts alone (the host of the API counts as one)."""

    def __init__(self, *, client: AsyncWebClient) -> None:
        self._client = client
        self._api = urllib.parse.urlsplit(client.base_url)
        self._session: aiohttp.ClientSession | None = None
        self._people: dict[str, str] = {}

    async def open(self) -> None:
        """Open the session for downloads."""
        trust_env = not bypasses_proxy(self._client.base_url)
        timeout = aiohttp.ClientTimeout(total=DOWNLOAD_TIMEOUT_S, sock_connect=10, sock_read=60)
        self._session = aiohttp.ClientSession(timeout=timeout, trust_env=trust_env)

    async def aclose(self) -> None:
        if self._session is not None:
            await self._session.close()
            self._session = None

    async def info(self, team: str, file_id: str, *, patience_s: float = PATIENCE_S) -> FileInfo:
        """The file as it is now, also when an event carried a stub (``check_file_info``) alone.

        Raises Gone (deleted, or not visible to the bot), MissingScope, Unreachable, or another SlackError.
        """
        _ = team  # files.info is asked of the token's workspace
        data = await patient_call("files.info", lambda: self._client.files_info(file=file_id), patience_s=patience_s)
        file: Mapping[str, Any] = wellformed(data["file"])
        if file.get("mode") == "tombstone" or file.get("is_deleted"):
            raise Gone("file_deleted", method="files.info")
        if not file.get("url_private"):
            raise Refused(str(file.get("file_access") or "no_url"), method="files.info")
        return FileInfo(
            file_id=str(file["id"]),
            name=str(file.get("name") or file.get("title") or file["id"]),
            mimetype=str(file.get("mimetype") or ""),
            size=int(file.get("size") or 0),
            permalink=str(file.get("permalink") or ""),
            user=str(file.get("user") or ""),
            url=str(file.get("url_private_download") or file["url_private"]),
            shares=shares_of(file),
            has_more_shares=bool(file.get("has_more_shares")),
            is_voice_clip=is_voice_clip(file),
            transcript=await self._transcript(file) if is_voice_clip(file) else None,
        )

    async def download(self, team: str, file_id: str, to: Path, *, max_bytes: int) -> FileInfo:
        """Write the file's bytes to ``to`` and return what it is.

        Raises what :meth:`info` raises, TooBig past ``max_bytes``, HtmlInstead when Slack sends a page in its place.
        """
        file = await self.info(team, file_id)
        if file.size > max_bytes:
            raise TooBig(file.size, max_bytes)
        async with await self._get(file.url) as response:
            await self._save(response, file, to, max_bytes)
        return file

    async def person_of(self, conversation: str) -> str | None:
        """Whose direct message with the bot this is; None for a DM that the bot may not see.

        Raises SlackError when Slack can't be asked.
        """
        if conversation not in self._people:
            try:
                data = await patient_call(
                    "conversations.info",
                    lambda: self._client.conversations_info(channel=conversation),
                    patience_s=BRIEFLY_S,
                )
            except (Gone, MissingScope, Refused):
                return None
            channel = wellformed(data["channel"])
            if not channel.get("is_im") or not channel.get("user"):
                return None
            self._people[conversation] = str(channel["user"])
        return self._people[conversation]

    async def is_shown(self, conversation: str, ts: str, file_id: str) -> bool | None:
        """Whether the message still shows the file; None when the bot may not look. Raises SlackError when it can't.

        Asked with its ts, conversations.replies gives any message: a reply alone, else the first of its thread.
        """
        try:
            data = await patient_call(
                "conversations.replies",
                lambda: self._client.conversations_replies(channel=conversation, ts=ts, limit=1),
                patience_s=BRIEFLY_S,
            )
        except Gone as error:
            return False if error.error in {"thread_not_found", "message_not_found"} else None
        except (MissingScope, Refused):
            return None
        messages = wellformed(data.get("messages") or [])
        files = (file for message in messages if message.get("ts") == ts for file in message.get("files") or ())
        return any(file.get("id") == file_id and file.get("mode") != "tombstone" for file in files)

    async def files_in(self, conversation: str) -> list[str]:
        """Ids of the files that are shared in a conversation, the newest first; none where the bot may not look.

        Raises SlackError when Slack can't be asked.
        """
        found: list[str] = []
        for page in range(1, MOST_PAGES + 1):
            listing = partial(self._client.files_list, channel=conversation, count=PAGE, page=page)
            try:
                data = await patient_call("files.list", listing)
            except (Gone, MissingScope, Refused):
                return []
            found += (str(file["id"]) for file in data.get("files") or ())
            if page >= int((data.get("paging") or {}).get("pages") or 1):
                break
        return found

    async def _save(self, response: aiohttp.ClientResponse, file: FileInfo, to: Path, max_bytes: int) -> None:
        is_html = file.mimetype in {"text/html", "application/xhtml+xml"} or file.name.lower().endswith(
            (".html", ".htm")
        )
        if not is_html and response.content_type == "text/html":
            raise HtmlInstead("html_instead", method="download")
        target: BinaryIO = await asyncio.to_thread(to.open, "wb")
        received = 0
        try:
            async for piece in response.content.iter_chunked(PIECE):
                # A wrong content type does not hide a login page.
                if not received and not is_html and _HTML.match(piece):
                    raise HtmlInstead("html_instead", method="download")
                received += len(piece)
                if received > max_bytes:
                    raise TooBig(received, max_bytes)
                await asyncio.to_thread(target.write, piece)
        except (aiohttp.ClientError, TimeoutError) as error:
            raise Unreachable(type(error).__name__, method="download") from error
        finally:
            await asyncio.to_thread(target.close)

    async def _get(self, url: str) -> aiohttp.ClientResponse:
        """Follow redirects by hand: each host is looked at before it is told the token."""
        if self._session is None:
            raise RuntimeError("open() comes first")
        for _ in range(REDIRECTS + 1):
            try:
                response = await self._session.get(url, headers=self._headers(url), allow_redirects=False)
            except (aiohttp.ClientError, TimeoutError) as error:
                raise Unreachable(type(error).__name__, method="download") from error
            if response.status not in {301, 302, 303, 307, 308}:
                return _checked(response)
            location = response.headers.get("Location", "")
            response.release()
            url = urllib.parse.urljoin(url, location)
        raise Refused("too_many_redirects", method="download")

    def _headers(self, url: str) -> dict[str, str]:
        return {"Authorization": f"Bearer {self._client.token}"} if self._is_slack(url) else {}

    def _is_slack(self, url: str) -> bool:
        parts = urllib.parse.urlsplit(url)
        if (parts.scheme, parts.hostname, parts.port) == (self._api.scheme, self._api.hostname, self._api.port):
            return True
        host = parts.hostname or ""
        return parts.scheme == "https" and any(host == name or host.endswith(f".{name}") for name in SLACK_DOMAINS)

    async def _transcript(self, file: Mapping[str, Any]) -> str | None:
        """Slack's complete transcript: from the preview, else from the subtitles (``vtt``) when it is longer."""
        if (whole := complete_transcript(file)) is not None:
            return whole
        if (file.get("transcription") or {}).get("status") != "complete" or not file.get("vtt"):
            return None
        try:
            async with await self._get(str(file["vtt"])) as response:
                return spoken(await response.text())
        except (SlackError, aiohttp.ClientError, TimeoutError) as error:
            # The clip is then heard by ourselves.
            log.info("subtitles_not_read", error=type(error).__name__)
            return None


def shares_of(file: Mapping[str, Any]) -> tuple[FileShare, ...]:
    """Where the file is shared: the union of ``shares``, ``channels``, ``groups`` and ``ims``, each place once.

    A place counts as the most private of the lists that name it. That the file can be opened by a link
    (``public_url_shared``) makes it no place of the workspace.
    """
    shares: Mapping[str, Any] = file.get("shares") or {}
    found: dict[str, ConversationKind] = {}
    for places, kind in (
        (file.get("ims") or (), ConversationKind.DM),
        (shares.get("private") or (), ConversationKind.PRIVATE),
        (file.get("groups") or (), ConversationKind.PRIVATE),
        (shares.get("public") or (), ConversationKind.PUBLIC),
        (file.get("channels") or (), ConversationKind.PUBLIC),
    ):
        _note(found, places, kind)
    return tuple(FileShare(place, kind, _messages(shares, place)) for place, kind in sorted(found.items()))


def _note(found: dict[str, ConversationKind], places: Iterable[str], kind: ConversationKind) -> None:
    """The first mention of a place counts: the lists are asked from the most private to the most public."""
    for place in places:
        found.setdefault(str(place), ConversationKind.DM if str(place).startswith("D") else kind)


def _messages(shares: Mapping[str, Any], place: str) -> tuple[str, ...]:
    sides = (shares.get(side) or {} for side in ("public", "private"))
    return tuple(str(one["ts"]) for side in sides for one in side.get(place) or () if one.get("ts"))


def spoken(vtt: str) -> str | None:
    """The words of WebVTT subtitles, without times, numbers and tags."""
    lines = (line.strip() for line in vtt.splitlines())
    words = [
        line for line in lines if line and "-->" not in line and not line.isdigit() and not line.startswith("WEBVTT")
    ]
    return html.unescape(re.sub(r"<[^>]*>", "", " ".join(words))).strip() or None


def _checked(response: aiohttp.ClientResponse) -> aiohttp.ClientResponse:
    if response.status == 200:
        return response
    response.release()
    if response.status in {404, 410}:
        raise Gone("file_not_found", method="download")
    if response.status >= 500 or response.status == 429:
        raise Unreachable(f"http_{response.status}", method="download")
    raise (
        MissingScope(method="download", needed="files:read")
        if response.status == 403
        else Refused(f"http_{response.status}", method="download")
    )
