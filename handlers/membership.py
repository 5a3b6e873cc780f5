"""Events about people, places and user groups, handed to the rows of rights before they are acknowledged."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime
from typing import Any

import structlog

from handlers.arrival import Arrival
from handlers.ports import Memberships

log = structlog.get_logger()

Event = Mapping[str, Any]
Applier = Callable[[Memberships, str, Event], Awaitable[None]]


async def apply(arrival: Arrival, memberships: Memberships) -> bool:
    """Apply the event if it is about people, places or user groups; False when it is not. Raises what the rows raise.

    One that lacks what its kind carries says nothing that could be applied; Slack would only deliver it again.
    """
    event = arrival.event
    kind = str(event.get("subtype") if event.get("type") == "message" else event.get("type"))
    applier = _APPLIERS.get(kind)
    if applier is None:
        return False
    try:
        await applier(memberships, arrival.team, event)
    except _Malformed as fault:
        log.warning("event_malformed", event_id=arrival.event_id, kind=kind, lacks=str(fault))
        return False
    return True


class _Malformed(Exception):
    """The event lacks the field that it names."""


def _named(event: Event, field: str) -> str:
    """Some events name a thing by id, others carry it whole."""
    value = event.get(field)
    name = value.get("id") if isinstance(value, Mapping) else value
    if not name or not isinstance(name, str):
        raise _Malformed(field)
    return name


def _conversation(event: Event) -> str:
    return _named(event, "channel")


def _user(event: Event) -> str:
    return _named(event, "user")


def _at(event: Event) -> datetime:
    try:
        return datetime.fromtimestamp(float(event["event_ts"]), UTC)
    except (KeyError, TypeError, ValueError, OverflowError):
        raise _Malformed("event_ts") from None


async def _joined(memberships: Memberships, team: str, event: Event) -> None:
    await memberships.member_joined(team, _conversation(event), _user(event), event_at=_at(event))


async def _left(memberships: Memberships, team: str, event: Event) -> None:
    await memberships.member_left(team, _conversation(event), _user(event), event_at=_at(event))


async def _person(memberships: Memberships, team: str, event: Event) -> None:
    await memberships.person_changed(team, _user(event))


async def _changed(memberships: Memberships, team: str, event: Event) -> None:
    await memberships.conversation_changed(team, _conversation(event))


async def _unshared(memberships: Memberships, team: str, event: Event) -> None:
    await memberships.conversation_unshared(team, _conversation(event))


async def _private(memberships: Memberships, team: str, event: Event) -> None:
    await memberships.conversation_became_private(team, _conversation(event))


async def _deleted(memberships: Memberships, team: str, event: Event) -> None:
    await memberships.conversation_deleted(team, _conversation(event))


async def _bot_left(memberships: Memberships, team: str, event: Event) -> None:
    await memberships.conversation_left(team, _conversation(event))


async def _moved(memberships: Memberships, team: str, event: Event) -> None:
    await memberships.conversation_moved(team, _named(event, "old_channel_id"), _named(event, "new_channel_id"))


async def _groups(memberships: Memberships, team: str, event: Event) -> None:
    await memberships.groups_changed(team)


async def _group_members(memberships: Memberships, team: str, event: Event) -> None:
    """Slack counts who came and who went, and may name fewer of them: then the group has to be read."""
    added, removed = _counted(event, "added_users"), _counted(event, "removed_users")
    previous, updated = event.get("date_previous_update"), event.get("date_update")
    if added is None or removed is None or not isinstance(previous, int) or not isinstance(updated, int):
        await memberships.groups_changed(team)
        return
    group = _named(event, "subteam_id")
    await memberships.group_members_changed(
        team, group, previous=previous, updated=updated, added=added, removed=removed
    )


def _counted(event: Event, field: str) -> list[str] | None:
    """The users of a field if all that are counted are named."""
    users = event.get(field)
    if not isinstance(users, list) or len(users) != event.get(f"{field}_count", len(users)):
        return None
    return [str(user) for user in users]


async def _app_removed(memberships: Memberships, team: str, event: Event) -> None:
    await memberships.app_removed(team)


async def _tokens_revoked(memberships: Memberships, team: str, event: Event) -> None:
    """Tokens of people are none of ours."""
    tokens = event.get("tokens")
    if not isinstance(tokens, Mapping) or tokens.get("bot"):
        await memberships.app_removed(team)


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
    "channel_unshared": _unshared,
    "channel_convert_to_private": _private,
    "channel_convert_to_public": _changed,
    "channel_deleted": _deleted,
    "group_deleted": _deleted,
    "channel_left": _bot_left,
    "group_left": _bot_left,
    "channel_id_changed": _moved,
    "subteam_created": _groups,
    "subteam_updated": _groups,
    "subteam_members_changed": _group_members,
    "app_uninstalled": _app_removed,
    "tokens_revoked": _tokens_revoked,
}
