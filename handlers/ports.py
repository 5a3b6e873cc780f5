"""What the Slack surfaces call; bot.agent, bot.answers and ingest satisfy them, bot.bootstrap injects them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any, Protocol

from handlers.model import CitationView, FileAccess, HomeFacts, Inquiry, Outgoing, Post, SharedFile


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

    async def ask_again(self, run_id: str, *, by: str) -> bool:
        """Ask the question of an answer that was withdrawn or marked again, for anyone who reads it there.

        The new answer takes over its message. False when it stands, is being asked again, or is not theirs to read.
        """
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


class PrivateAnswers(Protocol):
    """Answers that their asker alone gets, where the conversation they asked in may not read all that they may."""

    async def answer(self, run_id: str, *, by: str) -> bool:
        """Ask the run's question again in its asker's direct messages; False when it is not theirs, or was asked."""
        ...


class Contributions(Protocol):
    """Files that people share so that the bot learns them."""

    async def register(
        self, *, team: str, conversation: str, thread_ts: str, user: str, file: SharedFile, event_id: str | None
    ) -> bool:
        """Register durably with its job; progress, or why it is not learned, goes into ``thread_ts``.

        False when it was registered before, or is not yet, or is not to be.
        """
        ...


class Uploads(Protocol):
    """What becomes of the files that were learned."""

    async def deleted(self, *, team: str, file_id: str) -> None:
        """The file was deleted: from now on nobody finds or opens it."""
        ...

    async def places_changed(self, *, team: str, file_id: str) -> None:
        """Where the file is shared, or whether it exists, has changed: look again and recompute its grants."""
        ...

    async def shown(self, *, team: str, conversation: str, ts: str, file_id: str) -> None:
        """A message shows the file."""
        ...

    async def unshown(self, *, team: str, conversation: str, ts: str, files: Collection[str], is_gone: bool) -> None:
        """A message shows these files no more; ``is_gone``: nor any other. Recomputes their grants."""
        ...

    async def place_changed(self, *, team: str, conversation: str, is_gone: bool) -> None:
        """The bot came or went, or the conversation changed its kind, or was deleted (``is_gone``): recompute the
        grants of its files."""
        ...

    async def content_changed(self, *, team: str, file_id: str, event_id: str | None) -> None:
        """The file may hold something new: a new version when it does. Unknown files are none of ours."""
        ...


class Citations(Protocol):
    """Opening of evidence."""

    async def open(self, *, team: str, reader: str, evidence_id: str, language: str) -> CitationView:
        """The passage in its surroundings under the reader's rights of now; raises CitationRefused."""
        ...


class Journal(Protocol):
    """Where the messages of answers are noted. Raises the database's errors."""

    async def plan(self, run_id: str, first_ts: str, messages: Sequence[Outgoing]) -> list[Post] | None:
        """Note durably what is about to be shown, the first in ``first_ts``; None when the answer was withdrawn."""
        ...

    async def posted(self, run_id: str, ordinal: int, ts: str) -> bool:
        """Note which message it became; False when the answer was withdrawn while Slack took it."""
        ...

    async def stands(self, run_id: str) -> bool:
        """Whether the answer may still be shown."""
        ...

    async def of(self, run_id: str) -> Sequence[Post]:
        """What was planned for the run, in order."""
        ...


class Library(Protocol):
    """What people may know of, and do with, the files that were learned."""

    async def language(self, team: str, person: str) -> str:
        """The language that Slack has been set to by this person, ``zh`` or ``en``."""
        ...

    async def who_sees(self, *, team: str, viewer: str, document: str) -> FileAccess:
        """Who can see a file, as far as the viewer may know; raises FileRefused."""
        ...

    async def known_file(self, *, team: str, file_id: str) -> str | None:
        """The document that was made of a file of Slack."""
        ...

    async def forget(self, *, team: str, by: str, document: str) -> None:
        """Delete what was learned of a file; raises FileRefused."""
        ...

    async def home(self, *, team: str, person: str, page: int) -> HomeFacts:
        """What App Home tells this person."""
        ...


class Messages(Protocol):
    """Writing to Slack. Every method raises :class:`handlers.errors.SlackError`; all but ``edit`` wait out 429s."""

    async def find(self, conversation: str, name: str, *, thread_ts: str | None, since: float) -> str | None:
        """The ts of our post called ``name`` among the messages from ``since`` (seconds since 1970) on.

        None when there is none, or the bot may not look.
        """
        ...

    async def post(
        self,
        conversation: str,
        message: Outgoing,
        *,
        thread_ts: str | None = None,
        urgent: bool = False,
        name: str | None = None,
    ) -> str:
        """Post and return the new message's ts. ``conversation`` may be a user id: then it goes to the DM.

        Where more is posted than Slack takes, posts wait for their turn; ``urgent`` ones (placeholders) overtake.
        """
        ...

    async def edit(self, conversation: str, ts: str, message: Outgoing) -> None:
        """Replace the whole message. Raises RateLimited at once: the caller owns the pace."""
        ...

    async def delete(self, conversation: str, ts: str) -> None: ...

    async def direct(self, person: str, message: Outgoing) -> tuple[str, str]:
        """Post to somebody's direct messages; returns the conversation's id, which ``edit`` needs, and the ts."""
        ...

    async def whisper(
        self, conversation: str, user: str, message: str | Outgoing, *, thread_ts: str | None = None
    ) -> None:
        """Show the message to one person alone; it can't be edited."""
        ...

    async def react(self, conversation: str, ts: str, name: str) -> None:
        """Add a reaction; one that is already there is fine."""
        ...

    async def unreact(self, conversation: str, ts: str, name: str) -> None:
        """Take our reaction away; none there is fine."""
        ...

    async def open_view(self, trigger_id: str, view: dict[str, Any]) -> str:
        """Open a modal within the 3 s that a trigger lives; returns the view's id."""
        ...

    async def update_view(self, view_id: str, view: dict[str, Any]) -> None: ...

    async def publish_home(self, user: str, view: dict[str, Any]) -> None:
        """Show ``view`` as the person's App Home."""
        ...


class Memberships(Protocol):
    """What events say of who is where; :class:`permissions.sync.WorkspaceSync` keeps it. Times are Slack's."""

    async def member_joined(self, team: str, conversation: str, user: str, *, event_at: datetime) -> None: ...

    async def member_left(self, team: str, conversation: str, user: str, *, event_at: datetime) -> None: ...

    async def person_changed(self, team: str, user: str) -> None: ...

    async def conversation_changed(self, team: str, conversation: str) -> None: ...

    async def conversation_unshared(self, team: str, conversation: str) -> None: ...

    async def conversation_became_private(self, team: str, conversation: str) -> None: ...

    async def conversation_deleted(self, team: str, conversation: str) -> None: ...

    async def conversation_left(self, team: str, conversation: str) -> None:
        """The bot was removed from it."""
        ...

    async def conversation_moved(self, team: str, old: str, new: str) -> None:
        """It goes on under another id."""
        ...

    async def groups_changed(self, team: str) -> None: ...

    async def group_members_changed(
        self, team: str, group: str, *, previous: int, updated: int, added: Collection[str], removed: Collection[str]
    ) -> None:
        """``previous`` and ``updated`` are Slack's times, in seconds, of the change before and of this one."""
        ...

    async def app_removed(self, team: str) -> None: ...
