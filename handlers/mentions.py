"""The bot is mentioned: a question, and the files beside it are uploads."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from handlers.arrival import Arrival, Decision, Question, is_from_person, kind_of, mentions_bot, words_of
from handlers.files import files_of, uploads_of
from handlers.model import Inquiry


def read_mention(arrival: Arrival) -> list[Decision]:
    """An ``app_mention``. Its twin, the ``message``, gives the same decisions; whichever comes first is accepted."""
    event = arrival.event
    if not is_from_person(event, arrival.identity) or not event.get("ts") or event.get("edited"):
        return []
    if not mentions_bot(str(event.get("text") or ""), arrival.identity):
        return []
    return addressed(event, arrival)


def addressed(message: Mapping[str, Any], arrival: Arrival, *, in_thread: bool = True) -> list[Decision]:
    """The decisions for a message that is meant for the bot. A file without a word beside it is an upload alone."""
    uploads = uploads_of(message)
    inquiry = inquiry_of(message, arrival, in_thread=in_thread)
    if uploads and not inquiry.text and inquiry.voice is None:
        return uploads
    return [Question(inquiry), *uploads]


def inquiry_of(message: Mapping[str, Any], arrival: Arrival, *, in_thread: bool = True) -> Inquiry:
    """The message as an inquiry; answered in its thread, ``in_thread``: or in a new one under it."""
    ts = str(message["ts"])
    thread = message.get("thread_ts") or (ts if in_thread else None)
    return Inquiry(
        team=arrival.team,
        conversation=str(message["channel"]),
        kind=kind_of(message),
        message_ts=ts,
        thread_ts=thread,
        asker=str(message["user"]),
        text=words_of(str(message.get("text") or ""), arrival.identity),
        voice=next((file for file in files_of(message) if file.is_voice_clip), None),
    )
