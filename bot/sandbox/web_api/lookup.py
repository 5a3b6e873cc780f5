"""Finding what a call names, with Slack's errors when the bot may not see it, and paging through lists."""

import base64
import binascii
from collections.abc import Sequence
from typing import TypeVar

from bot.sandbox.context import Context
from bot.sandbox.errors import SlackError
from bot.sandbox.model import SCOPE_PREFIXES, Conversation, ConversationKind, Json, Person
from bot.sandbox.web_api.arguments import Arguments

T = TypeVar("T")

# The cursor of the first page, which Slack never gives.
FIRST = base64.b64encode(b"next:0").decode()

DEFAULT_PAGE, MAX_PAGE = 100, 1_000


def the_bot(context: Context) -> Person:
    return context.workspace.people[context.workspace.app.user]


def conversation(context: Context, arguments: Arguments, name: str = "channel") -> Conversation:
    """The conversation named by its id, if the bot sees it. Raises channel_not_found."""
    found = context.workspace.conversations.get(arguments.text(name))
    if found is None or not context.workspace.sees_conversation(the_bot(context), found):
        raise SlackError("channel_not_found")
    return found


def joined_conversation(context: Context, arguments: Arguments, name: str = "channel") -> Conversation:
    """As `conversation`, and the bot is in it. Raises not_in_channel."""
    found = conversation(context, arguments, name)
    if the_bot(context).id not in found.members:
        raise SlackError("not_in_channel")
    return found


def need_own_team(context: Context, arguments: Arguments) -> None:
    """Listings may name the team, and must with an organisation's token. Raises team_access_not_granted."""
    app = context.workspace.app
    if arguments.text("team_id", "" if app.enterprise else app.team) != app.team:
        raise SlackError("team_access_not_granted")


def need_scope(context: Context, kind: ConversationKind, access: str) -> None:
    """`access` is read or history; each kind of conversation has scopes of its own. Raises missing_scope."""
    scope, provided = f"{SCOPE_PREFIXES[kind]}:{access}", context.faults.scopes
    if scope not in provided:
        raise SlackError("missing_scope", needed=scope, provided=",".join(sorted(provided)))


def page(items: Sequence[T], arguments: Arguments, *, cap: int) -> tuple[Sequence[T], Json]:
    """One page and its response_metadata. Only the last page may be full: Slack allows itself short ones."""
    limit = min(arguments.number("limit", DEFAULT_PAGE), MAX_PAGE, cap)
    start = _offset(arguments.text("cursor"))
    if limit < 1 or start > len(items):
        raise SlackError("invalid_limit" if limit < 1 else "invalid_cursor")
    last = len(items) <= start + limit
    end = len(items) if last else start + max(1, limit - 1)
    cursor = "" if last else base64.b64encode(f"next:{end}".encode()).decode()
    return items[start:end], {"next_cursor": cursor}


def _offset(cursor: str) -> int:
    if not cursor:
        return 0
    try:
        return int(base64.b64decode(cursor, validate=True).decode().removeprefix("next:"))
    except (binascii.Error, ValueError) as error:
        raise SlackError("invalid_cursor") from error
