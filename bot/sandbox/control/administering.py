"""What administrators of a workspace do: share and convert channels, keep user groups, remove the app."""

from dataclasses import replace

from bot.sandbox.context import Context
from bot.sandbox.control import who
from bot.sandbox.errors import SlackError
from bot.sandbox.model import Conversation, Json, Person, UserGroup


def _channel(context: Context, values: Json) -> tuple[Conversation, Person]:
    """A channel that the administrator sees, joined or not, archived or not. Raises channel_not_found."""
    by = who.actor(context, values)
    found = who.seen_conversation(context, values, by)
    if not found.is_channel:
        raise SlackError("channel_not_found", "This is a direct message and no channel.")
    return found, by


async def share(context: Context, values: Json) -> Json:
    """Share a channel with `team`: at once, `pending` until it is shared again, or `in_org`."""
    channel, _ = _channel(context, values)
    pending, in_org = bool(values.get("pending")), bool(values.get("in_org"))
    context.rooms.share(channel, who.required(values, "team"), is_pending=pending, in_org=in_org)
    return {}


async def unshare(context: Context, values: Json) -> Json:
    channel, _ = _channel(context, values)
    context.rooms.unshare(channel, who.required(values, "team"))
    return {}


async def make_public(context: Context, values: Json) -> Json:
    channel, by = _channel(context, values)
    context.rooms.make_public(channel, by=by)
    return {}


async def change_id(context: Context, values: Json) -> Json:
    channel, by = _channel(context, values)
    return {"conversation": context.shapes.page_conversation(context.rooms.change_id(channel), by)}


async def unarchive(context: Context, values: Json) -> Json:
    channel, by = _channel(context, values)
    context.rooms.unarchive(channel, by=by)
    return {}


async def delete_channel(context: Context, values: Json) -> Json:
    channel, by = _channel(context, values)
    context.rooms.delete(channel, by=by)
    return {}


async def create_group(context: Context, values: Json) -> Json:
    by, handle = who.actor(context, values), who.required(values, "handle")
    if context.workspace.find_group(handle):
        raise SlackError("handle_already_exists", f"There is a user group @{handle} already.")
    members = tuple(who.person(context, {"as": one}).id for one in values.get("members") or ())
    group = context.workspace.add_group(handle, name=values.get("name") or handle, members=members, by=by.id)
    context.events.group("subteam_created", group)
    return {"group": context.shapes.group(group, users=True)}


async def change_group(context: Context, values: Json) -> Json:
    """Change who is in a user group, `add` and `remove`; told as a delta."""
    group = _group(context, values)
    add, remove = ([who.person(context, {"as": one}).id for one in values.get(key) or ()] for key in ("add", "remove"))
    members = tuple(one for one in dict.fromkeys((*group.members, *add)) if one not in remove)
    changed = context.workspace.save_group(replace(group, members=members, updated=_next_update(context, group)))
    context.events.group_members(group, changed)
    return {"group": context.shapes.group(changed, users=True)}


async def disable_group(context: Context, values: Json) -> Json:
    """Disable a user group, or enable it again (`enable`)."""
    group = _group(context, values)
    is_disabled = not values.get("enable")
    changed = replace(group, is_disabled=is_disabled, updated=_next_update(context, group))
    context.events.group("subteam_updated", context.workspace.save_group(changed))
    return {}


async def list_groups(context: Context, values: Json) -> Json:
    who.actor(context, values)
    return {"groups": [context.shapes.group(one, users=True) for one in context.workspace.groups.values()]}


async def uninstall(context: Context, values: Json) -> Json:
    """Take the app out of the workspace: its token is refused from now on, and it hears of nothing any more."""
    return await _refuse(context, values, "account_inactive")


async def revoke_tokens(context: Context, values: Json) -> Json:
    return await _refuse(context, values, "token_revoked")


async def reinstall(context: Context, values: Json) -> Json:
    """Install the app again, with the token that it had: the conversations it was in still hold it."""
    who.actor(context, values)
    context.workspace.save_app(replace(context.workspace.app, refusal=None))
    context.events.app_back()
    return {}


async def _refuse(context: Context, values: Json, refusal: str) -> Json:
    who.actor(context, values)
    context.workspace.save_app(replace(context.workspace.app, refusal=refusal))
    context.events.app_gone()
    return {}


def _group(context: Context, values: Json) -> UserGroup:
    found = context.workspace.find_group(who.required(values, "group"))
    if found is None:
        raise SlackError("group_not_found", "There is no such user group.")
    return found


def _next_update(context: Context, group: UserGroup) -> int:
    # Seconds, and never the same twice: what gaps are told by.
    return max(int(context.clock.timestamp()), group.updated + 1)


ACTS = {
    ("POST", "share_channel"): share,
    ("POST", "unshare_channel"): unshare,
    ("POST", "make_public"): make_public,
    ("POST", "change_channel_id"): change_id,
    ("POST", "unarchive"): unarchive,
    ("POST", "delete_channel"): delete_channel,
    ("POST", "create_group"): create_group,
    ("POST", "change_group"): change_group,
    ("POST", "disable_group"): disable_group,
    ("GET", "groups"): list_groups,
    ("POST", "uninstall"): uninstall,
    ("POST", "revoke_tokens"): revoke_tokens,
    ("POST", "reinstall"): reinstall,
}
