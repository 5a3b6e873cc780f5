"""Parts that windows and App Home are made of; words of people and documents in them are inert."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from handlers import texts
from handlers.neutralise import plain
from handlers.render import cut

MODAL_TITLE = 24
"""Characters of a modal's title."""
SECTION_TEXT = 2_900
"""Characters of one section: Slack refuses 3,000."""


def modal(title: str, language: str, blocks: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """A window with a button that closes it."""
    return {
        "type": "modal",
        "title": plain_text(title[:MODAL_TITLE]),
        "close": plain_text(texts.CLOSE(language)),
        "blocks": list(blocks),
    }


def plain_text(text: str) -> dict[str, Any]:
    return {"type": "plain_text", "text": text, "emoji": False}


def section(text: str) -> dict[str, Any]:
    """A paragraph."""
    return {"type": "section", "text": plain_text(cut(plain(text), SECTION_TEXT))}


def small(text: str) -> dict[str, Any]:
    """A line in small letters."""
    return {"type": "context", "elements": [plain_text(cut(plain(text), SECTION_TEXT))]}


def button(
    action: str, label: str, value: str, *, confirm: dict[str, Any] | None = None, style: str | None = None
) -> dict[str, Any]:
    """A button that carries an id."""
    made: dict[str, Any] = {"type": "button", "action_id": action, "text": plain_text(label), "value": value}
    if confirm is not None:
        made["confirm"] = confirm
    return made if style is None else made | {"style": style}
