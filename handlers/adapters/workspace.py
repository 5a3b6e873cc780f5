"""Reads people, conversations and memberships from Slack: ``permissions.ports.WorkspaceSource`` over its Web API."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from typing import Any

import aiohttp
from slack_sdk.errors import SlackApiError, SlackClientError
from slack_sdk.web.async_client import AsyncWebClient

from handlers.reading_pace import ReadPace
from handlers.wellformed import wellformed
from permissions.model import Conversation, ConversationKind, Person, Trouble, TroubleKind, UserGroup
from permissions.ports import Page, WorkspaceUnavailable

_PAGE = 200
# Of ids alone Slack gives a thousand at once, when it likes.
_PAGE_OF_IDS = 1_000
_CHANNELS = "public_channel,private_channel,mpim"
_TIMES_LIMITED = 3
_ABSENT = frozenset({"channel_not_found", "user_not_found", "users_not_found", "user_not_visible"})
_NOT_INSTALLED = frozenset(
    {"not_authed", "invalid_auth", "account_inactive", "token_revoked", "token_expired", "team_access_not_granted"}
)
_BROKEN = frozenset({"fatal_error", "internal_error", "service_unavailable", "request_timeout"})

# Slack's own helper says is_bot: false of itself.
_SLACKBOT = "USLACKBOT"

_Sleep = Callable[[float], Awaitable[None]]
_Reply = Mapping[str, Any]


class SlackWorkspace:
    """:class:`permissions.ports.WorkspaceSource`. ``team_id`` goes with every listing: org tokens are refused without.

    Raises :class:`permissions.ports.WorkspaceUnavailable` for whatever Slack or the network says other than yes,
    after waiting out a rate limit at most three times in a row. Calls keep to ``pace``.
    """

    def __init__(
        self,
        *,
        client: AsyncWebClient,
        pace: ReadPace | None = None,
        sleep: _Sleep = asyncio.sleep,
        in_background: bool = False,
    ) -> None:
        self._client = client
        self._pace = pace or ReadPace()
        self._sleep = sleep
        self._in_background = in_background
        self._own: dict[str, str] = {}

    def behind(self) -> SlackWorkspace:
        """The same workspace, for whoever reads only when nobody else does."""
        return SlackWorkspace(client=self._client, pace=self._pace, sleep=self._sleep, in_background=True)

    async def own_user(self, team: str) -> str:
        """The bot's user id, asked for once."""
        if team not in self._own:
            self._own[team] = str((await self._call("auth.test"))["user_id"])
        return self._own[team]

    async def people(self, team: str, *, cursor: str = "") -> AsyncIterator[Page[Person]]:
        listing = self._pages("users.list", "members", cursor=cursor, team_id=team, include_locale=True)
        async for users, following in listing:
            yield Page(tuple(read_person(user, team=team) for user in users), following)

    async def conversations(self, team: str, *, cursor: str = "") -> AsyncIterator[Page[Conversation]]:
        listing = self._pages("users.conversations", "channels", cursor=cursor, team_id=team, types=_CHANNELS)
        async for channels, following in listing:
            yield Page(tuple(read_conversation(channel, team=team) for channel in channels), following)

    async def members(self, team: str, conversation: str) -> list[str]:
        _ = team
        pages = self._pages("conversations.members", "members", limit=_PAGE_OF_IDS, channel=conversation)
        return [str(user) async for users, _ in pages for user in users]

    async def conversations_of(self, team: str, user: str) -> list[str]:
        pages = self._pages("users.conversations", "channels", team_id=team, user=user, types=_CHANNELS)
        return [str(channel["id"]) async for channels, _ in pages for channel in channels]

    async def groups(self, team: str) -> list[UserGroup]:
        reply = await self._call("usergroups.list", team_id=team, include_users=True)
        return [await self._group(team, group) for group in reply.get("usergroups") or () if not group["date_delete"]]

    async def conversation(self, team: str, conversation: str) -> Conversation | None:
        reply = await self._find("conversations.info", channel=conversation)
        return None if reply is None else read_conversation(reply["channel"], team=team)

    async def person(self, team: str, user: str) -> Person | None:
        reply = await self._find("users.info", user=user, include_locale=True)
        return None if reply is None else read_person(reply["user"], team=team)

    async def _group(self, team: str, group: _Reply) -> UserGroup:
        """Read the members by themselves where the listing names fewer than it counts."""
        users = group.get("users")
        if users is None or len(users) < int(group.get("user_count") or 0):
            users = (await self._call("usergroups.users.list", team_id=team, usergroup=group["id"]))["users"]
        return UserGroup(
            team=team,
            id=str(group["id"]),
            handle=str(group.get("handle") or ""),
            name=str(group.get("name") or ""),
            updated=int(group.get("date_update") or 0),
            members=frozenset(map(str, users)),
        )

    async def _pages(
        self, method: str, key: str, *, cursor: str = "", limit: int = _PAGE, **arguments: Any
    ) -> AsyncIterator[tuple[list[Any], str]]:
        """Until there is no cursor: a page may be short, or empty, with more to come. A list that leads back to where
        it was, or repeats itself, has no end and is unusable."""
        cursors, seen = {cursor}, set[str]()
        while True:
            page = await self._call(method, limit=limit, **arguments, **({"cursor": cursor} if cursor else {}))
            items = page.get(key)
            if not isinstance(items, list):
                raise WorkspaceUnavailable(f"{method}: no {key} in the answer")
            cursor = str((page.get("response_metadata") or {}).get("next_cursor") or "")
            names = {str(item["id"] if isinstance(item, Mapping) else item) for item in items}
            if cursor and (cursor in cursors or (names and names <= seen)):
                raise WorkspaceUnavailable(f"{method}: the list repeats itself", trouble=Trouble(TroubleKind.ENDLESS))
            cursors.add(cursor)
            seen |= names
            yield items, cursor
            if not cursor:
                return

    async def _find(self, method: str, **arguments: Any) -> _Reply | None:
        try:
            return await self._call(method, **arguments)
        except WorkspaceUnavailable as problem:
            if problem.trouble.detail in _ABSENT:
                return None
            raise

    async def _call(self, method: str, **arguments: Any) -> _Reply:
        """The one way to Slack, and the one place where its errors become ours."""
        for _ in range(_TIMES_LIMITED):
            await self._pace.turn(method, in_background=self._in_background)
            try:
                reply = await self._client.api_call(method, http_verb="GET", params=_query(arguments))
            except SlackApiError as refused:
                wait = _seconds_to_wait(refused)
                if wait is None:
                    trouble = _trouble(refused)
                    raise WorkspaceUnavailable(f"{method}: {trouble}", trouble=trouble) from refused
                self._pace.hold(method, wait)
                await self._sleep(wait)
            except (SlackClientError, aiohttp.ClientError, TimeoutError, ValueError) as failed:
                # ValueError: what is no JSON.
                raise WorkspaceUnavailable(f"{method}: {type(failed).__name__}") from failed
            else:
                if not isinstance(reply.data, dict):
                    raise WorkspaceUnavailable(f"{method}: no JSON object in the answer")
                found: _Reply = wellformed(reply.data)
                return found
        raise WorkspaceUnavailable(
            f"{method}: rate limited {_TIMES_LIMITED} times in a row", trouble=Trouble(TroubleKind.RATE_LIMITED)
        )


def read_person(user: _Reply, *, team: str) -> Person:
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


def read_conversation(channel: _Reply, *, team: str) -> Conversation:
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


def _kind(channel: _Reply) -> ConversationKind:
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
    try:
        return float(refused.response.headers.get("Retry-After", 1))
    except ValueError:
        return 1.0


def _trouble(refused: SlackApiError) -> Trouble:
    """What Slack's refusal means. A page of HTML has no word for it."""
    data = refused.response.data if isinstance(refused.response.data, dict) else {}
    error = str(data.get("error") or "")
    if error in _BROKEN or not error or refused.response.status_code >= 500:
        return Trouble(TroubleKind.SILENT)
    if error == "missing_scope":
        return Trouble(TroubleKind.MISSING_SCOPE, str(data.get("needed") or "?"))
    if error in {"ratelimited", "rate_limited"}:
        return Trouble(TroubleKind.RATE_LIMITED)
    if error in _NOT_INSTALLED:
        return Trouble(TroubleKind.NOT_INSTALLED, error)
    if error == "plan_upgrade_required":
        return Trouble(TroubleKind.NO_GROUPS)
    return Trouble(TroubleKind.REFUSED, error)


def _query(arguments: Mapping[str, Any]) -> dict[str, str]:
    return {name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in arguments.items()}
