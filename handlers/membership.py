"""Events about people and conversations, handed to the rows of rights before they are acknowledged."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime
from typing import Any

from handlers.arrival import Arrival
from handlers.ports import Memberships

Event = Mapping[str, Any]
Applier = Callable[[Memberships, str, Event], Awaitable[None]]


async def apply(arrival: Arrival, memberships: Memberships) -> bool:
    """Apply the event if it is about people or conversations; False when it is not. Raises what the rows raise."""
    event = arrival.event
    kind = str(event.get("subtype") if event.get("type") == "message" else event.get("type"))
    applier = _APPLIERS.get(kind)
    if applier is None or (not _conversation(event) and not _user(event)):
        return False
    await applier(memberships, arrival.team, event)
    return True


def _conversation(event: Event) -> str:
    """Some events name the conversation by id, others carry it whole."""
    channel = event.get("channel")
    return str(channel.get("id") if isinstance(channel, Mapping) else channel or "")


def _user(event: Event) -> str:
    user = event.get("user")
    return str(user.get("id") if isinstance(user, Mapping) else user or "")


def _at(event: Event) -> datetime:
    return datetime.fromtimestamp(float(event["event_ts"]), UTC)


async def _joined(memberships: Memberships, team: str, event: Event) -> None:
    await memberships.member_joined(team, _conversation(event), _user(event), event_at=_at(event))


async def _left(memberships: Memberships, team: str, event: Event) -> None:
    await memberships.member_left(team, _conversation(event), _user(event), event_at=_at(event))


async def _person(memberships: Memberships, team: str, event: Event) -> None:
    await memberships.person_changed(team, _user(event))


async def _changed(memberships: Memberships, team: str, event: Event) -> None:
    await memberships.conversation_changed(team, _conversation(event))


async def _private(memberships: Memberships, team: str, event: Event) -> None:
    await memberships.conversation_became_private(team, _conversation(event))


async def _deleted(memberships: Memberships, team: str, event: Event) -> None:
    await memberships.conversation_deleted(team, _conversation(event))


_APPLIERS: dict[str, Applier] = {
    "member_joined_channel": _joined,
    "member_left_channel": _left,
    "team_join": _person,
    "user_change": _person,
    "channel_created": _changed,
    "channel_rename": _changed,
    "group_rename": _changed,
    "channel_archive": _changed,
    "channel_unarchive": _changed,
    "group_archive": _changed,
    "group_unarchive": _changed,
    "channel_shared": _changed,
    "channel_unshared": _changed,
    "channel_convert_to_private": _private,
    "channel_deleted": _deleted,
    "group_deleted": _deleted,
}
