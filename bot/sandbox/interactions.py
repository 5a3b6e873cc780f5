"""What people do with what the bot shows: buttons, modals, and the answers the bot gives to both."""

import secrets
from dataclasses import dataclass
from typing import Any

from bot.sandbox import rules
from bot.sandbox.clock import Clock
from bot.sandbox.delivery import Delivery, NotAcknowledged
from bot.sandbox.errors import SlackError
from bot.sandbox.events import Events
from bot.sandbox.model import Conversation, Json, Person
from bot.sandbox.shapes import Shapes
from bot.sandbox.state import Workspace
from bot.sandbox.tickets import Tickets

# How long the bot may use what an interaction gave it, in seconds.
TRIGGER_LASTS = 3.0
RESPONSE_URL_LASTS = 1_800.0
RESPONSE_URL_USES = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """Where a response_url leads: the conversation, the message clicked on, the person who clicked."""

    conversation: str
    ts: str
    person: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """An open modal and the person who sees it."""

    view: Json
    person: str


class Interactions:
    """Buttons and modals: tells the app, and does what it answers."""

    def __init__(
        self,
        *,
        workspace: Workspace,
        shapes: Shapes,
        events: Events,
        delivery: Delivery,
        clock: Clock,
        site: str,
    ) -> None:
        self._workspace = workspace
        self._shapes = shapes
        self._events = events
        self._delivery = delivery
        self._site = site
        self._triggers: Tickets[str] = Tickets(clock=clock, lasts=TRIGGER_LASTS, uses=1)
        self.replies: Tickets[Reply] = Tickets(clock=clock, lasts=RESPONSE_URL_LASTS, uses=RESPONSE_URL_USES)
        self._views: dict[str, Shown] = {}
        self._homes: dict[str, Shown] = {}

    # Buttons

    async def click(
        self, person: Person, conversation: Conversation, message: Json, *, block_id: str, action_id: str
    ) -> None:
        """Press a button of a message. Raises action_not_found, no_response."""
        container: Json = {"type": "message", "message_ts": message["ts"], "channel_id": conversation.id}
        container |= {"is_ephemeral": bool(message.get("ephemeral"))}
        element, attachment = _find_element(message, block_id, action_id)
        if attachment is not None:
            container |= {"type": "message_attachment", "attachment_id": attachment, "is_app_unfurl": False}
        if "thread_ts" in message:
            container["thread_ts"] = message["thread_ts"]
        reply = Reply(conversation=conversation.id, ts=message["ts"], person=person.id)
        payload = self._payload("block_actions", person) | {
            "container": container,
            "channel": {"id": conversation.id, "name": conversation.name or "directmessage"},
            "message": self._shapes.message(conversation, message),
            "response_url": f"{self._site}/actions/{self.replies.issue(reply)}",
            "state": {"values": {}},
            "actions": [self._action(element, block_id)],
        }
        await self._tell(payload)

    async def click_view(self, person: Person, view_id: str, *, block_id: str, action_id: str) -> None:
        """Press a button of a modal. Raises view_not_found, action_not_found, no_response."""
        view = self._view_of(person, view_id)
        element, _ = _find_element(view, block_id, action_id)
        container = {"type": "view", "view_id": view_id}
        payload = self._payload("block_actions", person) | {"container": container, "view": view}
        await self._tell(payload | {"actions": [self._action(element, block_id)]})

    # Modals

    def open(self, trigger_id: str, view: Json) -> Json:
        """views.open: show a modal to the person of a trigger. Raises expired_trigger_id, invalid_trigger_id …"""
        checked = rules.checked_view(view)
        person = self._triggers.redeem(trigger_id, name="trigger_id")
        view_id = f"V{secrets.token_hex(5).upper()}"
        shown = self._dressed(checked, view_id) | {"root_view_id": view_id, "previous_view_id": None}
        self._views[view_id] = Shown(view=shown, person=person)
        self._events.view("view_opened", shown, person)
        return shown

    def update(self, view_id: str, view: Json, *, expected_hash: str | None, external_id: str | None) -> Json:
        """views.update: put another view in the place of an open one. Raises not_found, hash_conflict …"""
        if external_id and not view_id:
            found = (key for key, one in self._views.items() if one.view.get("external_id") == external_id)
            view_id = next(found, "")
        shown = self._views.get(view_id)
        if shown is None:
            raise SlackError("not_found")
        if expected_hash and expected_hash != shown.view["hash"]:
            raise SlackError("hash_conflict")
        return self._replace(view_id, shown, rules.checked_view(view))

    async def submit(self, person: Person, view_id: str, values: Json) -> Json:
        """Press a modal's submit button; `errors` by block when the app refuses. Raises view_not_found, no_response."""
        view = self._view_of(person, view_id)
        filled = {**view, "state": {"values": _state(view, values)}}
        answer = await self._tell(self._payload("view_submission", person) | {"view": filled, "response_urls": []})
        match (answer or {}).get("response_action"):
            case "errors":
                return {"errors": (answer or {}).get("errors", {})}
            case "update":
                self._replace(view_id, self._views[view_id], rules.checked_view((answer or {})["view"]))
            case _:
                self._close(view_id)
        return {}

    async def close(self, person: Person, view_id: str) -> None:
        """Close a modal; the app hears of it if it asked to (`notify_on_close`). Raises view_not_found."""
        view = self._view_of(person, view_id)
        self._close(view_id)
        if view.get("notify_on_close"):
            await self._tell(self._payload("view_closed", person) | {"view": view, "is_cleared": False})

    # App Home

    def visit_home(self, person: Person) -> Json | None:
        """Open the bot's Home tab: what was published for the person last, and the app hears of the visit."""
        shown = self._homes.get(person.id)
        event: Json = {"type": "app_home_opened", "user": person.id, "tab": "home"}
        self._events.home_opened(event | ({"view": shown.view} if shown else {}))
        return shown.view if shown else None

    def publish(self, person: Person, view: Json) -> Json:
        """views.publish: what this person's Home tab shows from now on."""
        checked = rules.checked_view(view, kind="home")
        before = self._homes.get(person.id)
        view_id = before.view["id"] if before else f"V{secrets.token_hex(5).upper()}"
        shown = self._dressed(checked, view_id)
        self._homes[person.id] = self._views[view_id] = Shown(view=shown, person=person.id)
        self._events.view("home_published", shown, person.id)
        return shown

    async def use_shortcut(self, person: Person, conversation: Conversation, message: Json, callback_id: str) -> None:
        """Choose one of the app's entries in a message's menu. Raises no_response."""
        payload = self._payload("message_action", person) | {
            "callback_id": callback_id,
            "channel": {"id": conversation.id, "name": conversation.name or "directmessage"},
            "message": self._shapes.message(conversation, message),
            "message_ts": message["ts"],
            "response_url": "",
        }
        await self._tell(payload)

    def _view_of(self, person: Person, view_id: str) -> Json:
        shown = self._views.get(view_id)
        if shown is None or shown.person != person.id:
            raise SlackError("view_not_found", "This window is closed.")
        return shown.view

    def _replace(self, view_id: str, shown: Shown, view: Json) -> Json:
        kept = {key: shown.view[key] for key in ("root_view_id", "previous_view_id")}
        updated = self._dressed(view, view_id) | kept
        self._views[view_id] = Shown(view=updated, person=shown.person)
        self._events.view("view_updated", updated, shown.person)
        return updated

    def _close(self, view_id: str) -> None:
        shown = self._views.pop(view_id, None)
        if shown is not None:
            self._events.view("view_closed", shown.view, shown.person)

    def _dressed(self, view: Json, view_id: str) -> Json:
        app = self._workspace.app
        defaults: Json = {"private_metadata": "", "callback_id": "", "external_id": "", "close": None, "submit": None}
        defaults |= {"clear_on_close": False, "notify_on_close": False}
        own = {"id": view_id, "team_id": app.team, "app_id": app.id, "bot_id": app.bot_id}
        fresh = {"hash": secrets.token_hex(8), "state": {"values": {}}}
        return {**defaults, **view, **own, **fresh}

    # The app

    def _payload(self, kind: str, person: Person) -> Json:
        app = self._workspace.app
        user = {"id": person.id, "username": person.name, "name": person.name, "team_id": person.team}
        return {
            "type": kind,
            "team": {"id": app.team, "domain": "haitang"},
            "enterprise": None,
            "is_enterprise_install": False,
            "user": user,
            "api_app_id": app.id,
            "token": "",
            "trigger_id": self._triggers.issue(person.id),
        }

    def _action(self, element: Json, block_id: str) -> Json:
        return {**element, "block_id": block_id, "action_ts": self._workspace.new_ts()}

    async def _tell(self, payload: Json) -> Json | None:
        try:
            return await self._delivery.interact(payload)
        except NotAcknowledged as error:
            raise SlackError("no_response", "The app did not answer in time. Try again.") from error


def _find_element(holder: Json, block_id: str, action_id: str) -> tuple[Json, int | None]:
    """The element of a message or view, and the attachment it stands in. Raises action_not_found."""
    places: list[tuple[list[Json], int | None]] = [(holder.get("blocks") or [], None)]
    places += [(one.get("blocks") or [], one["id"]) for one in holder.get("attachments") or ()]
    for blocks, attachment in places:
        for block in blocks:
            elements = [*block.get("elements", ()), *filter(None, [block.get("accessory")])]
            for element in elements:
                if block.get("block_id") == block_id and element.get("action_id") == action_id:
                    return element, attachment
    raise SlackError("action_not_found", "This button does not exist any more.")


def _state(view: Json, values: Json) -> Json:
    """What stands in a view's inputs, in Slack's form: by block, by action, the type and the value."""
    state: Json = {}
    for block in view["blocks"]:
        if block["type"] == "input":
            element: dict[str, Any] = block["element"]
            given = (values.get(block["block_id"]) or {}).get(element["action_id"])
            state[block["block_id"]] = {element["action_id"]: {"type": element["type"], "value": given or None}}
    return state
