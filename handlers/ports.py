"""What the Slack surfaces call; bot.agent, bot.answers and ingest satisfy them, bot.bootstrap injects them."""

from __future__ import annotations

from typing import Protocol

from handlers.model import CitationView, Inquiry, SharedFile


class Questions(Protocol):
    """Runs of answers."""

    async def ask(self, inquiry: Inquiry, *, event_id: str | None) -> bool:
        """Accept durably: dedupe keys, run and job in one transaction. False when it was accepted before."""
        ...

    async def cancel(self, run_id: str, *, by: str) -> bool:
        """Stop a run on the wish of its asker; False when it had ended or is not theirs."""
        ...

    async def retry(self, run_id: str, *, by: str) -> bool:
        """Ask an ended run's question again; False when it is not theirs, unknown, or already being retried."""
        ...

    async def is_engaged(self, team: str, conversation: str, thread_ts: str) -> bool:
        """Whether the bot has a run in this thread, so that follow-ups need no mention."""
        ...

    async def question_edited(self, inquiry: Inquiry) -> bool:
        """The asker edited a question: one under way starts anew with the new text; an ended one is left alone."""
        ...

    async def question_deleted(self, team: str, conversation: str, message_ts: str) -> bool:
        """The question's message is gone: a run under way is cancelled."""
        ...


class Uploads(Protocol):
    """Files that people share so that the bot learns them."""

    async def register(
        self, *, team: str, conversation: str, thread_ts: str, user: str, file: SharedFile, event_id: str | None
    ) -> bool:
        """Register durably with its job; progress goes into ``thread_ts``. False when it was registered before."""
        ...

    async def places_changed(self, *, team: str, file_id: str) -> None:
        """Where the file is shared, or whether it exists, has changed: look again and recompute its grants."""
        ...


class Citations(Protocol):
    """Opening of evidence."""

    async def open(self, *, team: str, reader: str, evidence_id: str, language: str) -> CitationView:
        """The passage in its surroundings under the reader's rights of now; raises CitationRefused."""
        ...
