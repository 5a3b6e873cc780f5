"""Reading and writing messages as a person."""

from bot.sandbox.context import Context
from bot.sandbox.control import who
from bot.sandbox.errors import SlackError
from bot.sandbox.manifest import installed
from bot.sandbox.model import Conversation, Json, Person
from bot.sandbox.talk import escape


async def workspace(context: Context, _: Json) -> Json:
    app, people = context.workspace.app, context.workspace.people
    return {
        "team": {"id": app.team, "name": app.team_name},
        "bot": {"user_id": app.user, "name": people[app.user].name, "shortcuts": list(installed().shortcuts)},
        "people": [context.shapes.page_person(one) for one in people.values()],
    }


async def conversations(context: Context, values: Json) -> Json:
    reader = who.person(context, values)
    seen = [one for one in context.workspace.conversations.values() if context.workspace.sees_conversation(reader, one)]
    return {"conversations": [context.shapes.page_conversation(one, reader) for one in seen]}


async def messages(context: Context, values: Json) -> Json:
    """Oldest first: the top level, or a thread with its first message."""
    reader = who.person(context, values)
    conversation = who.seen_conversation(context, values, reader)
    thread_ts = values.get("thread_ts")
    if thread_ts:
        found = context.workspace.thread(conversation.id, thread_ts)
    else:
        found = context.workspace.top_level(conversation.id)
    shown = [context.shapes.message(conversation, one) for one in found]
    return {"messages": shown + context.ephemerals.of(conversation.id, reader.id, thread_ts)}


async def post(context: Context, values: Json) -> Json:
    speaker = who.actor(context, values)
    conversation = who.own_conversation(context, values, speaker)
    text = escape(who.required(values, "text"))
    message = context.talk.post(speaker, conversation, text, thread_ts=values.get("thread_ts"))
    return {"ts": message["ts"], "message": message}


async def edit(context: Context, values: Json) -> Json:
    speaker, conversation, message = _own_message(context, values)
    text = escape(who.required(values, "text"))
    changed = context.talk.edit(conversation, message, by=speaker, text=text)
    return {"ts": changed["ts"], "message": changed}


async def delete(context: Context, values: Json) -> Json:
    _, conversation, message = _own_message(context, values)
    context.talk.delete(conversation, message)
    return {"ts": message["ts"]}


def _own_message(context: Context, values: Json) -> tuple[Person, Conversation, Json]:
    speaker = who.actor(context, values)
    conversation = who.own_conversation(context, values, speaker)
    message = context.talk.find(conversation, who.required(values, "ts"))
    if message.get("user") != speaker.id:
        raise SlackError("not_allowed", "Only the one who wrote a message can change it.")
    return speaker, conversation, message


ACTS = {
    ("GET", "workspace"): workspace,
    ("GET", "conversations"): conversations,
    ("GET", "messages"): messages,
    ("POST", "post"): post,
    ("POST", "edit"): edit,
    ("POST", "delete"): delete,
}
