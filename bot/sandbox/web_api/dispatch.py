"""The way of every Web API call: token, scope, trouble on demand, tier, method; and the record that tests read."""

import asyncio
from collections.abc import Mapping

from aiohttp import web

from bot.sandbox.context import Context
from bot.sandbox.errors import SlackError
from bot.sandbox.faults import MethodFault
from bot.sandbox.model import Json
from bot.sandbox.web_api import chat, conversations, files, groups, lookup, people, surfaces
from bot.sandbox.web_api.arguments import Arguments
from bot.sandbox.web_api.method import Method

METHODS: Mapping[str, Method] = {
    **chat.METHODS,
    **conversations.METHODS,
    **files.METHODS,
    **groups.METHODS,
    **people.METHODS,
    **surfaces.METHODS,
}

# Calls kept for tests to read; a streamed answer holds its text many times over, so not more of them.
MAX_CALLS = 2_000


class TooOften(Exception):
    """A call over its tier; carries the seconds to wait."""

    def __init__(self, retry_after: int) -> None:
        super().__init__(f"retry after {retry_after} s")
        self.retry_after = retry_after


class NotJson(Exception):
    """A call that a proxy or a login page answers in Slack's place."""


class Broken(Exception):
    """A call that a test wants to fail below Slack's own errors; carries the HTTP status."""

    def __init__(self, status: int) -> None:
        super().__init__(f"HTTP {status}")
        self.status = status


class WebApi:
    """Answers `/api/<method>`."""

    def __init__(self, context: Context) -> None:
        self._context = context

    async def handle(self, request: web.Request) -> web.Response:
        """One call. Slack answers 200 also when it refuses; only rates and breakage show in the status."""
        name = request.match_info["method"]
        call: Json = {"method": name, "args": {}, "ok": True, "error": None, "at": self._context.clock.timestamp()}
        try:
            arguments = await Arguments.read(request)
            call["args"] = {key: value for key, value in arguments.values.items() if key != "token"}
            body = {"ok": True, **await self._run(name, request, arguments)}
            status, headers = 200, {"X-OAuth-Scopes": ",".join(sorted(self._context.faults.scopes))}
        except SlackError as error:
            body, status, headers = error.body(), 200, {}
        except TooOften as error:
            headers = {"Retry-After": str(error.retry_after)}
            body, status = {"ok": False, "error": "ratelimited"}, 429
        except Broken as error:
            body, status, headers = {"ok": False, "error": "internal_error"}, error.status, {}
        except NotJson:
            self._record(call | {"ok": False, "error": "html", "status": 200})
            return web.Response(text="<!DOCTYPE html><title>Sign in</title>", content_type="text/html")
        call |= {"ok": body["ok"], "error": body.get("error"), "status": status}
        self._record(call)
        return web.json_response(body, status=status, headers=headers)

    async def _run(self, name: str, request: web.Request, arguments: Arguments) -> Json:
        method = METHODS.get(name)
        if method is None:
            raise SlackError("unknown_method", req_method=name)
        self._check_token(method, request, arguments)
        self._check_scope(method)
        fault = self._context.faults.next(name)
        if fault is not None and not fault.loop:
            await _fail(fault)
        key = f"{name} {arguments.text(method.per)}" if method.per else name
        wait = self._context.tiers.take(key, per_minute=method.per_minute)
        if wait:
            raise TooOften(wait)
        answer = await method.run(self._context, arguments)
        if fault is not None:
            answer |= {"response_metadata": {"next_cursor": lookup.FIRST}}
        return answer

    def _check_token(self, method: Method, request: web.Request, arguments: Arguments) -> None:
        header = request.headers.get("Authorization", "")
        token = header.removeprefix("Bearer ").strip() or arguments.text("token")
        app = self._context.workspace.app
        if not token:
            raise SlackError("not_authed")
        if token not in (app.bot_token, app.app_token):
            raise SlackError("invalid_auth")
        if app.refusal and token == app.bot_token:
            raise SlackError(app.refusal)
        if token != (app.app_token if method.app_token else app.bot_token):
            raise SlackError("not_allowed_token_type")

    def _check_scope(self, method: Method) -> None:
        provided = self._context.faults.scopes
        if method.scopes and not provided.intersection(method.scopes):
            raise SlackError("missing_scope", needed=method.scopes[0], provided=",".join(sorted(provided)))

    def _record(self, call: Json) -> None:
        calls = self._context.calls
        calls.append(call)
        del calls[:-MAX_CALLS]


async def _fail(fault: MethodFault) -> None:
    if fault.hang:
        # Whoever called gives up first, and takes this away.
        await asyncio.Event().wait()
    if fault.html:
        raise NotJson
    if fault.retry_after is not None:
        raise TooOften(fault.retry_after)
    if fault.http is not None:
        raise Broken(fault.http)
    raise SlackError(fault.error or "fatal_error")
