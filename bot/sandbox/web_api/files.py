"""files.*: what a file is, and how the bot uploads one."""

from collections.abc import AsyncIterable

from aiohttp import BodyPartReader, web

from bot.sandbox.context import Context
from bot.sandbox.errors import SlackError
from bot.sandbox.model import File, Json
from bot.sandbox.talk import escape
from bot.sandbox.tiers import TIER_3, TIER_4
from bot.sandbox.uploads import MAX_BYTES
from bot.sandbox.web_api import lookup
from bot.sandbox.web_api.arguments import Arguments
from bot.sandbox.web_api.method import Method


def find(context: Context, file_id: str) -> File:
    """A file that the bot may see. Raises file_not_found, file_deleted, not_visible."""
    found = context.workspace.files.get(file_id)
    if found is None:
        raise SlackError("file_not_found")
    if found.deleted:
        raise SlackError("file_deleted")
    if not context.workspace.sees_file(lookup.the_bot(context), found):
        raise SlackError("not_visible")
    return found


async def info(context: Context, arguments: Arguments) -> Json:
    found = find(context, arguments.required("file"))
    return {"file": context.shapes.file(found, lookup.the_bot(context)), "comments": []}


async def list_(context: Context, arguments: Arguments) -> Json:
    """The files that are shared in a channel, or everywhere the bot sees, the newest first, by numbered pages."""
    bot, workspace = lookup.the_bot(context), context.workspace
    found = [one for one in workspace.files.values() if workspace.sees_file(bot, one)]
    if arguments.has("channel"):
        channel = lookup.joined_conversation(context, arguments).id
        found = [one for one in found if any(share.conversation == channel for share in one.shares)]
    found.sort(key=lambda one: one.created, reverse=True)
    count, page = min(arguments.number("count", 100), 1_000, context.page_cap), arguments.number("page", 1)
    if count < 1 or page < 1:
        raise SlackError("invalid_arguments")
    shown = found[count * (page - 1) : count * page]
    paging = {"count": count, "total": len(found), "page": page, "pages": max(1, -(-len(found) // count))}
    return {"files": [context.shapes.file(one, bot) for one in shown], "paging": paging}


async def get_upload_url(context: Context, arguments: Arguments) -> Json:
    length = arguments.number("length", 0)
    if not 0 < length <= MAX_BYTES:
        raise SlackError("invalid_arguments" if length < 1 else "file_upload_size_restricted")
    file = context.uploads.announce(lookup.the_bot(context), name=arguments.required("filename"))
    return {"upload_url": f"{context.site}/upload/{context.upload_tickets.issue(file.id)}", "file_id": file.id}


async def receive(context: Context, request: web.Request) -> web.Response:
    """POST to an upload URL: the bytes of a file, raw or as a form."""
    try:
        file_id = context.upload_tickets.redeem(request.match_info["ticket"], name="upload_url")
    except SlackError as error:
        return web.json_response(error.body(), status=404)
    file = await context.uploads.receive(context.workspace.files[file_id], await _body(request))
    return web.Response(text=f"OK - {file.size}")


async def _body(request: web.Request) -> AsyncIterable[bytes]:
    if not request.content_type.startswith("multipart/"):
        return request.content.iter_any()
    part = await (await request.multipart()).next()
    if not isinstance(part, BodyPartReader):
        raise web.HTTPBadRequest
    return part


async def complete_upload(context: Context, arguments: Arguments) -> Json:
    """Give the files their titles and share them, in a conversation or a thread."""
    files = []
    for wanted in arguments.json("files") or ():
        file = context.workspace.files.get(wanted.get("id", ""))
        if file is None or file.user != lookup.the_bot(context).id:
            raise SlackError("file_not_found")
        files.append(context.uploads.title(file, wanted.get("title") or file.name))
    if not files:
        raise SlackError("invalid_arguments")
    if arguments.has("channel_id"):
        _share(context, arguments, files)
    return {"files": [context.shapes.file(context.workspace.files[one.id], lookup.the_bot(context)) for one in files]}


def _share(context: Context, arguments: Arguments, files: list[File]) -> None:
    conversation = lookup.joined_conversation(context, arguments, "channel_id")
    thread_ts = arguments.text("thread_ts") or None
    for number, file in enumerate(files):
        text = escape(arguments.text("initial_comment")) if number == 0 else ""
        context.uploads.share(file, lookup.the_bot(context), conversation, text=text, thread_ts=thread_ts)


METHODS = {
    "files.info": Method(run=info, scopes=("files:read",), per_minute=TIER_4),
    "files.list": Method(run=list_, scopes=("files:read",), per_minute=TIER_3),
    "files.getUploadURLExternal": Method(run=get_upload_url, scopes=("files:write",), per_minute=TIER_4),
    "files.completeUploadExternal": Method(run=complete_upload, scopes=("files:write",), per_minute=TIER_4),
}
