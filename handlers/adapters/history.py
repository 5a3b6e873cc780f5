"""The messages of a thread, from its root."""

from __future__ import annotations

from slack_sdk.web.async_client import AsyncWebClient

from handlers.adapters.slack import patient_call

MOST_MESSAGES = 200
"""Slack's largest page; what a follow-up refers to stands near the root or near the end of it."""


class SlackHistory:
    """Reads threads."""

    def __init__(self, *, client: AsyncWebClient) -> None:
        self._client = client

    async def messages(self, team: str, conversation: str, thread_ts: str) -> list[tuple[bool, str]]:
        """Whether the bot wrote it, and its text, oldest first. Raises SlackError.

        ``thread_ts`` must be the root's: asked for a reply's, Slack gives that one message alone (slack.md).
        """
        _ = team  # conversations.replies is asked of the token's workspace
        data = await patient_call(
            "conversations.replies",
            lambda: self._client.conversations_replies(channel=conversation, ts=thread_ts, limit=MOST_MESSAGES),
        )
        return [
            ("bot_id" in message, str(message.get("text") or ""))
            for message in data.get("messages") or ()
        ]
