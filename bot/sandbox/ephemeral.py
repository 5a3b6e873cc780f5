"""Messages for one reader: kept only while the server runs, so that a page that is loaded anew still shows them."""

from collections import defaultdict

from bot.sandbox.model import Json

# The newest ones kept for each reader of a conversation.
KEPT = 50


class Ephemerals:
    """Ephemeral messages by (conversation, reader)."""

    def __init__(self) -> None:
        self._messages: defaultdict[tuple[str, str], list[Json]] = defaultdict(list)

    def add(self, conversation: str, reader: str, message: Json) -> None:
        kept = self._messages[conversation, reader]
        kept.append(message)
        del kept[:-KEPT]

    def of(self, conversation: str, reader: str, thread_ts: str | None) -> list[Json]:
        """Those of a thread, or of the top level."""
        return [one for one in self._messages[conversation, reader] if one.get("thread_ts") == thread_ts]

    def find(self, conversation: str, ts: str) -> tuple[str, Json] | None:
        """(reader, message) with this ts."""
        for (place, reader), messages in self._messages.items():
            for message in messages:
                if place == conversation and message["ts"] == ts:
                    return reader, message
        return None

    def drop(self, conversation: str, reader: str, ts: str) -> None:
        kept = self._messages[conversation, reader]
        kept[:] = [one for one in kept if one["ts"] != ts]
