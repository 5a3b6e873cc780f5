"""For tests alone: trouble on demand, and the calls that the app has made."""

import random

from bot.sandbox.context import Context
from bot.sandbox.control import who
from bot.sandbox.delivery import NotAcknowledged, Redelivery
from bot.sandbox.errors import SlackError
from bot.sandbox.http_events import HttpEvents
from bot.sandbox.model import Json


async def faults(context: Context, values: Json) -> Json:
    """Any of: a method fault, `clear` (of those), `redeliver`, `foreign_event`, `drop_socket`, `refresh_socket`,
    `revoke_scope`, `grant_scope`; `lose` and `hold` all events but people's messages from now on, `let_go` of those
    held back in the order that this seed gives."""
    if values.get("clear"):
        context.faults.clear()
    if "method" in values:
        context.faults.ask({key: value for key, value in values.items() if key != "as"})
    if redeliver := values.get("redeliver"):
        fresh = bool(redeliver.get("fresh_event_id"))
        context.delivery.redeliveries.append(
            Redelivery(type=redeliver["type"], times=redeliver.get("times", 1), fresh_event_id=fresh)
        )
    if "lose" in values:
        context.delivery.is_losing = bool(values["lose"])
    if values.get("hold"):
        context.delivery.is_holding = True
    if "let_go" in values:
        context.delivery.let_go(random.Random(values["let_go"]).shuffle)  # noqa: S311 - a seed, no secret
    if foreign := values.get("foreign_event"):
        context.delivery.foreign(foreign["event"], team=foreign["team"])
    if values.get("drop_socket"):
        context.socket_mode.drop()
    if values.get("refresh_socket"):
        await context.socket_mode.refresh()
    if scope := values.get("revoke_scope"):
        context.faults.scopes.discard(scope)
    if scope := values.get("grant_scope"):
        context.faults.scopes.add(scope)
    return {}


async def calls(context: Context, _: Json) -> Json:
    return {"calls": context.calls, "leaked_tokens": context.leaked_tokens}


async def http_events(context: Context, values: Json) -> Json:
    """Send events to this address from now on, once the app there has answered Slack's challenge."""
    transport = HttpEvents(url=who.required(values, "url"), app=context.workspace.app, clock=context.clock)
    try:
        await transport.verify()
    except NotAcknowledged as error:
        raise SlackError("url_not_verified", f"The address did not answer the challenge: {error.reason}.") from error
    context.delivery.transport = transport
    return {}


ACTS = {("POST", "faults"): faults, ("POST", "http_events"): http_events, ("GET", "calls"): calls}
