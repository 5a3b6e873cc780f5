"""Slack's limits on what a message or view may hold; each raises the error that Slack answers with.

The numbers are those of Slack's Block Kit reference and of chat.postMessage / chat.update.
"""

import re
import secrets
from collections.abc import Iterator, Sequence

from bot.sandbox.errors import SlackError, invalid_blocks
from bot.sandbox.model import Json

MAX_UPDATE_TEXT = 4_000
MAX_POST_TEXT = 40_000
MAX_MESSAGE_BLOCKS = 50
MAX_VIEW_BLOCKS = 100
MAX_ATTACHMENTS = 100
MAX_MARKDOWN = 12_000
MAX_SECTION = 3_000
MAX_FIELD = 2_000
MAX_FIELDS = 10
MAX_HEADER = 150
MAX_CONTEXT = 10
MAX_ACTIONS = 25
MAX_CONTEXT_ACTIONS = 5
MAX_BUTTON_TEXT = 75
MAX_BUTTON_VALUE = 2_000
MAX_ID = 255
MAX_CONFIRM = {"title": 100, "text": 300, "confirm": 30, "deny": 30}
MAX_VIEW_TITLE = 24
MAX_PRIVATE_METADATA = 3_000

MESSAGE_BLOCKS = {
    "actions",
    "context",
    "context_actions",
    "divider",
    "header",
    "image",
    "markdown",
    "rich_text",
    "section",
}
VIEW_BLOCKS = (MESSAGE_BLOCKS | {"input"}) - {"markdown", "context_actions"}

# Parts of a markdown block that Slack turns into blocks of their own.
EXPANDING = re.compile(r"^(?:#{1,6} .*|(?:-{3,}|\*{3,}|_{3,})\s*)$|(?:^\|.*\|?\s*$\n?)+", re.MULTILINE)


def checked_message(content: Json) -> Json:
    """Check blocks and attachments of a message and return them with the ids that Slack adds.

    Raises invalid_blocks, msg_too_long, too_many_attachments, no_text.
    """
    attachments = content.get("attachments") or []
    if len(attachments) > MAX_ATTACHMENTS:
        raise SlackError("too_many_attachments")
    blocks = checked_blocks(content.get("blocks") or [])
    if not (content.get("text") or blocks or attachments):
        raise SlackError("no_text")
    numbered = [
        {"id": number, **one, **({"blocks": checked_blocks(one["blocks"])} if one.get("blocks") else {})}
        for number, one in enumerate(attachments, start=1)
    ]
    return {"text": content.get("text") or "", "blocks": blocks, "attachments": numbered}


def update_text(text: str) -> str:
    """The text of chat.update. Raises msg_too_long past 4,000 characters."""
    if len(text) > MAX_UPDATE_TEXT:
        raise SlackError("msg_too_long")
    return text


def post_text(text: str) -> str:
    """The text of chat.postMessage, cut at 40,000 characters."""
    return text[:MAX_POST_TEXT]


def checked_blocks(
    blocks: Sequence[Json], *, allowed: set[str] = MESSAGE_BLOCKS, most: int = MAX_MESSAGE_BLOCKS
) -> list[Json]:
    """Blocks with block_id and action_id filled in. Raises invalid_blocks, or msg_too_long for too much markdown."""
    if not isinstance(blocks, list) or not all(isinstance(block, dict) for block in blocks):
        raise SlackError("invalid_blocks_format")
    markdown = [str(block.get("text", "")) for block in blocks if block.get("type") == "markdown"]
    if sum(map(len, markdown)) > MAX_MARKDOWN:
        raise SlackError("msg_too_long")
    faults = [fault for number, block in enumerate(blocks) for fault in _faults(block, f"/blocks/{number}", allowed)]
    if len(blocks) + sum(map(_expansion, markdown)) > most:
        faults.append(f"no more than {most} items allowed [json-pointer:/blocks]")
    named = [block["block_id"] for block in blocks if block.get("block_id")]
    if len(set(named)) < len(named):
        faults.append("block_id must be unique within a message [json-pointer:/blocks]")
    if faults:
        raise invalid_blocks(*faults)
    return [_with_ids(block) for block in blocks]


def checked_view(view: Json, *, kind: str = "modal") -> Json:
    """A modal as views.open takes it, or a home tab (kind ``home``) as views.publish does.

    Raises invalid_arguments or invalid_blocks.
    """
    faults = []
    if view.get("type") != kind:
        faults.append("unsupported type [json-pointer:/view/type]")
    for key in ("title", "submit", "close"):
        text = str((view.get(key) or {}).get("text", ""))
        if len(text) > MAX_VIEW_TITLE or (key == "title" and kind == "modal" and not text):
            faults.append(f"must be 1 to {MAX_VIEW_TITLE} characters [json-pointer:/view/{key}]")
    if len(view.get("private_metadata") or "") > MAX_PRIVATE_METADATA:
        faults.append(f"must be less than {MAX_PRIVATE_METADATA + 1} characters [json-pointer:/view/private_metadata]")
    if any(block.get("type") == "input" for block in view.get("blocks", ())) and not view.get("submit"):
        faults.append("submit is required with input blocks [json-pointer:/view/submit]")
    if faults:
        raise SlackError("invalid_arguments", response_metadata={"messages": [f"[ERROR] {fault}" for fault in faults]})
    return {**view, "blocks": checked_blocks(view.get("blocks") or [], allowed=VIEW_BLOCKS, most=MAX_VIEW_BLOCKS)}


def _expansion(markdown: str) -> int:
    """How many blocks more than one a markdown block becomes: each heading, rule and table cuts it."""
    parts = [part for part in EXPANDING.split(markdown) if part and part.strip()]
    return max(0, len(parts) + len(EXPANDING.findall(markdown)) - 1)


def _faults(block: Json, at: str, allowed: set[str]) -> Iterator[str]:
    kind = block.get("type")
    if kind not in allowed:
        yield f"unsupported type: {kind} [json-pointer:{at}/type]"
        return
    if len(str(block.get("block_id", ""))) > MAX_ID:
        yield f"must be less than {MAX_ID + 1} characters [json-pointer:{at}/block_id]"
    match kind:
        case "section":
            yield from _section_faults(block, at)
        case "header":
            yield from _text_faults(block.get("text"), MAX_HEADER, f"{at}/text", kinds={"plain_text"})
        case "markdown":
            if not block.get("text"):
                yield f"must be more than 0 characters [json-pointer:{at}/text]"
        case "context":
            yield from _count_faults(block, MAX_CONTEXT, at)
        case "actions" | "context_actions":
            yield from _count_faults(block, MAX_ACTIONS if kind == "actions" else MAX_CONTEXT_ACTIONS, at)
            for number, element in enumerate(block.get("elements") or []):
                yield from _element_faults(element, f"{at}/elements/{number}")
        case "image":
            if not block.get("alt_text") or not (block.get("image_url") or block.get("slack_file")):
                yield f"missing required field: image_url or alt_text [json-pointer:{at}]"


def _section_faults(block: Json, at: str) -> Iterator[str]:
    fields = block.get("fields") or []
    if block.get("text") is not None or not fields:
        yield from _text_faults(block.get("text"), MAX_SECTION, f"{at}/text")
    if len(fields) > MAX_FIELDS:
        yield f"no more than {MAX_FIELDS} items allowed [json-pointer:{at}/fields]"
    for number, text in enumerate(fields):
        yield from _text_faults(text, MAX_FIELD, f"{at}/fields/{number}")
    if block.get("accessory"):
        yield from _element_faults(block["accessory"], f"{at}/accessory")


def _text_faults(
    text: object, most: int, at: str, *, kinds: frozenset[str] | set[str] = frozenset({"plain_text", "mrkdwn"})
) -> Iterator[str]:
    if not isinstance(text, dict) or text.get("type") not in kinds:
        yield f"must be a text object of type {' or '.join(sorted(kinds))} [json-pointer:{at}]"
    elif not 1 <= len(str(text.get("text", ""))) <= most:
        yield f"must be 1 to {most} characters [json-pointer:{at}/text]"


def _count_faults(block: Json, most: int, at: str) -> Iterator[str]:
    if not 1 <= len(block.get("elements") or []) <= most:
        yield f"must have 1 to {most} items [json-pointer:{at}/elements]"
    actions = [one["action_id"] for one in block.get("elements") or [] if isinstance(one, dict) and "action_id" in one]
    if len(set(actions)) < len(actions):
        yield f"action_id must be unique within a block [json-pointer:{at}/elements]"


def _element_faults(element: Json, at: str) -> Iterator[str]:
    if len(str(element.get("action_id", ""))) > MAX_ID:
        yield f"must be less than {MAX_ID + 1} characters [json-pointer:{at}/action_id]"
    if element.get("type") == "button":
        yield from _text_faults(element.get("text"), MAX_BUTTON_TEXT, f"{at}/text", kinds={"plain_text"})
        yield from _confirm_faults(element.get("confirm"), at)
        if len(str(element.get("value", ""))) > MAX_BUTTON_VALUE:
            yield f"must be less than {MAX_BUTTON_VALUE + 1} characters [json-pointer:{at}/value]"


def _confirm_faults(confirm: object, at: str) -> Iterator[str]:
    """The question before a button does what it says."""
    if isinstance(confirm, dict):
        for key, most in MAX_CONFIRM.items():
            yield from _text_faults(confirm.get(key), most, f"{at}/confirm/{key}")


def _with_ids(block: Json) -> Json:
    # By chance, as Slack's: attachments of one message must not share them.
    block = {**block, "block_id": block.get("block_id") or secrets.token_hex(4)}
    if block["type"] in ("actions", "context_actions"):
        block["elements"] = [_with_action_id(one) for one in block["elements"]]
    for place in ("accessory", "element"):
        if place in block:
            block[place] = _with_action_id(block[place])
    return block


def _with_action_id(element: Json) -> Json:
    return {**element, "action_id": element.get("action_id") or secrets.token_hex(4)}
