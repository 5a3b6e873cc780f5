"""Every click goes on the audit trail before anything is done about it; one that can't be noted does nothing."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

import structlog

from handlers import texts
from handlers.errors import SlackError
from handlers.model import Outgoing
from handlers.ports import Messages
from handlers.render import language_of
from permissions.audit import Action, Audit, AuditEntry

log = structlog.get_logger()

KINDS: Final = frozenset({"block_actions", "view_submission", "message_action", "shortcut"})
"""Slack's payloads of somebody having clicked."""

NOTE_SECONDS: Final = 1.5
"""A click is acknowledged within 3 s, or Slack shows its own warning."""

_ID: Final = re.compile(r"[A-Za-z0-9_.:/|-]{1,200}")
"""What a button of ours carries: ids. Anything else may be people's words, and is left out."""


class Clicks:
    """Notes clicks as made in our workspace ``team``: a payload names the clicker's own, or none in an organisation."""

    def __init__(self, *, audit: Audit, messages: Messages, team: str) -> None:
        self._audit = audit
        self._messages = messages
        self._team = team

    async def note(self, body: Mapping[str, Any]) -> bool:
        """Note who clicked what; False when that failed, which the person is told."""
        try:
            async with asyncio.timeout(NOTE_SECONDS):
                for entry in entries(body, team=self._team):
                    await self._audit.note(entry)
        except Exception:
            # The boundary to a person who has clicked: they must see that it came to nothing.
            log.exception("click_not_noted", kind=body.get("type"))
            await tell(self._messages, body, texts.CLICK_FAILED(language_of_click(body)))
            return False
        return True

    async def refused(self, body: Mapping[str, Any], *, reason: str) -> None:
        """Note that what was clicked is not for the person; raises the database's errors, then nothing is shown."""
        for entry in entries(body, team=self._team):
            details = {**entry.details, "reason": reason}
            await self._audit.note(replace(entry, action=Action.REFUSAL, details=details))


async def tell(messages: Messages, body: Mapping[str, Any], text: str) -> None:
    """Tell the person who clicked, alone: beside what they clicked on, else in their direct messages."""
    user, (conversation, thread) = str(body["user"]["id"]), where(body)
    try:
        if conversation:
            await messages.whisper(conversation, user, text, thread_ts=thread)
        else:
            await messages.post(user, Outgoing(text=text))
    except SlackError as error:
        log.warning("click_not_answered", error=error.error)


def entries(body: Mapping[str, Any], *, team: str) -> Iterator[AuditEntry]:
    """An entry for each thing that the payload says was clicked."""
    conversation, _ = where(body)
    for what, value in _clicked(body):
        details = {"what": what} | ({"value": value} if _ID.fullmatch(value) else {})
        yield AuditEntry(
            action=Action.CLICK,
            team=team,
            actor=str(body["user"]["id"]),
            conversation=conversation or None,
            details=details,
        )


def where(body: Mapping[str, Any]) -> tuple[str, str | None]:
    """The conversation, empty outside of any, and the thread of what was clicked on."""
    container, message = body.get("container") or {}, body.get("message") or {}
    conversation = str((body.get("channel") or {}).get("id") or container.get("channel_id") or "")
    return conversation, message.get("thread_ts") or container.get("thread_ts")


def _clicked(body: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    if body["type"] == "block_actions":
        for action in body["actions"]:
            yield str(action["action_id"]), str(action.get("value") or "")
    elif body["type"] == "view_submission":
        yield str(body["view"].get("callback_id") or ""), str(body["view"].get("private_metadata") or "")
    else:
        yield str(body.get("callback_id") or ""), str((body.get("message") or {}).get("ts") or "")


def language_of_click(body: Mapping[str, Any]) -> str:
    """The language of the message that was clicked on."""
    actions = body.get("actions") or [{}]
    return language_of(str(actions[0].get("block_id") or ""))
