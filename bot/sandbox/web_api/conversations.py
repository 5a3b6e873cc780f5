"""conversations.*: which there are, who is in them, what was said."""

from bot.sandbox.context import Context
from bot.sandbox.errors import SlackError
from bot.sandbox.model import Conversation, ConversationKind, Json
from bot.sandbox.tiers import TIER_2, TIER_3, TIER_4
from bot.sandbox.web_api import lookup
from bot.sandbox.web_api.arguments import Arguments
from bot.sandbox.web_api.method import Method

TYPES: dict[str, ConversationKind] = {
    "public_channel": "public",
    "private_channel": "private",
    "mpim": "group_dm",
    "im": "dm",
}
OPEN = ("im:write", "mpim:write")


def open_direct(context: Context, people: tuple[str, ...]) -> Conversation:
    """The DM or group DM of the bot with these people. Raises user_not_found, users_list_not_supplied."""
    if not people:
        raise SlackError("users_list_not_supplied")
    if any(one not in context.workspace.people for one in people):
        raise SlackError("user_not_found")
    return context.rooms.open_direct((context.workspace.app.user, *people))


async def list_(context: Context, arguments: Arguments) -> Json:
    bot = lookup.the_bot(context)
    seen = _of_types(context, arguments)
    seen = [one for one in seen if context.workspace.sees_conversation(bot, one)]
    return _listed(context, arguments, seen)


async def users_conversations(context: Context, arguments: Arguments) -> Json:
    """Conversations of one person (the bot when none is named), of those the bot sees."""
    bot = lookup.the_bot(context)
    person = arguments.text("user") or bot.id
    if person not in context.workspace.people:
        raise SlackError("user_not_found")
    seen = _of_types(context, arguments)
    seen = [one for one in seen if person in one.members and context.workspace.sees_conversation(bot, one)]
    return _listed(context, arguments, seen)


def _of_types(context: Context, arguments: Arguments) -> list[Conversation]:
    lookup.need_own_team(context, arguments)
    names = [name.strip() for name in arguments.text("types", "public_channel").split(",")]
    if any(name not in TYPES for name in names):
        raise SlackError("invalid_types")
    kinds = {TYPES[name] for name in names}
    for kind in sorted(kinds):
        lookup.need_scope(context, kind, "read")
    hide_archived = arguments.flag("exclude_archived")
    found = (one for one in context.workspace.conversations.values() if one.kind in kinds)
    return [one for one in found if not (hide_archived and one.is_archived)]


def _listed(context: Context, arguments: Arguments, seen: list[Conversation]) -> Json:
    page, metadata = lookup.page(seen, arguments, cap=context.page_cap)
    return {"channels": [context.shapes.channel(one) for one in page], "response_metadata": metadata}


async def info(context: Context, arguments: Arguments) -> Json:
    return {"channel": context.shapes.channel(_readable(context, arguments))}


async def members(context: Context, arguments: Arguments) -> Json:
    found = _readable(context, arguments)
    page, metadata = lookup.page(found.members, arguments, cap=context.page_cap)
    return {"members": list(page), "response_metadata": metadata}


def _readable(context: Context, arguments: Arguments) -> Conversation:
    found = lookup.conversation(context, arguments)
    lookup.need_scope(context, found.kind, "read")
    return found


async def history(context: Context, arguments: Arguments) -> Json:
    """Messages outside threads, newest first."""
    found = lookup.joined_conversation(context, arguments)
    lookup.need_scope(context, found.kind, "history")
    messages = [one for one in reversed(context.workspace.top_level(found.id)) if _in_range(one, arguments)]
    return _told(context, arguments, found, messages)


async def replies(context: Context, arguments: Arguments) -> Json:
    """A thread from its first message; asked with the ts of a reply, that one message."""
    found = lookup.joined_conversation(context, arguments)
    lookup.need_scope(context, found.kind, "history")
    ts = arguments.required("ts")
    if ts not in context.workspace.messages[found.id]:
        raise SlackError("thread_not_found")
    messages = context.workspace.thread(found.id, ts)
    # The first message of a thread comes whatever the range says.
    messages = [one for one in messages if one["ts"] == ts or _in_range(one, arguments)]
    return _told(context, arguments, found, messages)


def _told(context: Context, arguments: Arguments, conversation: Conversation, messages: list[Json]) -> Json:
    page, metadata = lookup.page(messages, arguments, cap=context.page_cap)
    shown = [context.shapes.message(conversation, one, for_app=True) for one in page]
    if not arguments.flag("include_all_metadata"):
        shown = [{key: value for key, value in one.items() if key != "metadata"} for one in shown]
    return {"messages": shown, "has_more": bool(metadata["next_cursor"]), "response_metadata": metadata}


def _in_range(message: Json, arguments: Arguments) -> bool:
    oldest, latest = arguments.text("oldest", "0") or "0", arguments.text("latest") or "9" * 10
    ts, inclusive = float(message["ts"]), arguments.flag("inclusive")
    if inclusive and message["ts"] in (oldest, latest):
        return True
    return float(oldest) < ts < float(latest)


async def open_(context: Context, arguments: Arguments) -> Json:
    if arguments.has("channel"):
        return {"channel": context.shapes.channel(lookup.conversation(context, arguments))}
    people = tuple(one.strip() for one in arguments.text("users").split(",") if one.strip())
    conversation = open_direct(context, people)
    return {"channel": context.shapes.channel(conversation) if arguments.flag("return_im") else {"id": conversation.id}}


METHODS = {
    "conversations.list": Method(run=list_, per_minute=TIER_2),
    "conversations.info": Method(run=info, per_minute=TIER_3),
    "conversations.members": Method(run=members, per_minute=TIER_4),
    "conversations.history": Method(run=history, per_minute=TIER_3),
    "conversations.replies": Method(run=replies, per_minute=TIER_3),
    "conversations.open": Method(run=open_, scopes=OPEN, per_minute=TIER_3),
    "users.conversations": Method(run=users_conversations, per_minute=TIER_3),
}
