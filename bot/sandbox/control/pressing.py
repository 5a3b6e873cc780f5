"""Pressing buttons and filling in modals as a person."""

from bot.sandbox.context import Context
from bot.sandbox.control import who
from bot.sandbox.errors import SlackError
from bot.sandbox.model import Conversation, Json, Person


async def click(context: Context, values: Json) -> Json:
    """A button of a message, or of a modal when `view_id` is given."""
    person = who.actor(context, values)
    block_id, action_id = who.required(values, "block_id"), who.required(values, "action_id")
    if values.get("view_id"):
        await context.interactions.click_view(person, values["view_id"], block_id=block_id, action_id=action_id)
        return {}
    conversation = who.seen_conversation(context, values, person)
    message = _message(context, conversation, person, who.required(values, "message_ts"))
    await context.interactions.click(person, conversation, message, block_id=block_id, action_id=action_id)
    return {}


async def home(context: Context, values: Json) -> Json:
    """Visit the bot's Home tab: what it shows now; what the app publishes comes by the stream."""
    return {"view": context.interactions.visit_home(who.actor(context, values))}


async def shortcut(context: Context, values: Json) -> Json:
    """Choose one of the app's entries in the menu of a message."""
    person = who.actor(context, values)
    conversation = who.seen_conversation(context, values, person)
    message = _message(context, conversation, person, who.required(values, "message_ts"))
    callback_id = who.required(values, "callback_id")
    await context.interactions.use_shortcut(person, conversation, message, callback_id)
    return {}


def _message(context: Context, conversation: Conversation, person: Person, ts: str) -> Json:
    ephemeral = context.ephemerals.find(conversation.id, ts)
    if ephemeral is None:
        return context.talk.find(conversation, ts)
    reader, message = ephemeral
    if reader != person.id:
        raise SlackError("message_not_found", "This message does not exist any more.")
    return message


async def submit(context: Context, values: Json) -> Json:
    person = who.actor(context, values)
    return await context.interactions.submit(person, who.required(values, "view_id"), values.get("values") or {})


async def close_view(context: Context, values: Json) -> Json:
    await context.interactions.close(who.actor(context, values), who.required(values, "view_id"))
    return {}


ACTS = {
    ("POST", "click"): click,
    ("POST", "submit"): submit,
    ("POST", "close_view"): close_view,
    ("POST", "home"): home,
    ("POST", "shortcut"): shortcut,
}
