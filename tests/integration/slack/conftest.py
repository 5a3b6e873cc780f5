"""The real bolt app and SDK against the local workspace; what stands behind the ports is small and keeps notes."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Collection
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import pytest

from bot.app import SlackApp
from bot.sandbox.server import Sandbox
from handlers.adapters.slack import SlackMessages, web_client
from handlers.model import (
    CitationRefused,
    CitationView,
    FileAccess,
    FileRefused,
    HomeFacts,
    HomeFile,
    Inquiry,
    PlaceKind,
    RefusalReason,
    SeenFrom,
    SharedFile,
    UploadStage,
)
from handlers.pace import EditBudget
from handlers.reply import Replies
from permissions.audit import AuditEntry
from tests.sandbox_fixtures import Person
from tests.unit.handlers.slack_double import Noted


class Notes:
    """Waits until something was noted: no test sleeps."""

    def __init__(self) -> None:
        self._changed = asyncio.Condition()

    async def noted(self) -> None:
        async with self._changed:
            self._changed.notify_all()

    async def until(self, holds: Callable[[], bool]) -> None:
        async with asyncio.timeout(20), self._changed:
            await self._changed.wait_for(holds)


class NothingPrivate:
    """``handlers.ports.PrivateAnswers`` that has none for anybody."""

    async def answer(self, run_id: str, *, by: str) -> bool:
        return False


@dataclass
class Questions:
    """Accepts each message once, as the real one does in its transaction; the first ``failures`` calls raise."""

    notes: Notes
    asked: list[Inquiry] = field(default_factory=list)
    seen: set[str] = field(default_factory=set)
    deliveries: int = 0
    engaged: set[tuple[str, str]] = field(default_factory=set)
    edited: list[Inquiry] = field(default_factory=list)
    deleted: list[tuple[str, str, str]] = field(default_factory=list)
    cancelled: list[tuple[str, str]] = field(default_factory=list)
    retried: list[tuple[str, str]] = field(default_factory=list)
    yes: bool = True
    failures: int = 0

    async def ask(self, inquiry: Inquiry, *, event_id: str | None) -> bool:
        self.deliveries += 1
        await self.notes.noted()
        if self.deliveries <= self.failures:
            raise ConnectionError("the database is gone")
        keys = {inquiry.dedupe_key, event_id or ""}
        if keys & self.seen:
            return False
        self.seen |= keys
        self.asked.append(inquiry)
        await self.notes.noted()
        return True

    async def cancel(self, run_id: str, *, by: str) -> bool:
        self.cancelled.append((run_id, by))
        await self.notes.noted()
        return self.yes

    async def retry(self, run_id: str, *, by: str) -> bool:
        self.retried.append((run_id, by))
        await self.notes.noted()
        return self.yes

    async def is_engaged(self, team: str, conversation: str, thread_ts: str) -> bool:
        return (conversation, thread_ts) in self.engaged

    async def question_edited(self, inquiry: Inquiry) -> bool:
        self.edited.append(inquiry)
        await self.notes.noted()
        return True

    async def question_deleted(self, team: str, conversation: str, message_ts: str) -> bool:
        self.deleted.append((team, conversation, message_ts))
        await self.notes.noted()
        return True


@dataclass
class Uploads:
    notes: Notes
    registered: list[dict[str, Any]] = field(default_factory=list)
    moved: list[str] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    seen: list[tuple[str, ...]] = field(default_factory=list)

    async def register(
        self, *, team: str, conversation: str, thread_ts: str, user: str, file: SharedFile, event_id: str | None
    ) -> bool:
        self.registered.append({"conversation": conversation, "ts": thread_ts, "user": user, "file": file})
        await self.notes.noted()
        return True

    async def deleted(self, *, team: str, file_id: str) -> None:
        self.gone.append(file_id)
        await self.notes.noted()

    async def places_changed(self, *, team: str, file_id: str) -> None:
        self.moved.append(file_id)
        await self.notes.noted()

    async def shown(self, *, team: str, conversation: str, ts: str, file_id: str) -> None:
        self.seen.append(("shown", conversation, ts, file_id))
        await self.notes.noted()

    async def unshown(self, *, team: str, conversation: str, ts: str, files: Collection[str], is_gone: bool) -> None:
        self.seen.append(("unshown", conversation, ts, *files))
        await self.notes.noted()

    async def place_changed(self, *, team: str, conversation: str, is_gone: bool) -> None:
        self.seen.append(("place", conversation))
        await self.notes.noted()

    async def content_changed(self, *, team: str, file_id: str, event_id: str | None) -> None:
        self.changed.append(file_id)
        await self.notes.noted()


@dataclass
class Citations:
    notes: Notes
    views: dict[str, CitationView | Exception] = field(default_factory=dict)
    opened: list[tuple[str, str, str]] = field(default_factory=list)

    async def open(self, *, team: str, reader: str, evidence_id: str, language: str) -> CitationView:
        self.opened.append((reader, evidence_id, language))
        await self.notes.noted()
        found = self.views.get(evidence_id, CitationRefused(RefusalReason.UNKNOWN))
        if isinstance(found, Exception):
            raise found
        return found


@dataclass
class Memberships:
    notes: Notes
    calls: list[tuple[str, ...]] = field(default_factory=list)

    async def _note(self, *call: str) -> None:
        self.calls.append(call)
        await self.notes.noted()

    async def member_joined(self, team: str, conversation: str, user: str, *, event_at: datetime) -> None:
        await self._note("joined", conversation, user)

    async def member_left(self, team: str, conversation: str, user: str, *, event_at: datetime) -> None:
        await self._note("left", conversation, user)

    async def person_changed(self, team: str, user: str) -> None:
        await self._note("person", user)

    async def conversation_changed(self, team: str, conversation: str) -> None:
        await self._note("changed", conversation)

    async def conversation_unshared(self, team: str, conversation: str) -> None:
        await self._note("unshared", conversation)

    async def conversation_became_private(self, team: str, conversation: str) -> None:
        await self._note("private", conversation)

    async def conversation_deleted(self, team: str, conversation: str) -> None:
        await self._note("deleted", conversation)


@dataclass
class Shelf:
    """``handlers.ports.Library`` with one file, which mei looks after and everybody may see."""

    notes: Notes
    files: list[HomeFile] = field(default_factory=lambda: [HomeFile("d1", "policy.pdf", UploadStage.READY, "")])
    forgotten: list[tuple[str, str]] = field(default_factory=list)

    async def language(self, team: str, person: str) -> str:
        return "en"

    async def known_file(self, *, team: str, file_id: str) -> str | None:
        return "d1"

    async def who_sees(self, *, team: str, viewer: str, document: str) -> FileAccess:
        if document != "d1":
            raise FileRefused(RefusalReason.NOT_ALLOWED)
        places = (SeenFrom(PlaceKind.WORKSPACE, people=3),)
        return FileAccess(document, "policy.pdf", places, elsewhere=True, may_forget=True)

    async def forget(self, *, team: str, by: str, document: str) -> None:
        self.forgotten.append((by, document))
        self.files.clear()
        await self.notes.noted()

    async def home(self, *, team: str, person: str, page: int) -> HomeFacts:
        return HomeFacts(person, "en", "contributor", tuple(self.files), page, has_more=page == 0)


@dataclass
class Trail:
    """``permissions.audit.Audit`` in memory."""

    entries: list[AuditEntry] = field(default_factory=list)
    is_full: bool = False

    async def note(self, entry: AuditEntry, *, connection: Any = None) -> None:
        if self.is_full:
            raise OSError("no room on the disk")
        self.entries.append(entry)


@dataclass
class Bot:
    """Everything on our side of Slack, and the workspace on the other."""

    sandbox: Sandbox
    app: SlackApp
    messages: SlackMessages
    replies: Replies
    questions: Questions
    uploads: Uploads
    citations: Citations
    memberships: Memberships
    trail: Trail
    library: Shelf
    notes: Notes

    @property
    def mention(self) -> str:
        return f"<@{self.app.identity.user}>"

    def person(self, name: str) -> Person:
        return Person(self.sandbox, name)

    def channel(self, name: str) -> str:
        rooms = self.sandbox.context.workspace.conversations.values()
        return next(room.id for room in rooms if room.name == name)

    async def asked(self, count: int = 1) -> Inquiry:
        """The last of ``count`` accepted questions, once they are there."""
        await self.notes.until(lambda: len(self.questions.asked) >= count)
        return self.questions.asked[-1]

    async def trouble(self, **fault: Any) -> None:
        await self.person("mei").act("faults", **fault)

    async def calls(self, method: str) -> list[dict[str, Any]]:
        calls = (await self.person("mei").look("calls"))["calls"]
        return [call for call in calls if call["method"] == method]

    async def called(self, method: str) -> list[dict[str, Any]]:
        """The calls of a method, once there is one."""
        async with asyncio.timeout(20):
            while not (found := await self.calls(method)):
                pass
        return found


@pytest.fixture
async def offline_bot(office: Sandbox) -> AsyncIterator[Bot]:
    """Opened, but not receiving yet."""
    client = web_client(token=office.bot_token, base_url=office.api_url)
    messages = SlackMessages(client=client)
    notes = Notes()
    questions, uploads, citations = Questions(notes), Uploads(notes), Citations(notes)
    memberships, trail, library = Memberships(notes), Trail(), Shelf(notes)
    app = SlackApp(
        client=client,
        questions=questions,
        private=NothingPrivate(),
        contributions=uploads,
        uploads=uploads,
        citations=citations,
        library=library,
        memberships=memberships,
        messages=messages,
        audit=trail,
        now=lambda: datetime.now(UTC),
        app_token=office.app_token,
        signing_secret=office.signing_secret,
        ping_s=0.2,
    )
    replies = Replies(
        messages=messages,
        journal=Noted(),
        budget=EditBudget(clock=time.monotonic),
        now=lambda: datetime.now(UTC),
        sleep=asyncio.sleep,
    )
    await app.open()
    yield Bot(office, app, messages, replies, questions, uploads, citations, memberships, trail, library, notes)
    await replies.aclose()
    await app.aclose()


@pytest.fixture
async def bot(offline_bot: Bot) -> Bot:
    """Receiving by Socket Mode."""
    await offline_bot.app.connect()
    return offline_bot
