"""Reading a control request: its fields, and who acts on what; errors in Slack's names with words for people."""

import json
from collections.abc import Awaitable, Callable

from aiohttp import web

from bot.sandbox.context import Context
from bot.sandbox.errors import SlackError
from bot.sandbox.model import Conversation, File, Json, Person

Act = Callable[[Context, Json], Awaitable[Json]]


def answer(context: Context, act: Act) -> Callable[[web.Request], Awaitable[web.Response]]:
    """A request handler around `act`, which takes the fields of a query or JSON body and returns the answer's."""

    async def handle(request: web.Request) -> web.Response:
        try:
            return web.json_response({"ok": True, **await act(context, await fields(request))})
        except SlackError as error:
            return refused(error)

    return handle


def refused(error: SlackError) -> web.Response:
    """An error with its words for people: 404 for what is not there, 403 for what is not allowed, else 400."""
    status = 404 if error.error.endswith("_not_found") else 403 if error.error == "not_allowed" else 400
    return web.json_response({**error.body(), "message": error.message}, status=status)


async def fields(request: web.Request) -> Json:
    """The fields of a request. Raises invalid_json."""
    values: Json = dict(request.query)
    if request.method == "POST" and request.content_type == "application/json" and request.can_read_body:
        try:
            body = await request.json()
        except json.JSONDecodeError:
            body = None
        if not isinstance(body, dict):
            raise SlackError("invalid_json", "The request is not a JSON object.")
        values |= body
    return values


def required(values: Json, name: str) -> str:
    """A field that must be there. Raises missing_field."""
    value = values.get(name)
    if not isinstance(value, str) or not value:
        raise SlackError("missing_field", f"The field {name} is missing.")
    return value


def person(context: Context, values: Json, name: str = "as") -> Person:
    """A person by id or name. Raises user_not_found."""
    found = context.workspace.find_person(required(values, name))
    if found is None:
        raise SlackError("user_not_found", "There is nobody of this name.")
    return found


def actor(context: Context, values: Json) -> Person:
    """The person who acts. Raises user_not_found, not_allowed for somebody who has left."""
    found = person(context, values)
    if found.deleted:
        raise SlackError("not_allowed", f"{found.real_name} has left the workspace.")
    return found


def seen_conversation(context: Context, values: Json, reader: Person) -> Conversation:
    """A conversation by id or channel name, if `reader` sees it. Raises channel_not_found."""
    found = context.workspace.find_channel(required(values, "conversation"))
    if found is None or not context.workspace.sees_conversation(reader, found):
        raise SlackError("channel_not_found", "There is no such conversation, or you cannot see it.")
    return found


def own_conversation(context: Context, values: Json, member: Person) -> Conversation:
    """As `seen_conversation`, and `member` is in it and may write. Raises not_allowed, is_archived."""
    found = seen_conversation(context, values, member)
    if member.id not in found.members:
        raise SlackError("not_allowed", "Join the channel first.")
    if found.is_archived:
        raise SlackError("is_archived", "This channel is archived.")
    return found


def seen_file(context: Context, values: Json, reader: Person) -> File:
    """A file that `reader` may see. Raises file_not_found, not_allowed."""
    found = context.workspace.files.get(required(values, "file"))
    if found is None or found.deleted:
        raise SlackError("file_not_found", "This file does not exist any more.")
    if not context.workspace.sees_file(reader, found):
        raise SlackError("not_allowed", "You cannot see this file.")
    return found
