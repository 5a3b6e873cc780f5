"""Posts that Slack did not confirm: after a time-out a message may stand there all the same.

chat.postMessage has no key of idempotency, so each post carries a mark of its own as Slack's message metadata, which
people don't see, and before it is sent again the conversation is searched for it.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

EVENT_TYPE = "haitang_post"
LOOK_BACK_S = 120.0
"""Seconds before the first attempt from which messages are looked at: clocks differ."""
LATEST = 100


@dataclass(frozen=True, slots=True)
class Mark:
    """Tells one post from every other. ``began`` is when it was first sent, in seconds since 1970."""

    began: float
    id: str = field(default_factory=lambda: uuid.uuid4().hex)

    def metadata(self) -> dict[str, Any]:
        return {"event_type": EVENT_TYPE, "event_payload": {"id": self.id}}

    def where(self, conversation: str, thread_ts: str | None) -> dict[str, Any]:
        """Arguments of conversations.replies, or of conversations.history without a thread."""
        place = {"channel": conversation} | ({"ts": thread_ts} if thread_ts else {})
        return place | {"oldest": f"{self.began - LOOK_BACK_S:.6f}", "limit": LATEST, "include_all_metadata": True}

    def found_in(self, messages: Iterable[Mapping[str, Any]]) -> str | None:
        """The ts of the message that carries this mark."""
        wanted = self.metadata()
        return next((str(message["ts"]) for message in messages if message.get("metadata") == wanted), None)
