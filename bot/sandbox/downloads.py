"""Where the bytes of files are: for the bot behind its token and a redirect, for people behind who they are."""

import asyncio
from urllib.parse import quote

from aiohttp import hdrs, web

from bot.sandbox.context import Context
from bot.sandbox.control import who
from bot.sandbox.errors import SlackError
from bot.sandbox.model import Download, File
from bot.sandbox.web_api import files

# What Slack answers, with status 200, to a download without a token or without the scope files:read.
LOGIN_PAGE = """<!DOCTYPE html><html><head><title>Slack</title></head>
<body><h1>Sign in to your workspace</h1><form method="post"><input name="email"></form></body></html>
"""

# Kinds that a browser only shows; every other one is saved, so that an uploaded page never runs as ours.
SHOWN = ("audio/", "image/png", "image/jpeg", "image/gif", "image/webp", "video/", "application/pdf", "text/plain")


async def private(context: Context, request: web.Request) -> web.StreamResponse:
    """GET /files-pri/…: url_private and url_private_download; a redirect to the other host, or the login page."""
    token = request.headers.get(hdrs.AUTHORIZATION, "").removeprefix("Bearer ")
    if token != context.workspace.app.bot_token or "files:read" not in context.faults.scopes:
        return web.Response(text=LOGIN_PAGE, content_type="text/html")
    if fault := context.faults.next("files.download"):
        return web.Response(status=fault.http or 500)
    try:
        file = files.find(context, request.match_info["file"])
    except SlackError:
        return web.Response(status=404)
    if request.match_info["name"] == "file.vtt":
        return web.Response(text=_vtt(file), content_type="text/vtt")
    download = Download(path=context.workspace.file_path(file), mimetype=file.mimetype)
    raise web.HTTPFound(
        f"{context.second_host}/{context.download_tickets.issue(download)}/{request.match_info['name']}"
    )


async def second_host(context: Context, request: web.Request) -> web.StreamResponse:
    """The other host, as Slack's CDN: needs no token, and remembers when one arrived that should not have."""
    if hdrs.AUTHORIZATION in request.headers:
        context.leaked_tokens.append(request.path)
    try:
        download = context.download_tickets.redeem(request.match_info["ticket"], name="ticket")
    except SlackError:
        return web.Response(status=404)
    return web.FileResponse(download.path, headers={hdrs.CONTENT_TYPE: download.mimetype})


async def for_person(context: Context, request: web.Request) -> web.StreamResponse:
    """GET /control/files/{file}?as=U: the bytes, if this person may see the file."""
    try:
        reader = who.actor(context, dict(request.query))
        file = who.seen_file(context, {"file": request.match_info["file"]}, reader)
    except SlackError as error:
        return who.refused(error)
    path = context.workspace.file_path(file)
    if not await asyncio.to_thread(path.is_file):
        return who.refused(SlackError("file_not_found", "The bytes of this file have not arrived yet."))
    headers = {hdrs.CONTENT_TYPE: file.mimetype, hdrs.CONTENT_SECURITY_POLICY: "sandbox; default-src 'none'"}
    way = "inline" if file.mimetype.startswith(SHOWN) else "attachment"
    headers[hdrs.CONTENT_DISPOSITION] = f"{way}; filename*=UTF-8''{quote(file.name, safe='')}"
    return web.FileResponse(path, headers=headers)


def _vtt(file: File) -> str:
    seconds = (file.duration_ms or 0) / 1_000
    return f"WEBVTT\n\n00:00:00.000 --> 00:{int(seconds // 60):02d}:{seconds % 60:06.3f}\n{file.transcript or ''}\n"
