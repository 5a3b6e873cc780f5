"""App Home, “Who can see this?” and “Forget this file”, through the real bolt app and SDK."""

from __future__ import annotations

import json
from typing import Any

from handlers.model import UploadStage, UploadStatus
from handlers.upload_reply import upload_message
from permissions.audit import Action
from tests.integration.slack.conftest import Bot


async def view_of(bot: Bot, method: str, count: int = 1) -> dict[str, Any]:
    """The view of the ``count``-th call of a method."""
    while len(calls := await bot.calls(method)) < count:
        pass
    return dict(calls[count - 1]["args"]["view"])


def read(view: dict[str, Any]) -> str:
    return json.dumps(view, ensure_ascii=False)


async def button_of(bot: Bot, count: int, action: str) -> dict[str, str]:
    view = await view_of(bot, "views.publish", count)
    block = next(
        block for block in view["blocks"] for one in block.get("elements", ()) if one.get("action_id") == action
    )
    return {"block_id": block["block_id"], "action_id": action}


async def home_id(bot: Bot) -> str:
    (shown,) = bot.sandbox.context.interactions._homes.values()
    return str(shown.view["id"])


async def test_the_home_tab_is_drawn_when_it_is_opened(bot: Bot) -> None:
    await bot.person("mei").act("home")
    view = await view_of(bot, "views.publish")
    assert "policy.pdf" in read(view)
    assert "You are a contributor" in read(view)


async def test_pages_are_turned_and_what_was_forgotten_is_gone_from_the_tab(bot: Bot) -> None:
    mei = bot.person("mei")
    await mei.act("home")
    turn = await button_of(bot, 1, "home_page:on")
    await mei.act("click", view_id=await home_id(bot), **turn)
    assert "home_page:back" in read(await view_of(bot, "views.publish", 2))
    forget = await button_of(bot, 2, "forget_file")
    await mei.act("click", view_id=await home_id(bot), **forget)
    assert "policy.pdf" not in read(await view_of(bot, "views.publish", 3))
    assert bot.library.forgotten == [(mei.id, "d1")]
    clicks = [entry.details for entry in bot.trail.entries if entry.action is Action.CLICK]
    assert clicks == [{"what": "home_page:on", "value": "1"}, {"what": "forget_file", "value": "d1"}]


async def test_the_button_under_a_files_state_says_who_can_see_it(bot: Bot) -> None:
    mei, general = bot.person("mei"), bot.channel("general")
    status = UploadStatus(title="policy.pdf", stage=UploadStage.READY, document="d1")
    ts = await bot.messages.post(general, upload_message(status, "en"))
    (message,) = [one for one in await mei.messages(general) if one["ts"] == ts]
    await mei.click(general, message, "who_can_see")
    view = read(await view_of(bot, "views.update"))
    assert "every full member of this workspace (3 people)" in view
    assert "in other places that you can't see" in view


async def test_the_shortcut_on_a_message_speaks_of_its_files(bot: Bot) -> None:
    mei, general = bot.person("mei"), bot.channel("general")
    _, ts = await mei.upload(general, "policy.pdf", b"five years")
    await mei.act("shortcut", conversation=general, message_ts=ts, callback_id="who_can_see_message")
    assert "policy.pdf" in read(await view_of(bot, "views.update"))
    assert bot.trail.entries[-1].details == {"what": "who_can_see_message", "value": ts}
