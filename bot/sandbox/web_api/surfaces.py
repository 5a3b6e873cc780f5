"""views.*, reactions.* and assistant.threads.setStatus: modals, emoji on messages, and what the bot is doing."""

from bot.sandbox.context import Context
from bot.sandbox.errors import SlackError
from bot.sandbox.model import Json
from bot.sandbox.tiers import TIER_3, TIER_4
from bot.sandbox.web_api import lookup
from bot.sandbox.web_api.arguments import Arguments
from bot.sandbox.web_api.method import Method

MAX_LOADING_MESSAGES = 10


def _view(arguments: Arguments) -> Json:
    view = arguments.json("view")
    if not isinstance(view, dict):
        raise SlackError("invalid_arguments")
    return view


async def views_open(context: Context, arguments: Arguments) -> Json:
    return {"view": context.interactions.open(arguments.required("trigger_id"), _view(arguments))}


async def views_update(context: Context, arguments: Arguments) -> Json:
    external_id, expected_hash = arguments.text("external_id") or None, arguments.text("hash") or None
    view = context.interactions.update(
        arguments.text("view_id"), _view(arguments), expected_hash=expected_hash, external_id=external_id
    )
    return {"view": view}


async def views_publish(context: Context, arguments: Arguments) -> Json:
    person = context.workspace.people.get(arguments.required("user_id"))
    if person is None:
        raise SlackError("user_not_found")
    return {"view": context.interactions.publish(person, _view(arguments))}


async def reactions_add(context: Context, arguments: Arguments) -> Json:
    return _react(context, arguments, present=True)


async def reactions_remove(context: Context, arguments: Arguments) -> Json:
    return _react(context, arguments, present=False)


def _react(context: Context, arguments: Arguments, *, present: bool) -> Json:
    conversation = lookup.joined_conversation(context, arguments)
    message = context.talk.find(conversation, arguments.required("timestamp"))
    name = arguments.required("name").strip(":")
    context.talk.react(conversation, message, name=name, person=lookup.the_bot(context).id, present=present)
    return {}


async def set_status(context: Context, arguments: Arguments) -> Json:
    conversation = lookup.conversation(context, arguments, "channel_id")
    if len(arguments.json("loading_messages") or ()) > MAX_LOADING_MESSAGES:
        raise SlackError("invalid_arguments")
    context.events.status(conversation, arguments.required("thread_ts"), arguments.text("status"))
    return {}


METHODS = {
    "views.open": Method(run=views_open, per_minute=TIER_4),
    "views.update": Method(run=views_update, per_minute=TIER_4),
    "views.publish": Method(run=views_publish, per_minute=TIER_4),
    "reactions.add": Method(run=reactions_add, scopes=("reactions:write",), per_minute=TIER_3),
    "reactions.remove": Method(run=reactions_remove, scopes=("reactions:write",), per_minute=TIER_3),
    "assistant.threads.setStatus": Method(run=set_status, scopes=("chat:write",), per_minute=TIER_3),
}
