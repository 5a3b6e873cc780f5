"""The messages of a thread, from its root to its newest."""

from __future__ import annotations

from functools import partial
from typing import Any

from slack_sdk.web.async_client import AsyncWebClient

from handlers.adapters.slack import patient_call

PAGE = 200
MOST_PAGES = 5
"""A thread of more than a thousand messages is read to there: what a follow-up refers to seldom stands further back."""


class SlackHistory:
    """Reads threads."""

    def __init__(self, *, client: AsyncWebClient) -> None:
        self._client = client

    async def messages(self, team: str, conversation: str, thread_ts: str) -> list[tuple[bool, str, str]]:
        """Whether a bot wrote it, its text, and its ts, oldest first. Raises SlackError.

        ``thread_ts`` must be the root's: asked for a reply's, Slack gives that one message alone (slack.md).
        """
        _ = team  # conversations.replies is asked of the token's workspace
        found: list[dict[str, Any]] = []
        cursor = ""
        for _page in range(MOST_PAGES):
            replies = partial(self._client.conversations_replies, channel=conversation, ts=thread_ts, limit=PAGE)
            data = await patient_call("conversations.replies", partial(replies, cursor=cursor) if cursor else replies)
            found += data.get("messages") or ()
            cursor = (data.get("response_metadata") or {}).get("next_cursor") or ""
            if not cursor:
                break
        return [
            ("bot_id" in message, str(message.get("text") or ""), str(message.get("ts") or "")) for message in found
        ]
