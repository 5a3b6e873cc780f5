"""Who is in the workspace and in which conversations: joining, leaving, inviting, hiring, leaving the company."""

from dataclasses import replace

from bot.sandbox.context import Context
from bot.sandbox.control import who
from bot.sandbox.errors import SlackError
from bot.sandbox.model import Json


async def join(context: Context, values: Json) -> Json:
    """Only what a person sees can be joined: a private channel takes an invitation."""
    member = who.actor(context, values)
    context.rooms.join(who.seen_conversation(context, values, member), member)
    return {}


async def leave(context: Context, values: Json) -> Json:
    member = who.actor(context, values)
    context.rooms.leave(who.own_conversation(context, values, member), member)
    return {}


async def invite(context: Context, values: Json) -> Json:
    inviter = who.actor(context, values)
    guest = who.person(context, values, "user")
    context.rooms.join(who.own_conversation(context, values, inviter), guest, inviter=inviter)
    return {}


async def kick(context: Context, values: Json) -> Json:
    conversation = who.own_conversation(context, values, who.actor(context, values))
    context.rooms.leave(conversation, who.person(context, values, "user"))
    return {}


async def create(context: Context, values: Json) -> Json:
    creator = who.actor(context, values)
    kind = values.get("kind")
    if kind not in ("public", "private", "dm", "group_dm"):
        raise SlackError("invalid_kind", "A conversation is public, private, dm or group_dm.")
    members = tuple(who.person(context, {"as": one}).id for one in values.get("members") or ())
    conversation = context.rooms.create(kind, by=creator, name=values.get("name") or "", members=members)
    return {"conversation": context.shapes.page_conversation(conversation, creator)}


async def rename(context: Context, values: Json) -> Json:
    conversation = who.own_conversation(context, values, who.actor(context, values))
    context.rooms.rename(conversation, who.required(values, "name"))
    return {}


async def archive(context: Context, values: Json) -> Json:
    member = who.actor(context, values)
    context.rooms.archive(who.own_conversation(context, values, member), by=member)
    return {}


async def make_private(context: Context, values: Json) -> Json:
    member = who.actor(context, values)
    context.rooms.make_private(who.own_conversation(context, values, member), by=member)
    return {}


async def hire(context: Context, values: Json) -> Json:
    """A new person in the workspace, or from another team (`is_stranger`)."""
    name = who.required(values, "name")
    if context.workspace.find_person(name):
        raise SlackError("name_taken", f"There is somebody named {name} already.")
    person = context.workspace.add_person(
        name,
        real_name=values.get("real_name") or name,
        team=values.get("home_team"),
        is_guest=bool(values.get("is_guest")),
        is_single_channel=bool(values.get("is_single_channel")),
        is_stranger=bool(values.get("is_stranger")),
        is_admin=bool(values.get("is_admin")),
        locale=values.get("locale") or "en-US",
    )
    context.events.person("team_join", person)
    return {"user": context.shapes.page_person(person)}


async def deactivate(context: Context, values: Json) -> Json:
    person = context.workspace.save_person(replace(who.person(context, values, "user"), deleted=True))
    context.events.person("user_change", person)
    return {}


async def change_person(context: Context, values: Json) -> Json:
    """Turn somebody into a guest, a member, a stranger, an administrator, or back.

    `deleted` false brings a deactivated person back.
    """
    person = who.person(context, values, "user")
    flags = ("is_guest", "is_single_channel", "is_stranger", "is_admin", "deleted")
    changes: Json = {flag: bool(values[flag]) for flag in flags if flag in values}
    if "home_team" in values:
        changes["team"] = who.required(values, "home_team")
    person = context.workspace.save_person(replace(person, **changes))
    context.events.person("user_change", person)
    return {"user": context.shapes.page_person(person)}


ACTS = {
    ("POST", "join"): join,
    ("POST", "leave"): leave,
    ("POST", "invite"): invite,
    ("POST", "kick"): kick,
    ("POST", "create"): create,
    ("POST", "rename"): rename,
    ("POST", "archive"): archive,
    ("POST", "make_private"): make_private,
    ("POST", "person"): hire,
    ("POST", "deactivate"): deactivate,
    ("POST", "change_person"): change_person,
}
