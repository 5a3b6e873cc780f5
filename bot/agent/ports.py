"""What a run needs from outside; permissions, retrieval, handlers, ingest and adapters satisfy these."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from psycopg import AsyncConnection

from handlers.model import Inquiry, RunEvent, SharedFile
from permissions.model import AccessScope
from retrieval.model import SearchResult


class Searching(Protocol):
    """Hybrid search within a scope."""

    async def search(self, scope: AccessScope, query: str, *, limit: int = 12) -> SearchResult: ...


class ThreadHistory(Protocol):
    """The messages of a thread, oldest first: what everyone who reads the reply can read there anyway.

    A message is whether the bot wrote it, its text, and its ts. Raises handlers' SlackError.
    """

    async def messages(self, team: str, conversation: str, thread_ts: str) -> Sequence[tuple[bool, str, str]]: ...


class Clips(Protocol):
    """Words of a voice clip. Empty when nothing was said; raises ingest's Unreadable when it can't be read."""

    async def words(self, team: str, clip: SharedFile) -> str: ...


class Accepting(Protocol):
    """Takes questions in."""

    async def ask(self, inquiry: Inquiry, *, event_id: str | None) -> bool:
        """False when one was accepted under the same keys before."""
        ...


class LiveReply(Protocol):
    """One answer's place in Slack."""

    @property
    def placeholder_ts(self) -> str: ...

    async def show(self, event: RunEvent) -> None: ...

    async def finish(self) -> None: ...


class ReplyFactory(Protocol):
    """Begins a reply with its placeholder, or takes one up again."""

    async def begin(self, inquiry: Inquiry, *, run_id: str, language: str) -> LiveReply: ...

    async def find(self, inquiry: Inquiry, *, run_id: str, language: str) -> LiveReply | None: ...

    async def resume(self, inquiry: Inquiry, *, run_id: str, language: str, placeholder_ts: str) -> LiveReply: ...

    async def complete(self, inquiry: Inquiry, *, run_id: str, language: str) -> bool:
        """Show the rest of an answer that a process had begun to show; False when none was begun."""
        ...


class GivenAnswers(Protocol):
    """What became of answers that were given."""

    async def is_read_by(self, team: str, conversation: str, user: str) -> bool:
        """Whether the user is known to read there now; may ask the workspace."""
        ...

    async def give_way(self, connection: AsyncConnection[Any], run_id: str) -> str | None:
        """Let another answer take over the message of this one, which is returned; None when it may not."""
        ...
