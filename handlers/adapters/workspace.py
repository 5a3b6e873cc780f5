"""Reads people, conversations and memberships from Slack: ``permissions.ports.WorkspaceSource`` over its Web API."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from typing import Any

import aiohttp
from slack_sdk.errors import SlackApiError, SlackClientError
from slack_sdk.web.async_client import AsyncWebClient

from permissions.model import Conversation, ConversationKind, Person
from permissions.ports import WorkspaceUnavailable

_PAGE = 200
_CHANNELS = "public_channel,private_channel,mpim"
_TIMES_LIMITED = 3
_ABSENT = frozenset({"channel_not_found", "user_not_found", "users_not_found", "user_not_visible"})

# Slack's own helper says is_bot: false of itself.
_SLACKBOT = "USLACKBOT"

_Sleep = Callable[[float], Awaitable[None]]
_Page = Mapping[str, Any]


class SlackWorkspace:
    """:class:`permissions.ports.WorkspaceSource`. ``team_id`` goes with every listing: org tokens are refused without.

    Raises :class:`permissions.ports.WorkspaceUnavailable` for whatever Slack or the network says other than yes,
    after waiting out a rate limit at most three times in a row.
    """

    def __init__(self, *, client: AsyncWebClient, sleep: _Sleep = asyncio.sleep) -> None:
        self._client = client
        self._sleep = sleep
        self._own: dict[str, str] = {}

    async def own_user(self, team: str) -> str:
        """The bot's user id, asked for once."""
        if team not in self._own:
            self._own[team] = str((await self._call("auth.test"))["user_id"])
        return self._own[team]

    async def people(self, team: str) -> AsyncIterator[list[Person]]:
        async for page in self._pages("users.list", team_id=team, include_locale=True):
            yield [read_person(user, team=team) for user in page["members"]]

    async def conversations(self, team: str) -> AsyncIterator[list[Conversation]]:
        async for page in self._pages("users.conversations", team_id=team, types=_CHANNELS):
            yield [read_conversation(channel, team=team) for channel in page["channels"]]

    async def members(self, team: str, conversation: str) -> list[str]:
        _ = team
        pages = self._pages("conversations.members", channel=conversation)
        return [str(user) async for page in pages for user in page["members"]]

    async def conversations_of(self, team: str, user: str) -> list[str]:
        pages = self._pages("users.conversations", team_id=team, user=user, types=_CHANNELS)
        return [str(channel["id"]) async for page in pages for channel in page["channels"]]

    async def conversation(self, team: str, conversation: str) -> Conversation | None:
        reply = await self._find("conversations.info", channel=conversation)
        return None if reply is None else read_conversation(reply["channel"], team=team)

    async def person(self, team: str, user: str) -> Person | None:
        reply = await self._find("users.info", user=user, include_locale=True)
        return None if reply is None else read_person(reply["user"], team=team)

    async def _pages(self, method: str, **arguments: Any) -> AsyncIterator[_Page]:
        """Until there is no cursor: a page may be short, or empty, with more to come."""
        cursor = ""
        while True:
            page = await self._call(method, limit=_PAGE, **arguments, **({"cursor": cursor} if cursor else {}))
            yield page
            cursor = (page.get("response_metadata") or {}).get("next_cursor") or ""
            if not cursor:
                return

    async def _find(self, method: str, **arguments: Any) -> _Page | None:
        try:
            return await self._call(method, **arguments)
        except WorkspaceUnavailable as problem:
            cause = problem.__cause__
            if isinstance(cause, SlackApiError) and cause.response.get("error") in _ABSENT:
                return None
            raise

    async def _call(self, method: str, **arguments: Any) -> _Page:
        """The one way to Slack, and the one place where its errors become ours."""
        for _ in range(_TIMES_LIMITED):
            try:
                reply = await self._client.api_call(method, http_verb="GET", params=_query(arguments))
            except SlackApiError as refused:
                wait = _seconds_to_wait(refused)
                if wait is None:
                    raise WorkspaceUnavailable(f"{method}: {refused.response.get('error')}") from refused
                await self._sleep(wait)
            except (SlackClientError, aiohttp.ClientError, TimeoutError) as failed:
                raise WorkspaceUnavailable(f"{method}: {type(failed).__name__}") from failed
            else:
                return reply.data if isinstance(reply.data, dict) else {}
        raise WorkspaceUnavailable(f"{method}: rate limited {_TIMES_LIMITED} times in a row")


def read_person(user: _Page, *, team: str) -> Person:
    """Slack's user object as seen from ``team``.

    On Enterprise Grid somebody is at home in each workspace that ``enterprise_user.teams`` names. Without a home
    nobody is a full member.
    """
    profile = user.get("profile") or {}
    teams = (user.get("enterprise_user") or {}).get("teams") or ()
    return Person(
        team=team,
        id=str(user["id"]),
        name=profile.get("display_name") or user.get("real_name") or profile.get("real_name") or user.get("name") or "",
        home_team=team if team in teams else str(user.get("team_id") or ""),
        is_guest=bool(user.get("is_restricted") or user.get("is_ultra_restricted")),
        is_stranger=bool(user.get("is_stranger")),
        is_deleted=bool(user.get("deleted")),
        is_bot=bool(user.get("is_bot")) or user["id"] == _SLACKBOT,
        is_admin=any(user.get(flag) for flag in ("is_admin", "is_owner", "is_primary_owner")),
        locale=str(user.get("locale") or ""),
    )


def read_conversation(channel: _Page, *, team: str) -> Conversation:
    """Slack's conversation object. A channel that is about to be shared counts as shared already."""
    return Conversation(
        team=team,
        id=str(channel["id"]),
        kind=_kind(channel),
        name=str(channel.get("name") or ""),
        is_archived=bool(channel.get("is_archived")),
        is_shared=any(
            channel.get(flag) for flag in ("is_shared", "is_ext_shared", "is_pending_ext_shared", "is_org_shared")
        )
        or bool({*(channel.get("shared_team_ids") or ()), *(channel.get("connected_team_ids") or ())} - {team})
        or bool(channel.get("pending_shared") or channel.get("pending_connected_team_ids")),
    )


def _kind(channel: _Page) -> ConversationKind:
    if channel.get("is_im"):
        return ConversationKind.DM
    if channel.get("is_mpim"):
        return ConversationKind.GROUP_DM
    # Only what says that it is open counts as open.
    is_open = channel.get("is_channel") and not (channel.get("is_private") or channel.get("is_group"))
    return ConversationKind.PUBLIC if is_open else ConversationKind.PRIVATE


def _seconds_to_wait(refused: SlackApiError) -> float | None:
    if refused.response.status_code != 429:
        return None
    return float(refused.response.headers.get("Retry-After", 1))


def _query(arguments: Mapping[str, Any]) -> dict[str, str]:
    return {name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in arguments.items()}
