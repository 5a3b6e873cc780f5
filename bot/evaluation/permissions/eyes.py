"""People's eyes: everything that appears before a person in Slack, at the moment when it appears."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

from bot.evaluation.permissions.markers import Markers, Planted
from bot.evaluation.permissions.oracle import Oracle
from bot.sandbox.context import Context
from bot.sandbox.model import Json

EXCERPT = 300
"""Characters of what was shown that a report of a leak quotes."""

PRESSABLE = ("button", "overflow")


@dataclass(frozen=True, slots=True)
class Button:
    """A button that a person has seen. People press what they saw, also when it is not there any more."""

    conversation: str
    message: Json
    block: str
    action: str
    reader: str


class Eyes:
    """Watches for everybody in a workspace, and has the oracle judge what the bot shows."""

    def __init__(self, *, context: Context, markers: Markers, oracle: Oracle) -> None:
        self._context = context
        self._markers = markers
        self._oracle = oracle
        self._standing: dict[tuple[str, str], tuple[Json, frozenset[Planted]]] = {}
        self.buttons: dict[str, dict[tuple[str, str, str], Button]] = {}
        self.windows: list[Json] = []
        for person in context.workspace.people.values():
            if not person.is_bot:
                self.open(person.id)

    def open(self, person: str) -> None:
        """Watch for one more person."""
        self._context.stream.watch(person, lambda change: self._see(person, change))

    def standing(self) -> Iterator[tuple[str, str, frozenset[Planted], str]]:
        """Of every message of the bot that shows a file: conversation, ts, what it shows, and its text."""
        for conversation, messages in self._context.workspace.messages.items():
            for ts, message in messages.items():
                if not message.get("bot_id"):
                    continue
                known = self._standing.get((conversation, ts))
                if known is None or known[0] is not message:
                    known = self._standing[conversation, ts] = (message, self._markers.shown_by(message))
                if known[1]:
                    yield conversation, ts, known[1], _excerpt(message)

    def _see(self, person: str, change: Json) -> None:
        if "view" in change:
            self._window(person, change)
        elif (message := change.get("message")) is not None and message.get("bot_id"):
            self._message(person, change, message)

    def _window(self, person: str, change: Json) -> None:
        if change["type"] == "view_closed":
            return
        self.windows.append(change["view"])
        shown = self._markers.shown_by(change["view"])
        if shown:
            text = _excerpt(change["view"])
            self._oracle.shown(person, shown, where=str(change["type"]), conversation=None, text=text)

    def _message(self, person: str, change: Json, message: Json) -> None:
        conversation = str(change["conversation"])
        self._remember(person, conversation, message)
        shown = self._markers.shown_by(message)
        if shown:
            alone = change["type"] == "ephemeral"
            self._oracle.shown(
                person,
                shown,
                where=f"{'ephemeral ' if alone else ''}{conversation}/{message['ts']}",
                conversation=None if alone else conversation,
                text=_excerpt(message),
            )

    def _remember(self, person: str, conversation: str, message: Json) -> None:
        for holder in (message, *message.get("attachments", ())):
            for block in holder.get("blocks", ()):
                for element in (*block.get("elements", ()), block.get("accessory") or {}):
                    if element.get("type") in PRESSABLE and not element.get("url"):
                        button = Button(conversation, message, block["block_id"], element["action_id"], person)
                        key = (conversation, message["ts"], block["block_id"])
                        self.buttons.setdefault(button.action, {})[key] = button


def _excerpt(what: Json) -> str:
    texts = [what.get(key) for key in ("text", "blocks", "attachments") if what.get(key)]
    return json.dumps(texts, ensure_ascii=False)[:EXCERPT]
