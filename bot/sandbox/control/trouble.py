"""For tests alone: trouble on demand, and the calls that the app has made."""

from bot.sandbox.context import Context
from bot.sandbox.delivery import Redelivery
from bot.sandbox.model import Json


async def faults(context: Context, values: Json) -> Json:
    """Any of: a method fault, `redeliver`, `drop_socket`, `refresh_socket`, `revoke_scope`, `grant_scope`."""
    if "method" in values:
        context.faults.ask(values)
    if redeliver := values.get("redeliver"):
        fresh = bool(redeliver.get("fresh_event_id"))
        context.delivery.redeliveries.append(
            Redelivery(type=redeliver["type"], times=redeliver.get("times", 1), fresh_event_id=fresh)
        )
    if values.get("drop_socket"):
        await context.socket_mode.drop()
    if values.get("refresh_socket"):
        await context.socket_mode.refresh()
    if scope := values.get("revoke_scope"):
        context.faults.scopes.discard(scope)
    if scope := values.get("grant_scope"):
        context.faults.scopes.add(scope)
    return {}


async def calls(context: Context, _: Json) -> Json:
    return {"calls": context.calls}


ACTS = {("POST", "faults"): faults, ("GET", "calls"): calls}
