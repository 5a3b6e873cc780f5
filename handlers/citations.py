"""Citations as attachments, and the modal that opens one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

from handlers import texts
from handlers.model import CitationView, Final, Outgoing, RefusalReason
from handlers.neutralise import plain
from handlers.places import age_label, place_label
from handlers.render import block_id, cited, cut, fallback
from handlers.views import SECTION_TEXT, modal, plain_text, section, small
from retrieval.model import Evidence, ReadBy

OPEN_ACTION = "open_citation"
LINK_ACTION = "open_file"
PER_MESSAGE = 20
"""Attachments in one message: Slack takes 100 and asks to keep them few; each brings two blocks."""
COLOUR = "#b5455a"

_READ_BY = {
    ReadBy.OCR: texts.READ_BY_OCR,
    ReadBy.SPEECH: texts.READ_BY_SPEECH,
    ReadBy.VISION: texts.READ_BY_VISION,
}
_REFUSED = {
    RefusalReason.NOT_ALLOWED: texts.REFUSED_NOT_ALLOWED,
    RefusalReason.DELETED: texts.REFUSED_DELETED,
    RefusalReason.UNKNOWN: texts.REFUSED_UNKNOWN,
}


def citations(event: Final, now: datetime) -> Iterator[Outgoing]:
    """The cited evidence, one numbered entry each; nothing when nothing is cited."""
    items = cited(event)
    for start in range(0, len(items), PER_MESSAGE):
        yield _message(items[start : start + PER_MESSAGE], event.language, now)


def _message(items: Sequence[Evidence], language: str, now: datetime) -> Outgoing:
    named = "\n".join(f"[{item.number}] {_title(item)}" for item in items)
    return Outgoing(
        text=fallback(f"{texts.SOURCES(language)}\n{named}"),
        blocks=({"type": "context", "elements": [plain_text(texts.SOURCES(language))]},),
        attachments=tuple(_attachment(item, language, now) for item in items),
    )


def _attachment(item: Evidence, language: str, now: datetime) -> dict[str, Any]:
    title = f"[{item.number}] {_title(item)}"
    details = [
        place_label(item.place, language),
        texts.VERSION(language, number=item.version_number),
        age_label(item.published_at, now, language),
        _READ_BY[item.read_by](language) if item.read_by in _READ_BY else "",
    ]
    button = {
        "type": "button",
        "action_id": OPEN_ACTION,
        "text": plain_text(texts.OPEN(language)),
        "value": item.evidence_id,
    }
    blocks = [
        {
            "type": "section",
            "block_id": block_id(language, OPEN_ACTION, item.evidence_id),
            "text": plain_text(title),
            "accessory": button,
        },
        {"type": "context", "elements": [plain_text(" · ".join(detail for detail in details if detail))]},
    ]
    return {"color": COLOUR, "fallback": fallback(title), "blocks": blocks}


def opening_view(language: str) -> dict[str, Any]:
    """The modal at once, before the source has been looked up: a trigger lives 3 seconds only."""
    return modal(texts.SOURCES(language), language, [section(texts.OPENING(language))])


def source_view(view: CitationView, now: datetime, language: str) -> dict[str, Any]:
    """The passage between its surroundings, where it stands, and a link where there is one for this person."""
    details = [
        view.place,
        texts.VERSION(language, number=view.version_number),
        age_label(view.published_at, now, language),
    ]
    blocks = [section(view.title), small(" · ".join(detail for detail in details if detail))]
    if not view.is_current:
        blocks.append(small(f"ⓘ {texts.SUPERSEDED(language)}"))
    blocks.append({"type": "divider"})
    if view.before.strip():
        blocks.append(small("… " + _last(view.before.strip())))
    blocks += [section(piece) for piece in _pieces(view.excerpt)]
    if view.after.strip():
        blocks.append(small(cut(plain(view.after.strip()), SECTION_TEXT - 2) + " …"))
    if view.link:
        link = {
            "type": "button",
            "action_id": LINK_ACTION,
            "text": plain_text(texts.OPEN_FILE(language)),
            "url": view.link,
        }
        blocks.append({"type": "actions", "elements": [link]})
    return modal(texts.SOURCE_TITLE(language, number=view.number), language, blocks)


def refused_view(reason: RefusalReason, language: str) -> dict[str, Any]:
    """Why it can't be opened, in words that do not say what it is."""
    return modal(texts.SOURCES(language), language, [section(_REFUSED[reason](language))])


def failed_view(language: str) -> dict[str, Any]:
    """Something broke on our side."""
    return modal(texts.SOURCES(language), language, [section(texts.OPENING_FAILED(language))])


def _title(item: Evidence) -> str:
    return cut(" ".join(plain(item.title).split()), 200)


def _pieces(excerpt: str) -> list[str]:
    """A long excerpt as several sections, up to eight."""
    text = plain(excerpt.strip()) or "—"
    pieces = [text[start : start + SECTION_TEXT] for start in range(0, len(text), SECTION_TEXT)]
    return pieces if len(pieces) <= 8 else [*pieces[:7], cut(pieces[7] + "…", SECTION_TEXT)]


def _last(text: str) -> str:
    return plain(text)[-(SECTION_TEXT - 2) :]
