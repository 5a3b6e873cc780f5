"""What the app was installed with: the scopes it has and the events it is told of, as its manifest asks for them."""

import json
from dataclasses import dataclass
from importlib import resources

from bot.sandbox.model import Json

# The subscription that lets a message event through, by its `channel_type`.
MESSAGE_EVENTS = {
    "channel": "message.channels",
    "group": "message.groups",
    "im": "message.im",
    "mpim": "message.mpim",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """Scopes of the bot token, names of the events that the app subscribes to, and its entries in menus."""

    scopes: frozenset[str]
    events: frozenset[str]
    shortcuts: tuple[Json, ...] = ()

    def tells(self, event: Json) -> bool:
        """Whether the app subscribes to events like this one."""
        if event["type"] == "message":
            return MESSAGE_EVENTS[event["channel_type"]] in self.events
        return event["type"] in self.events


def installed() -> Manifest:
    """The manifest that comes with the bot (`haitang manifest`): the sandbox grants what a workspace would."""
    written = json.loads((resources.files("bot") / "manifest.json").read_text("utf-8"))
    return Manifest(
        scopes=frozenset(written["oauth_config"]["scopes"]["bot"]),
        events=frozenset(written["settings"]["event_subscriptions"]["bot_events"]),
        shortcuts=tuple(written["features"].get("shortcuts", ())),
    )
