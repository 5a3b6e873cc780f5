"""Uploading, recording, sharing and deleting files as a person."""

from aiohttp import web

from bot.sandbox.context import Context
from bot.sandbox.control import who
from bot.sandbox.errors import SlackError
from bot.sandbox.model import File, Json
from bot.sandbox.talk import escape
from bot.sandbox.uploads import Clip

AUDIO_SUFFIXES = {"audio/webm": "webm", "video/webm": "webm", "audio/ogg": "ogg", "audio/wav": "wav"}


async def upload(context: Context, request: web.Request) -> web.Response:
    """POST /control/upload: the raw body is the file."""
    return await _receive(context, request, clip=None)


async def record(context: Context, request: web.Request) -> web.Response:
    """POST /control/record: the raw body is a voice clip."""
    try:
        clip = Clip(duration_ms=int(request.query.get("duration_ms", "0")), transcript=request.query.get("transcript"))
    except ValueError:
        return who.refused(SlackError("invalid_duration", "duration_ms must be a whole number."))
    return await _receive(context, request, clip=clip)


async def upload_version(context: Context, request: web.Request) -> web.Response:
    """POST /control/upload_version?as&file: the raw body takes the place of the file's bytes."""
    try:
        file = _own_file(context, dict(request.query))
        changed = await context.uploads.change(file, request.content.iter_any())
    except SlackError as error:
        return who.refused(error)
    return web.json_response(
        {"ok": True, "file": context.shapes.file(changed, who.actor(context, dict(request.query)))}
    )


async def _receive(context: Context, request: web.Request, *, clip: Clip | None) -> web.Response:
    values = dict(request.query)
    try:
        speaker = who.actor(context, values)
        who.own_conversation(context, values, speaker)
        mimetype = values.get("mimetype")
        if clip is not None:
            mimetype = mimetype or request.content_type
            values.setdefault("name", f"audio_message.{AUDIO_SUFFIXES.get(mimetype, 'm4a')}")
        file = context.uploads.announce(speaker, name=who.required(values, "name"), mimetype=mimetype, clip=clip)
        file = await context.uploads.receive(file, request.content.iter_any())
        # The upload took its time: the speaker may have left, the bot may have come.
        conversation = who.own_conversation(context, values, who.actor(context, values))
        text, thread_ts = escape(values.get("text", "")), values.get("thread_ts")
        message = context.uploads.share(file, speaker, conversation, text=text, thread_ts=thread_ts)
    except SlackError as error:
        return who.refused(error)
    shape = context.shapes.file(context.workspace.files[file.id], speaker)
    return web.json_response({"ok": True, "file": shape, "ts": message["ts"]})


async def delete_file(context: Context, values: Json) -> Json:
    await context.uploads.delete(_own_file(context, values))
    return {}


async def share_file(context: Context, values: Json) -> Json:
    speaker = who.actor(context, values)
    file = who.seen_file(context, values, speaker)
    conversation = who.own_conversation(context, values, speaker)
    text, thread_ts = escape(values.get("text") or ""), values.get("thread_ts")
    return {"ts": context.uploads.share(file, speaker, conversation, text=text, thread_ts=thread_ts)["ts"]}


async def unshare_file(context: Context, values: Json) -> Json:
    speaker = who.actor(context, values)
    file = _own_file(context, values)
    context.uploads.unshare(file, who.seen_conversation(context, values, speaker))
    return {}


def _own_file(context: Context, values: Json) -> File:
    speaker = who.actor(context, values)
    file = who.seen_file(context, values, speaker)
    if file.user != speaker.id:
        raise SlackError("not_allowed", "Only the one who uploaded a file can change it.")
    return file


ACTS = {
    ("POST", "delete_file"): delete_file,
    ("POST", "share_file"): share_file,
    ("POST", "unshare_file"): unshare_file,
}
