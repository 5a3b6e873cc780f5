"""Messages: in a direct message, in a thread where the bot is engaged, edited, deleted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from handlers.arrival import (
    Arrival,
    Decision,
    FileShown,
    FilesUnshown,
    Question,
    QuestionDeleted,
    QuestionEdited,
    is_from_person,
    kind_of,
    mentions_bot,
    starts_with_another,
)
from handlers.files import file_ids_of, uploads_of
from handlers.mentions import addressed, inquiry_of
from permissions.model import ConversationKind

# Subtypes under which people's new words and files come; every other subtype is a notice or a bot.
_NEW = frozenset({None, "file_share", "thread_broadcast", "slack_audio"})


def read_message(arrival: Arrival) -> list[Decision]:
    """A ``message`` event of any subtype."""
    event = arrival.event
    subtype = event.get("subtype")
    if subtype == "message_changed":
        return _changed(arrival)
    if subtype == "message_deleted":
        return _deleted(event)
    if event.get("hidden") or not event.get("ts"):
        return []
    if subtype in _NEW and is_from_person(event, arrival.identity):
        return _new(arrival)
    return _shown(event, event, file_ids_of(event))


def _new(arrival: Arrival) -> list[Decision]:
    event, text = arrival.event, str(arrival.event.get("text") or "")
    if kind_of(event) is ConversationKind.DM:
        return addressed(event, arrival, in_thread=False) if text.strip() or event.get("files") else []
    if mentions_bot(text, arrival.identity):
        return addressed(event, arrival)
    uploads = uploads_of(event)
    inquiry = inquiry_of(event, arrival)
    is_reply = bool(event.get("thread_ts")) and event["thread_ts"] != event["ts"]
    if is_reply and (inquiry.text or inquiry.voice) and not starts_with_another(text, arrival.identity):
        return [Question(inquiry, only_if_engaged=True), *uploads]
    # A clip can't carry a mention: one at the top of a conversation that the bot is in is spoken to it.
    if not is_reply and inquiry.voice is not None and not inquiry.text:
        return [Question(inquiry), *uploads]
    return uploads


def _changed(arrival: Arrival) -> list[Decision]:
    event = arrival.event
    now: Mapping[str, Any] = event.get("message") or {}
    before: Mapping[str, Any] = event.get("previous_message") or {}
    message = {**now, "channel": event.get("channel"), "channel_type": event.get("channel_type")}
    if now.get("subtype") == "tombstone":
        # A deleted message that has replies stays as a tombstone at the head of its thread.
        return _gone(event, now.get("ts") or before.get("ts"))
    if not now.get("ts"):
        return []
    files = _files_changed(event, now, before)
    # Unfurled links and the like change a message without its author.
    if not is_from_person(now, arrival.identity) or now.get("text") == before.get("text"):
        return files
    in_thread = kind_of(message) is not ConversationKind.DM
    return [QuestionEdited(inquiry_of(message, arrival, in_thread=in_thread)), *files]


def _files_changed(event: Mapping[str, Any], now: Mapping[str, Any], before: Mapping[str, Any]) -> list[Decision]:
    has, had = file_ids_of(now), file_ids_of(before)
    shown = _shown(event, now, [file for file in has if file not in had])
    dropped = tuple(file for file in had if file not in has)
    return [*shown, FilesUnshown(str(event["channel"]), str(now["ts"]), dropped)] if dropped else shown


def _shown(event: Mapping[str, Any], message: Mapping[str, Any], files: Iterable[str]) -> list[Decision]:
    return [FileShown(str(event["channel"]), str(message["ts"]), file) for file in files]


def _deleted(event: Mapping[str, Any]) -> list[Decision]:
    before: Mapping[str, Any] = event.get("previous_message") or {}
    return _gone(event, event.get("deleted_ts") or before.get("ts"))


def _gone(event: Mapping[str, Any], ts: object) -> list[Decision]:
    if not ts:
        return []
    conversation, files = str(event["channel"]), tuple(file_ids_of(event.get("previous_message") or {}))
    return [QuestionDeleted(conversation, str(ts)), FilesUnshown(conversation, str(ts), files, is_gone=True)]
