"""auth.test, apps.connections.open and users.*: who we are, the socket's address, who there is."""

from bot.sandbox.context import Context
from bot.sandbox.errors import SlackError
from bot.sandbox.model import Json
from bot.sandbox.tiers import TIER_2, TIER_3, TIER_4
from bot.sandbox.web_api import lookup
from bot.sandbox.web_api.arguments import Arguments
from bot.sandbox.web_api.method import Method

# auth.test allows hundreds of calls a minute.
AUTH_PER_MINUTE = 600


async def auth_test(context: Context, _: Arguments) -> Json:
    app, bot = context.workspace.app, lookup.the_bot(context)
    # Of an installation in a whole organisation it names no workspace.
    team = {"url": f"{context.site}/", "team": app.team_name, "team_id": app.enterprise or app.team}
    whole = {"enterprise_id": app.enterprise, "is_enterprise_install": app.enterprise is not None}
    return {**team, "user": bot.name, "user_id": bot.id, "bot_id": app.bot_id, **whole}


async def connections_open(context: Context, _: Arguments) -> Json:
    address = context.site.replace("http://", "ws://", 1)
    return {"url": f"{address}/link?ticket={context.socket_mode.ticket()}&app_id={context.workspace.app.id}"}


async def info(context: Context, arguments: Arguments) -> Json:
    person = context.workspace.people.get(arguments.text("user"))
    if person is None:
        raise SlackError("user_not_found")
    return {"user": context.shapes.user(person)}


async def list_(context: Context, arguments: Arguments) -> Json:
    lookup.need_own_team(context, arguments)
    page, metadata = lookup.page(list(context.workspace.people.values()), arguments, cap=context.page_cap)
    return {"members": [context.shapes.user(person) for person in page], "response_metadata": metadata}


METHODS = {
    "auth.test": Method(run=auth_test, per_minute=AUTH_PER_MINUTE),
    "apps.connections.open": Method(run=connections_open, per_minute=TIER_3, app_token=True),
    "users.info": Method(run=info, scopes=("users:read",), per_minute=TIER_4),
    "users.list": Method(run=list_, scopes=("users:read",), per_minute=TIER_2),
}
