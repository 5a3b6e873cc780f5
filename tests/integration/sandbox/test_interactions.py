"""Buttons, modals and response_url, with the real bolt answering."""

import asyncio
from typing import Any

import aiohttp
import pytest
from slack_bolt.async_app import AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from bot.sandbox.server import Sandbox
from tests.integration.sandbox.conftest import PATIENCE, HandClock, channel_id
from tests.integration.sandbox.test_limits import refusal
from tests.sandbox_fixtures import Person, Refused

Json = dict[str, Any]

OPEN = {"type": "button", "text": {"type": "plain_text", "text": "Open"}, "action_id": "open", "value": "E7"}
BLOCKS = [{"type": "actions", "elements": [OPEN]}]
MODAL = {
    "type": "modal",
    "title": {"type": "plain_text", "text": "Source"},
    "submit": {"type": "plain_text", "text": "Send"},
    "notify_on_close": True,
    "callback_id": "source",
    "blocks": [
        {"type": "section", "text": {"type": "mrkdwn", "text": "a passage"}},
        {
            "type": "input",
            "block_id": "words",
            "label": {"type": "plain_text", "text": "Words"},
            "element": {"type": "plain_text_input", "action_id": "text"},
        },
    ],
}


class Pressed:
    """What the app was told of a click, by the real bolt."""

    def __init__(self, app: AsyncApp, action_id: str = "open") -> None:
        self.bodies: asyncio.Queue[Json] = asyncio.Queue()

        @app.action(action_id)
        async def take(ack: Any, body: Json) -> None:
            await ack()
            await self.bodies.put(body)

    async def next(self) -> Json:
        return await asyncio.wait_for(self.bodies.get(), PATIENCE)


async def shown(app: AsyncApp, office: Sandbox, mei: Person, **content: object) -> Json:
    """A message of the bot in #sales, as mei sees it."""
    await app.client.chat_postMessage(channel=channel_id(office, "sales"), text="t", **content)  # type: ignore[arg-type]
    return (await mei.messages("sales"))[-1]


async def modal(app: AsyncApp, office: Sandbox, mei: Person) -> Json:
    """The modal that a click of mei's opens."""
    pressed = Pressed(app)
    await mei.click("sales", await shown(app, office, mei, blocks=BLOCKS), "open")
    body = await pressed.next()
    return dict((await app.client.views_open(trigger_id=body["trigger_id"], view=MODAL))["view"])


async def test_a_button_of_a_message(office: Sandbox, app: AsyncApp, mei: Person) -> None:
    """Slack's block_actions: who, where, which message, the action with its value, a trigger and a response_url."""
    pressed = Pressed(app)
    message = await shown(app, office, mei, blocks=BLOCKS)
    await mei.click("sales", message, "open")
    body = await pressed.next()
    assert body["user"]["id"] == mei.id
    assert body["container"]["message_ts"] == body["message"]["ts"] == message["ts"]
    assert body["container"]["type"] == "message"
    assert (body["actions"][0]["action_id"], body["actions"][0]["value"]) == ("open", "E7")


async def test_a_button_of_an_attachment(office: Sandbox, app: AsyncApp, mei: Person) -> None:
    """design.md §7: citations are attachments with a button; Slack says which attachment it stood in."""
    pressed = Pressed(app)
    message = await shown(app, office, mei, attachments=[{"text": "one"}, {"blocks": BLOCKS}])
    await mei.click("sales", message, "open")
    container = (await pressed.next())["container"]
    assert (container["type"], container["attachment_id"]) == ("message_attachment", 2)


async def test_a_button_that_is_gone(office: Sandbox, app: AsyncApp, mei: Person) -> None:
    """The control API: a click names block and action; one that is not there is refused in words."""
    message = await shown(app, office, mei, blocks=BLOCKS)
    await app.client.chat_update(channel=channel_id(office, "sales"), ts=message["ts"], text="no buttons")
    with pytest.raises(Refused, match="does not exist any more"):
        await mei.click("sales", message, "open")


async def test_a_modal_opens_and_changes(office: Sandbox, app: AsyncApp, mei: Person) -> None:
    """Slack's views.open and views.update: an id and a hash; an old hash is `hash_conflict`."""
    view = await modal(app, office, mei)
    updated = {**MODAL, "title": {"type": "plain_text", "text": "Refused"}}
    changed = (await app.client.views_update(view_id=view["id"], hash=view["hash"], view=updated))["view"]
    assert changed["title"]["text"] == "Refused"
    conflict = app.client.views_update(view_id=view["id"], hash=view["hash"], view=MODAL)
    assert (await refusal(conflict))["error"] == "hash_conflict"


async def test_a_modal_is_sent(office: Sandbox, app: AsyncApp, mei: Person) -> None:
    """Slack's view_submission: the values by block and action; the app may answer with errors or by closing."""
    values: list[Json] = []

    @app.view("source")
    async def take(ack: Any, view: Json) -> None:
        values.append(view["state"]["values"])
        if len(values) == 1:
            await ack(response_action="errors", errors={"words": "too short"})
        else:
            await ack()

    view = await modal(app, office, mei)
    refused = await mei.act("submit", view_id=view["id"], values={"words": {"text": "a"}})
    assert refused["errors"] == {"words": "too short"}
    await mei.act("submit", view_id=view["id"], values={"words": {"text": "a longer one"}})
    assert values[1] == {"words": {"text": {"type": "plain_text_input", "value": "a longer one"}}}
    with pytest.raises(Refused, match="view_not_found"):
        await mei.act("close_view", view_id=view["id"])


async def test_a_modal_is_closed(office: Sandbox, app: AsyncApp, mei: Person, tom: Person) -> None:
    """Slack's view_closed comes when `notify_on_close` was set; nobody closes another's modal."""
    closed: asyncio.Queue[Json] = asyncio.Queue()

    @app.view_closed("source")
    async def take(ack: Any, body: Json) -> None:
        await ack()
        await closed.put(body)

    view = await modal(app, office, mei)
    with pytest.raises(Refused, match="view_not_found"):
        await tom.act("close_view", view_id=view["id"])
    await mei.act("close_view", view_id=view["id"])
    assert (await asyncio.wait_for(closed.get(), PATIENCE))["view"]["id"] == view["id"]


async def test_a_trigger_lasts_three_seconds(timed: tuple[Sandbox, HandClock]) -> None:
    """Slack's views.open: expired_trigger_id after 3 s; a trigger opens one modal."""
    office, hand = timed
    web = AsyncWebClient(token=office.bot_token, base_url=office.api_url)
    triggers = office.context.interactions._triggers
    mei = Person(office, "mei").id
    used, late = triggers.issue(mei), triggers.issue(mei)
    await hand.advance(3)
    await web.views_open(trigger_id=used, view=MODAL)
    assert (await refusal(web.views_open(trigger_id=used, view=MODAL)))["error"] == "exchanged_trigger_id"
    await hand.advance(0.001)
    assert (await refusal(web.views_open(trigger_id=late, view=MODAL)))["error"] == "expired_trigger_id"
    assert (await refusal(web.views_open(trigger_id="1.2.a", view=MODAL)))["error"] == "invalid_trigger_id"


@pytest.mark.parametrize(
    "change",
    [
        {"title": {"type": "plain_text", "text": "x" * 25}},
        {"type": "home"},
        {"submit": None},
        {"private_metadata": "x" * 3_001},
    ],
    ids=["title", "type", "input without submit", "metadata"],
)
async def test_a_malformed_modal(office: Sandbox, web: AsyncWebClient, mei: Person, change: Json) -> None:
    """Slack's Block Kit reference for modals: title ≤ 24, a submit button with inputs, metadata ≤ 3,000."""
    trigger = office.context.interactions._triggers.issue(mei.id)
    assert (await refusal(web.views_open(trigger_id=trigger, view={**MODAL, **change})))["error"] == "invalid_arguments"


async def test_a_response_url_speaks_and_replaces(office: Sandbox, app: AsyncApp, mei: Person, tom: Person) -> None:
    """Slack's response_url: ephemeral by default, in_channel on demand, replaces or deletes the original; five uses."""
    pressed = Pressed(app)
    message = await shown(app, office, mei, blocks=BLOCKS)
    await mei.click("sales", message, "open")
    url = (await pressed.next())["response_url"]
    async with aiohttp.ClientSession() as session:

        async def respond(**body: object) -> int:
            async with session.post(url, json=body) as response:
                return response.status

        assert await respond(text="only for you") == 200
        assert await respond(text="for all", response_type="in_channel") == 200
        assert await respond(text="another text", replace_original=True) == 200
        assert [one["text"] for one in await tom.messages("sales")] == ["another text", "for all"]
        assert [one["text"] for one in await mei.messages("sales")] == ["another text", "for all", "only for you"]
        assert await respond(delete_original=True) == 200
        assert [one["text"] for one in await tom.messages("sales")] == ["for all"]
        assert await respond(text="a fifth time") == 200
        assert await respond(text="a sixth time") == 404


async def test_an_ephemeral_message_has_buttons_for_its_reader(
    office: Sandbox, app: AsyncApp, mei: Person, tom: Person
) -> None:
    """ingredients.md, Traps: ephemeral messages can't be edited; their response_url can delete them."""
    pressed = Pressed(app)
    await app.client.chat_postEphemeral(channel=channel_id(office, "sales"), user=mei.id, text="psst", blocks=BLOCKS)
    (message,) = await mei.messages("sales")
    with pytest.raises(Refused, match="message_not_found"):
        await tom.click("sales", message, "open")
    await mei.click("sales", message, "open")
    body = await pressed.next()
    assert body["container"]["is_ephemeral"] is True
    async with aiohttp.ClientSession() as session:
        await session.post(body["response_url"], json={"delete_original": True})
    assert await mei.messages("sales") == []


async def test_reactions(office: Sandbox, web: AsyncWebClient, mei: Person) -> None:
    """Slack's reactions.add and .remove: `already_reacted`, `no_reaction`, `message_not_found`."""
    sales = channel_id(office, "sales")
    ts = await mei.post("sales", "a file")
    await web.reactions_add(channel=sales, timestamp=ts, name="eyes")
    again = web.reactions_add(channel=sales, timestamp=ts, name="eyes")
    assert (await refusal(again))["error"] == "already_reacted"
    bot = office.context.workspace.app.user
    assert (await mei.messages("sales"))[0]["reactions"] == [{"name": "eyes", "users": [bot], "count": 1}]
    await web.reactions_remove(channel=sales, timestamp=ts, name="eyes")
    assert (await mei.messages("sales"))[0]["reactions"] == []
    gone = web.reactions_remove(channel=sales, timestamp=ts, name="eyes")
    assert (await refusal(gone))["error"] == "no_reaction"


async def test_a_status_in_a_thread(office: Sandbox, web: AsyncWebClient, mei: Person) -> None:
    """slack.md, Versions: `assistant.threads.setStatus` needs `chat:write`, ≤ 10 loading messages."""
    sales = channel_id(office, "sales")
    ts = await mei.post("sales", "a question")
    await web.assistant_threads_setStatus(channel_id=sales, thread_ts=ts, status="searching")
    too_many = web.assistant_threads_setStatus(
        channel_id=sales, thread_ts=ts, status="searching", loading_messages=["x"] * 11
    )
    assert (await refusal(too_many))["error"] == "invalid_arguments"


async def test_buttons_of_attachments_are_told_apart(office: Sandbox, app: AsyncApp, mei: Person) -> None:
    """Slack gives each block an id of its own: the same button in two attachments is two buttons."""
    pressed = Pressed(app)
    other = [{"type": "actions", "elements": [{**OPEN, "value": "E8"}]}]
    message = await shown(app, office, mei, attachments=[{"blocks": BLOCKS}, {"blocks": other}])
    await mei.click("sales", message, "open", value="E8")
    body = await pressed.next()
    assert body["actions"][0]["value"] == "E8"
    assert body["container"]["attachment_id"] == 2
