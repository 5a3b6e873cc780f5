"""Threads are read from their root to their newest message, page by page."""

from __future__ import annotations

from bot.sandbox.server import Sandbox
from handlers.adapters.history import SlackHistory
from handlers.adapters.slack import web_client
from tests.sandbox_fixtures import Person, populate


async def test_a_thread_is_read_across_pages_from_its_root() -> None:
    """conversations.replies gives pages with a cursor; the sandbox's hold three messages here."""
    async with Sandbox(page_cap=3) as sandbox:
        populate(sandbox)
        mei = Person(sandbox, "mei")
        channel = sandbox.context.workspace.find_channel("general")
        assert channel is not None
        root = await mei.post(channel.id, "root")
        for number in range(7):
            await mei.post(channel.id, f"reply {number}", thread_ts=root)
        history = SlackHistory(client=web_client(token=sandbox.bot_token, base_url=sandbox.api_url))
        messages = await history.messages(sandbox.context.workspace.app.team, channel.id, root)
    assert [message[:2] for message in messages] == [(False, "root"), *((False, f"reply {at}") for at in range(7))]
    assert messages[0][2] == root
