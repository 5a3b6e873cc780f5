"""The app's Home tab, its entries in the menu of a message, and questions before a button acts."""

import asyncio
from typing import Any

import pytest
from slack_bolt.async_app import AsyncApp

from bot.sandbox.server import Sandbox
from tests.integration.sandbox.conftest import PATIENCE, Ears, channel_id
from tests.integration.sandbox.test_interactions import BLOCKS, Pressed, shown
from tests.integration.sandbox.test_limits import refusal
from tests.sandbox_fixtures import Person, Refused

HOME = {"type": "home", "blocks": BLOCKS}


async def test_a_visit_is_told_and_what_is_published_is_shown_to_that_person_alone(
    office: Sandbox, app: AsyncApp, ears: Ears, mei: Person
) -> None:
    """Slack's app_home_opened carries the view that is there; views.publish replaces it."""
    assert (await mei.act("home"))["view"] is None
    event = await ears.wait("app_home_opened", user=mei.id, tab="home")
    assert "view" not in event
    published = (await app.client.views_publish(user_id=mei.id, view=HOME))["view"]
    assert (await mei.act("home"))["view"] == published
    again = await ears.wait("app_home_opened", count=2, user=mei.id)
    assert again["view"]["id"] == published["id"]
    assert (await Person(office, "tom").act("home"))["view"] is None


async def test_a_button_of_the_home_tab(office: Sandbox, app: AsyncApp, mei: Person) -> None:
    pressed = Pressed(app)
    view = (await app.client.views_publish(user_id=mei.id, view=HOME))["view"]
    block = view["blocks"][0]["block_id"]
    await mei.act("click", view_id=view["id"], block_id=block, action_id="open")
    body = await pressed.next()
    assert (body["view"]["type"], body["container"]) == ("home", {"type": "view", "view_id": view["id"]})
    with pytest.raises(Refused, match="view_not_found"):
        await Person(office, "tom").act("click", view_id=view["id"], block_id=block, action_id="open")


async def test_only_a_home_view_is_published_and_only_a_modal_opened(app: AsyncApp, mei: Person) -> None:
    modal = {"type": "modal", "title": {"type": "plain_text", "text": "x"}, "blocks": []}
    assert (await refusal(app.client.views_publish(user_id=mei.id, view=modal)))["error"] == "invalid_arguments"
    assert (await refusal(app.client.views_publish(user_id="U0NOBODY", view=HOME)))["error"] == "user_not_found"


async def test_an_entry_in_the_menu_of_a_message(office: Sandbox, app: AsyncApp, mei: Person) -> None:
    """Slack's message_action: who, where, the message whole, and a trigger."""
    bodies: asyncio.Queue[dict[str, Any]] = asyncio.Queue()

    @app.shortcut("who_can_see_message")
    async def take(ack: Any, body: dict[str, Any]) -> None:
        await ack()
        await bodies.put(body)

    ts = await mei.post("sales", "look at this")
    sales = channel_id(office, "sales")
    await mei.act("shortcut", conversation=sales, message_ts=ts, callback_id="who_can_see_message")
    body = await asyncio.wait_for(bodies.get(), PATIENCE)
    assert (body["type"], body["user"]["id"], body["channel"]["id"]) == ("message_action", mei.id, sales)
    assert body["message"]["text"] == "look at this"
    assert body["trigger_id"]


@pytest.mark.parametrize("wrong", [{"text": {"type": "plain_text", "text": "x" * 301}}, {"deny": None}])
async def test_a_question_before_a_button_acts_is_within_slacks_limits(
    office: Sandbox, app: AsyncApp, mei: Person, wrong: dict[str, Any]
) -> None:
    words = {"type": "plain_text", "text": "sure?"}
    confirm = {"title": words, "text": words, "confirm": words, "deny": words}

    def blocks(question: dict[str, Any]) -> list[dict[str, Any]]:
        return [{"type": "actions", "elements": [{**BLOCKS[0]["elements"][0], "confirm": question}]}]

    await shown(app, office, mei, blocks=blocks(confirm))
    post = app.client.chat_postMessage(
        channel=channel_id(office, "sales"), text="t", blocks=blocks({**confirm, **wrong})
    )
    assert (await refusal(post))["error"] == "invalid_blocks"
