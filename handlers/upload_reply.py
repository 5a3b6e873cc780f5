"""How an upload is getting on: one message in its thread, edited, and a reaction on the upload itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import structlog

from handlers import texts
from handlers.access import who_button
from handlers.errors import Gone, NotDelivered, NotEditable, Refused, SlackError, TooLong
from handlers.live import LiveMessage, Sleep
from handlers.model import Outgoing, UploadPlace, UploadStage, UploadStatus
from handlers.neutralise import plain
from handlers.pace import EditBudget
from handlers.ports import Messages
from handlers.render import block_id, cut, fallback

log = structlog.get_logger()

LEFT_OUT_SHOWN = 10
WORKING, DONE, BROKEN = "eyes", "white_check_mark", "warning"

_DOING = {
    UploadStage.WAITING: texts.UPLOAD_WAITING,
    UploadStage.READING: texts.UPLOAD_READING,
    UploadStage.INDEXING: texts.UPLOAD_INDEXING,
}
# Files that Slack does not show us (any more): whoever reads the message may not know their names either.
_UNSEEN = frozenset({"access_denied", "not_found"})
_FINAL = {UploadStage.READY: DONE, UploadStage.FAILED: BROKEN}


@dataclass(frozen=True, slots=True, kw_only=True)
class UploadReplies:
    """Shows the states of uploads. Edits share the budget of the answers."""

    messages: Messages
    budget: EditBudget
    sleep: Sleep
    _live: dict[tuple[str, str], LiveMessage] = field(default_factory=dict)

    async def show(self, place: UploadPlace, status: UploadStatus) -> str:
        """Show ``status``; returns the ts of the message that shows it, which belongs into the next call's ``place``.

        The first call posts; later ones return at once, but for READY and FAILED, which return when they stand there.
        Raises a SlackError or NotDelivered when nothing can be shown (reactions are tried, no more).
        """
        message = upload_message(status, place.language)
        if place.status_ts is None:
            ts = await self.messages.post(place.conversation, message, thread_ts=place.upload_ts)
            await self._react(place, status, is_first=True)
            return ts
        live = self._live_message(place.conversation, place.status_ts)
        if status.stage not in _FINAL:
            live.show(lambda: message)
            return place.status_ts
        ts = await self._finish(live, place, message)
        await self._react(place, status, is_first=False)
        return ts

    async def aclose(self) -> None:
        """Leave the messages as they stand; their jobs go on at the next start and show the rest."""
        for live in self._live.values():
            await live.aclose()
        self._live.clear()

    def _live_message(self, conversation: str, ts: str) -> LiveMessage:
        key = (conversation, ts)
        if key not in self._live:
            self._live[key] = LiveMessage(
                messages=self.messages,
                budget=self.budget,
                sleep=self.sleep,
                conversation=conversation,
                ts=ts,
                shown=None,
            )
        return self._live[key]

    async def _finish(self, live: LiveMessage, place: UploadPlace, message: Outgoing) -> str:
        self._live.pop((live.conversation, live.ts), None)
        try:
            await live.finish(message)
        except (Gone, NotEditable, Refused, TooLong) as error:
            log.warning("upload_message_replaced", error=error.error)
            return await self.messages.post(place.conversation, message, thread_ts=place.upload_ts)
        except SlackError as error:
            raise NotDelivered(f"the state of an upload could not be shown: {error}") from error
        return live.ts

    async def _react(self, place: UploadPlace, status: UploadStatus, *, is_first: bool) -> None:
        """The reaction is an extra: without the permission for it the message alone tells."""
        try:
            if status.stage not in _FINAL:
                await self.messages.react(place.conversation, place.upload_ts, WORKING)
                return
            if not is_first:
                await self.messages.unreact(place.conversation, place.upload_ts, WORKING)
            await self.messages.react(place.conversation, place.upload_ts, _FINAL[status.stage])
        except SlackError as error:
            log.warning("reaction_refused", error=error.error)


def upload_message(status: UploadStatus, language: str) -> Outgoing:
    """The state in words: what is being done; at the end counts and what was left out, or the cause with its remedy."""
    lines = [_line(status, language)]
    if status.stage is UploadStage.READY and status.counts:
        lines.append(counts_label(status.counts, language))
    if status.left_out:
        lines.append(texts.LEFT_OUT(language))
        lines += [f"• {cut(plain(item), 250)}" for item in status.left_out[:LEFT_OUT_SHOWN]]
        if len(status.left_out) > LEFT_OUT_SHOWN:
            lines.append(texts.MORE_GAPS(language, len(status.left_out) - LEFT_OUT_SHOWN))
    text = "\n".join(lines)
    block: dict[str, Any] = {
        "type": "section",
        "text": {"type": "plain_text", "text": cut(plain(text), 2_900), "emoji": False},
    }
    return Outgoing(text=fallback(text), blocks=(block, *_buttons(status, language)))


def _buttons(status: UploadStatus, language: str) -> Iterator[dict[str, Any]]:
    """Under a file that can be found: who that is for."""
    if status.document and status.stage is UploadStage.READY:
        elements = [who_button(status.document, language)]
        yield {"type": "actions", "block_id": block_id(language, "file", status.document), "elements": elements}


def counts_label(counts: Mapping[str, int], language: str) -> str:
    """Such as ``12 pages · 3 tables · 40 passages``, in the order of :data:`handlers.texts.COUNTS`; noughts left out.

    From 90 seconds on, time is told in minutes.
    """
    shown = dict(counts)
    if shown.get("seconds", 0) >= 90:
        shown["minutes"] = round(shown.pop("seconds") / 60)
    return " · ".join(words(language, shown[name]) for name, words in texts.COUNTS.items() if shown.get(name))


def _line(status: UploadStatus, language: str) -> str:
    title = cut(" ".join(plain(status.title).split()), 150)
    if status.stage is UploadStage.READY:
        return texts.UPLOAD_READY(language, title=title)
    if status.stage is UploadStage.FAILED:
        cause = texts.CAUSES.get(status.cause or "internal", texts.CAUSES["internal"])
        if status.cause in _UNSEEN:
            return texts.UPLOAD_UNSEEN(language, why=cause(language))
        return texts.UPLOAD_FAILED(language, title=title, why=cause(language))
    line = _DOING[status.stage](language, title=title)
    return line if status.percent is None else texts.PERCENT(language, line=line, percent=status.percent)
