"""response_url: how the bot answers a click without a token, five times within half an hour."""

from aiohttp import web

from bot.sandbox import rules
from bot.sandbox.context import Context
from bot.sandbox.errors import SlackError
from bot.sandbox.interactions import Reply
from bot.sandbox.model import Json
from bot.sandbox.web_api.arguments import Arguments


async def respond(context: Context, request: web.Request) -> web.Response:
    """POST /actions/{ticket}: replace or delete the message clicked on, or say something more."""
    try:
        reply = context.interactions.replies.redeem(request.match_info["ticket"], name="url")
        _act(context, reply, await Arguments.read(request))
    except SlackError as error:
        return web.json_response(error.body(), status=404 if error.error.endswith("_url") else 400)
    return web.Response(text="ok")


def _act(context: Context, reply: Reply, arguments: Arguments) -> None:
    if arguments.flag("delete_original"):
        _delete(context, reply)
        return
    given = {key: arguments.json(key) for key in ("blocks", "attachments")}
    content = rules.checked_message({"text": arguments.text("text"), **given})
    if arguments.flag("replace_original"):
        _replace(context, reply, content)
        return
    if thread_ts := arguments.text("thread_ts"):
        content["thread_ts"] = thread_ts
    bot = context.workspace.people[context.workspace.app.user]
    conversation = context.workspace.conversations[reply.conversation]
    if arguments.text("response_type") == "in_channel":
        context.talk.post(bot, conversation, **content)
    else:
        context.talk.ephemeral(bot, conversation, reader=reply.person, **content)


def _delete(context: Context, reply: Reply) -> None:
    conversation = context.workspace.conversations[reply.conversation]
    if (ephemeral := context.ephemerals.find(conversation.id, reply.ts)) is not None:
        context.events.ephemeral_gone(conversation, *ephemeral)
    else:
        context.talk.delete(conversation, context.talk.find(conversation, reply.ts))


def _replace(context: Context, reply: Reply, content: Json) -> None:
    conversation = context.workspace.conversations[reply.conversation]
    if (ephemeral := context.ephemerals.find(conversation.id, reply.ts)) is not None:
        reader, message = ephemeral
        context.events.ephemeral_gone(conversation, reader, message)
        context.events.ephemeral(conversation, {**message, **content}, reader)
        return
    bot = context.workspace.people[context.workspace.app.user]
    kept = {key: value or None for key, value in content.items()} | {"text": content["text"]}
    context.talk.edit(conversation, context.talk.find(conversation, reply.ts), by=bot, **kept)
