"""usergroups.*: which user groups there are, and who is in them."""

from bot.sandbox.context import Context
from bot.sandbox.errors import SlackError
from bot.sandbox.model import Json
from bot.sandbox.tiers import TIER_2
from bot.sandbox.web_api import lookup
from bot.sandbox.web_api.arguments import Arguments
from bot.sandbox.web_api.method import Method


async def list_(context: Context, arguments: Arguments) -> Json:
    """All of them at once: Slack has no pages here."""
    lookup.need_own_team(context, arguments)
    users, disabled = arguments.flag("include_users"), arguments.flag("include_disabled")
    groups = [one for one in context.workspace.groups.values() if disabled or not one.is_disabled]
    return {"usergroups": [context.shapes.group(one, users=users) for one in groups]}


async def users_list(context: Context, arguments: Arguments) -> Json:
    lookup.need_own_team(context, arguments)
    found = context.workspace.groups.get(arguments.required("usergroup"))
    if found is None or (found.is_disabled and not arguments.flag("include_disabled")):
        raise SlackError("no_such_subteam")
    return {"users": list(found.members)}


METHODS = {
    "usergroups.list": Method(run=list_, scopes=("usergroups:read",), per_minute=TIER_2),
    "usergroups.users.list": Method(run=users_list, scopes=("usergroups:read",), per_minute=TIER_2),
}
