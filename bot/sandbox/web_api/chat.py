"""chat.*: saying, editing and taking back."""

from bot.sandbox import rules
from bot.sandbox.context import Context
from bot.sandbox.errors import SlackError
from bot.sandbox.model import Conversation, Json
from bot.sandbox.tiers import POST_PER_MINUTE, TIER_3, TIER_4
from bot.sandbox.web_api import lookup
from bot.sandbox.web_api.arguments import Arguments
from bot.sandbox.web_api.conversations import open_direct
from bot.sandbox.web_api.method import Method


def _content(arguments: Arguments, *, text: str) -> Json:
    content = {
        "text": text,
        "blocks": arguments.json("blocks", error="invalid_blocks_format"),
        "attachments": arguments.json("attachments"),
    }
    return rules.checked_message(content)


def _where(context: Context, arguments: Arguments) -> Conversation:
    """A conversation by id, or the DM with the person whose id is given."""
    person = context.workspace.people.get(arguments.text("channel"))
    if person is not None:
        return open_direct(context, (person.id,))
    found = lookup.joined_conversation(context, arguments)
    if found.is_archived:
        raise SlackError("is_archived")
    return found


async def post_message(context: Context, arguments: Arguments) -> Json:
    conversation = _where(context, arguments)
    content = _content(arguments, text=rules.post_text(arguments.text("text")))
    thread_ts = arguments.text("thread_ts") or None
    text = content.pop("text")
    metadata = arguments.json("metadata")
    message = context.talk.post(
        lookup.the_bot(context), conversation, text, thread_ts=thread_ts, metadata=metadata, **content
    )
    return {"channel": conversation.id, "ts": message["ts"], "message": context.shapes.message(conversation, message)}


async def update(context: Context, arguments: Arguments) -> Json:
    """What is not given is taken away: `text` alone removes blocks; attachments stay unless given."""
    conversation = lookup.conversation(context, arguments)
    bot = lookup.the_bot(context)
    message = context.talk.find(conversation, arguments.required("ts"))
    if message.get("user") != bot.id:
        raise SlackError("cant_update_message")
    content = _content(arguments, text=rules.update_text(arguments.text("text")))
    changes: Json = {"text": content["text"], "blocks": content["blocks"] or None}
    if arguments.has("attachments"):
        changes["attachments"] = content["attachments"] or None
    changed = context.talk.edit(conversation, message, by=bot, **changes)
    return {"channel": conversation.id, "ts": changed["ts"], "text": changed["text"], "message": changed}


async def delete(context: Context, arguments: Arguments) -> Json:
    conversation = lookup.conversation(context, arguments)
    message = context.talk.find(conversation, arguments.required("ts"))
    if message.get("user") != lookup.the_bot(context).id:
        raise SlackError("cant_delete_message")
    context.talk.delete(conversation, message)
    return {"channel": conversation.id, "ts": message["ts"]}


async def post_ephemeral(context: Context, arguments: Arguments) -> Json:
    conversation = lookup.joined_conversation(context, arguments)
    reader = arguments.required("user")
    if reader not in conversation.members:
        raise SlackError("user_not_in_channel")
    content = _content(arguments, text=rules.post_text(arguments.text("text")))
    if thread_ts := arguments.text("thread_ts"):
        content["thread_ts"] = thread_ts
    text = content.pop("text")
    message = context.talk.ephemeral(lookup.the_bot(context), conversation, text, reader=reader, **content)
    return {"message_ts": message["ts"]}


async def get_permalink(context: Context, arguments: Arguments) -> Json:
    conversation = lookup.conversation(context, arguments)
    message = context.talk.find(conversation, arguments.required("message_ts"))
    link = f"{context.site}/archives/{conversation.id}/p{message['ts'].replace('.', '')}"
    if "thread_ts" in message:
        link += f"?thread_ts={message['thread_ts']}&cid={conversation.id}"
    return {"channel": conversation.id, "permalink": link}


METHODS = {
    "chat.postMessage": Method(run=post_message, scopes=("chat:write",), per_minute=POST_PER_MINUTE, per="channel"),
    "chat.update": Method(run=update, scopes=("chat:write",), per_minute=TIER_3),
    "chat.delete": Method(run=delete, scopes=("chat:write",), per_minute=TIER_3),
    "chat.postEphemeral": Method(run=post_ephemeral, scopes=("chat:write",), per_minute=TIER_4),
    "chat.getPermalink": Method(run=get_permalink, per_minute=TIER_4),
}
