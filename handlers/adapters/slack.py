"""The one place that calls Slack's Web API to write: errors translated once, 429 waited out, networks retried."""

from __future__ import annotations

import asyncio
import time
import urllib.parse
import urllib.request
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

import aiohttp
import stamina
from slack_sdk.errors import SlackApiError, SlackClientError
from slack_sdk.web.async_client import AsyncWebClient

from handlers.adapters.unconfirmed import Mark
from handlers.errors import (
    Gone,
    MissingScope,
    NotAuthorised,
    NotEditable,
    RateLimited,
    Refused,
    SlackError,
    TooLong,
    Unreachable,
)
from handlers.model import Outgoing
from handlers.neutralise import mrkdwn
from handlers.pace import PostBudget

SLACK_API_URL = "https://slack.com/api/"
CALL_TIMEOUT_S = 10
PATIENCE_S = 300.0
"""Seconds that a call is tried again: a 429 of Slack asks for up to a minute."""

_KINDS: dict[type[Gone | NotEditable | TooLong | NotAuthorised | Unreachable], tuple[str, ...]] = {
    Gone: (
        "message_not_found",
        "channel_not_found",
        "thread_not_found",
        "not_in_channel",
        "is_archived",
        "file_not_found",
        "file_deleted",
        "not_visible",
        "access_denied",
        "user_not_found",
        "view_not_found",
        "not_found",
    ),
    NotEditable: ("cant_update_message", "edit_window_closed", "streaming_state_conflict", "cant_delete_message"),
    TooLong: (
        "msg_too_long",
        "msg_blocks_too_long",
        "invalid_blocks",
        "invalid_blocks_format",
        "too_many_attachments",
        "invalid_attachments",
    ),
    NotAuthorised: (
        "not_authed",
        "invalid_auth",
        "account_inactive",
        "token_revoked",
        "token_expired",
        "org_login_required",
        "team_access_not_granted",
    ),
    Unreachable: ("fatal_error", "internal_error", "service_unavailable", "request_timeout"),
}
_KIND_OF = {name: kind for kind, names in _KINDS.items() for name in names}


def web_client(*, token: str, base_url: str = SLACK_API_URL) -> AsyncWebClient:
    """A client without retries of its own (ours see every failure) that honours NO_PROXY, which slack_sdk ignores."""
    client = AsyncWebClient(token=token, base_url=base_url, timeout=CALL_TIMEOUT_S, retry_handlers=[])
    if bypasses_proxy(base_url):
        client.proxy = None
    return client


def bypasses_proxy(url: str) -> bool:
    """Whether a proxy of the environment must not be used for ``url``: on this machine, or named by NO_PROXY."""
    host = urllib.parse.urlsplit(url).hostname or ""
    return host in {"127.0.0.1", "::1", "localhost"} or bool(urllib.request.proxy_bypass(host))


def translate(error: Exception, method: str) -> SlackError:
    """Slack's or the network's exception as one of ours."""
    if not isinstance(error, SlackApiError):
        return Unreachable(type(error).__name__, method=method)
    response = error.response
    status = getattr(response, "status_code", 200)
    data = response.data if isinstance(getattr(response, "data", None), dict) else {}
    name = str(data.get("error") or f"http_{status}")
    if status == 429 or name in {"ratelimited", "rate_limited"}:
        return RateLimited(method=method, retry_after=_retry_after(getattr(response, "headers", {})))
    if status >= 500:
        return Unreachable(name, method=method)
    if name == "missing_scope":
        return MissingScope(method=method, needed=str(data.get("needed") or "?"))
    return _KIND_OF.get(name, Refused)(name, method=method)


async def call(method: str, request: Callable[[], Awaitable[Any]]) -> dict[str, Any]:
    """One call, once: the response's data, or a SlackError."""
    try:
        response = await request()
    except (SlackClientError, aiohttp.ClientError, OSError) as error:
        raise translate(error, method) from error
    return dict(response.data)


async def patient_call(
    method: str,
    request: Callable[[], Awaitable[Any]],
    *,
    patience_s: float = PATIENCE_S,
    on: Callable[[Exception], bool | float] | None = None,
) -> dict[str, Any]:
    """One call that is tried again for ``patience_s``: after a 429 when Slack says, and when Slack can't be reached."""
    async for attempt in stamina.retry_context(
        on=on or _wait, attempts=None, timeout=patience_s, wait_initial=0.2, wait_max=20.0, wait_jitter=0.2
    ):
        with attempt:
            return await call(method, request)
    raise AssertionError("stamina gives up by raising")


def _wait(error: Exception) -> bool | float:
    return error.retry_after if isinstance(error, RateLimited) else _is_unreachable(error)


def _is_unreachable(error: Exception) -> bool:
    return isinstance(error, Unreachable)


def _retry_after(headers: Any) -> float:
    value = next((value for key, value in dict(headers).items() if str(key).lower() == "retry-after"), "1")
    try:
        return max(0.0, float(value if isinstance(value, str) else value[0]))
    except ValueError:
        return 1.0


class SlackMessages:
    """Satisfies :class:`handlers.ports.Messages`."""

    def __init__(
        self,
        *,
        client: AsyncWebClient,
        clock: Callable[[], float] = time.monotonic,
        wall: Callable[[], float] = time.time,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """``clock`` is monotonic seconds, ``wall`` seconds since 1970."""
        self._client = client
        self._clock = clock
        self._wall = wall
        self._sleep = sleep
        self._posts = PostBudget(clock=clock)

    async def find(self, conversation: str, name: str, *, thread_ts: str | None, since: float) -> str | None:
        method, look = self._listing(thread_ts)
        mark = Mark(since, name)
        try:
            data = await patient_call(method, partial(look, **mark.where(conversation, thread_ts)))
        except SlackError:
            return None
        return mark.found_in(data.get("messages") or ())

    async def post(
        self,
        conversation: str,
        message: Outgoing,
        *,
        thread_ts: str | None = None,
        urgent: bool = False,
        name: str | None = None,
    ) -> str:
        mark = Mark(self._wall(), name) if name else Mark(self._wall())
        give_up_at = self._clock() + PATIENCE_S
        while True:
            await self._sleep(self._posts.take(conversation, urgent=urgent))
            try:
                return await self._post_once(conversation, message, thread_ts, mark)
            except RateLimited as error:
                if self._clock() > give_up_at:
                    raise
                self._posts.hold(conversation, error.retry_after)

    async def _post_once(self, conversation: str, message: Outgoing, thread_ts: str | None, mark: Mark) -> str:
        values = _content(message) | {"unfurl_links": False, "unfurl_media": False, "metadata": mark.metadata()}
        async for attempt in stamina.retry_context(
            on=_is_unreachable, attempts=None, timeout=PATIENCE_S, wait_initial=0.2, wait_max=20.0, wait_jitter=0.2
        ):
            with attempt:
                if attempt.num > 1 and (ts := await self._standing(mark, conversation, thread_ts)):
                    return ts
                post = partial(self._client.chat_postMessage, channel=conversation, thread_ts=thread_ts, **values)
                return str((await call("chat.postMessage", post))["ts"])
        raise AssertionError("stamina gives up by raising")

    async def _standing(self, mark: Mark, conversation: str, thread_ts: str | None) -> str | None:
        """The post that Slack did not confirm, if it stands there. Raises Unreachable."""
        method, look = self._listing(thread_ts)
        try:
            data = await call(method, partial(look, **mark.where(conversation, thread_ts)))
        except Unreachable:
            raise
        except SlackError:
            # Not allowed to look: rather twice than never.
            return None
        return mark.found_in(data.get("messages") or ())

    def _listing(self, thread_ts: str | None) -> tuple[str, Callable[..., Awaitable[Any]]]:
        if thread_ts:
            return "conversations.replies", self._client.conversations_replies
        return "conversations.history", self._client.conversations_history

    async def edit(self, conversation: str, ts: str, message: Outgoing) -> None:
        await call("chat.update", lambda: self._client.chat_update(channel=conversation, ts=ts, **_content(message)))

    async def delete(self, conversation: str, ts: str) -> None:
        await patient_call("chat.delete", lambda: self._client.chat_delete(channel=conversation, ts=ts))

    async def direct(self, person: str, message: Outgoing) -> tuple[str, str]:
        values = _content(message) | {"unfurl_links": False, "unfurl_media": False}
        data = await patient_call("chat.postMessage", lambda: self._client.chat_postMessage(channel=person, **values))
        return str(data["channel"]), str(data["ts"])

    async def whisper(
        self, conversation: str, user: str, message: str | Outgoing, *, thread_ts: str | None = None
    ) -> None:
        values = {"text": mrkdwn(message)} if isinstance(message, str) else _content(message)
        await patient_call(
            "chat.postEphemeral",
            lambda: self._client.chat_postEphemeral(channel=conversation, user=user, thread_ts=thread_ts, **values),
        )

    async def react(self, conversation: str, ts: str, name: str) -> None:
        await self._reaction("reactions.add", self._client.reactions_add, conversation, ts, name)

    async def unreact(self, conversation: str, ts: str, name: str) -> None:
        await self._reaction("reactions.remove", self._client.reactions_remove, conversation, ts, name)

    async def open_view(self, trigger_id: str, view: dict[str, Any]) -> str:
        data = await call("views.open", lambda: self._client.views_open(trigger_id=trigger_id, view=view))
        return str(data["view"]["id"])

    async def update_view(self, view_id: str, view: dict[str, Any]) -> None:
        await patient_call("views.update", lambda: self._client.views_update(view_id=view_id, view=view))

    async def publish_home(self, user: str, view: dict[str, Any]) -> None:
        await patient_call("views.publish", lambda: self._client.views_publish(user_id=user, view=view))

    async def _reaction(
        self, method: str, request: Callable[..., Awaitable[Any]], conversation: str, ts: str, name: str
    ) -> None:
        try:
            await patient_call(method, lambda: request(channel=conversation, timestamp=ts, name=name))
        except Refused as error:
            if error.error not in {"already_reacted", "no_reaction"}:
                raise


def _content(message: Outgoing) -> dict[str, Any]:
    """The full state: an empty list takes away what an earlier edit showed."""
    return {"text": message.text, "blocks": list(message.blocks), "attachments": list(message.attachments)}
