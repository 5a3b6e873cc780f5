"""What retrieval raises.

RetrievalError
├── ChannelFailed    one way of finding candidates, or one index, did not do its work; search goes on without it
└── SearchFailed     no channel answered
"""

from __future__ import annotations


class RetrievalError(Exception):
    """The root."""


class ChannelFailed(RetrievalError):
    """``channel`` (vectors, full_text, encoder) failed; the cause is chained."""

    def __init__(self, channel: str, detail: str) -> None:
        super().__init__(f"{channel}: {detail}")
        self.channel = channel


class SearchFailed(RetrievalError):
    """Nothing could be searched; ``channels`` are the names of those that failed."""

    def __init__(self, channels: tuple[str, ...]) -> None:
        super().__init__(f"no channel answered: {', '.join(channels)}")
        self.channels = channels
