"""What comes in from Slack and what goes out to it: inquiries, uploads, and the events of a run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from permissions.model import ConversationKind
from retrieval.model import EvidenceSet


@dataclass(frozen=True, slots=True)
class SharedFile:
    """A file as Slack's event names it; ``transcript`` is Slack's own, only when it is complete."""

    file_id: str
    name: str
    mimetype: str
    size: int
    is_voice_clip: bool = False
    transcript: str | None = None


@dataclass(frozen=True, slots=True)
class Inquiry:
    """One question of one person at one place. ``thread_ts`` is the thread that the answer goes into, if any."""

    team: str
    conversation: str
    kind: ConversationKind
    message_ts: str
    thread_ts: str | None
    asker: str
    text: str
    voice: SharedFile | None = None

    @property
    def dedupe_key(self) -> str:
        """Names the message whatever event brings it (slack.md: twins arrive under different event ids)."""
        return f"{self.team}/{self.conversation}/{self.message_ts}"


class Step(StrEnum):
    """What a run is doing; the renderer says it in the reader's language."""

    TRANSCRIBING = "transcribing"
    UNDERSTANDING = "understanding"
    SEARCHING = "searching"
    CHECKING = "checking"
    WRITING = "writing"


class Completion(StrEnum):
    """How a run ended; every accepted question reaches exactly one of these."""

    ANSWERED = "answered"
    PARTIAL = "partial"
    NOTHING_FOUND = "nothing_found"
    REFUSED = "refused"
    CANCELLED = "cancelled"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Status:
    """The run entered a step; ``detail`` is a short text such as the part being searched."""

    run_id: str
    step: Step
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Transcript:
    """What was heard in a voice clip, shown in the thread before the answer."""

    run_id: str
    text: str


@dataclass(frozen=True, slots=True)
class EvidenceReady:
    """The evidence set is frozen and stored."""

    run_id: str
    evidence_set_id: str


@dataclass(frozen=True, slots=True)
class TextDelta:
    """More text of a revision; ``seq`` counts from 1 within it."""

    run_id: str
    answer_id: str
    revision: int
    seq: int
    text: str


class View(StrEnum):
    """Through whose eyes the files were looked at; it follows from the scope alone."""

    ALONE = "alone"
    """The asker's: nobody else reads the answer."""
    EVERYONE_HERE = "everyone_here"
    """What everyone who reads the answer can open."""
    OWN_FILES = "own_files"
    """Nothing but the files shared in this very conversation."""


@dataclass(frozen=True, slots=True)
class Final:
    """The authoritative answer: replaces all that was shown. ``notices`` are sentences about limits of this run.

    ``view`` is None when no files were looked at; ``channel`` is the id of the channel that it speaks of, if it is one.
    """

    run_id: str
    answer_id: str
    revision: int
    text: str
    evidence: EvidenceSet | None
    gaps: tuple[str, ...]
    notices: tuple[str, ...]
    completion: Completion
    language: str
    view: View | None = None
    channel: str | None = None


@dataclass(frozen=True, slots=True)
class Failed:
    """The run ended without an answer: ``message`` is for people; ``can_retry`` adds the button."""

    run_id: str
    message: str
    can_retry: bool


@dataclass(frozen=True, slots=True)
class Cancelled:
    """The run was stopped on somebody's wish."""

    run_id: str


@dataclass(frozen=True, slots=True)
class Restarted:
    """The run begins anew: the question was edited, or what was shown of a source may not be shown any more."""

    run_id: str


RunEvent = Status | Transcript | EvidenceReady | TextDelta | Restarted | Final | Failed | Cancelled


@dataclass(frozen=True, slots=True)
class CitationView:
    """What opening a citation shows: the passage between its surroundings, and a link for this person if there is one.

    ``before`` and ``after`` are neighbouring text of the same unit, possibly empty. ``link`` is Slack's permalink, else
    one that is good for this reader, once and within a minute.
    """

    number: int
    title: str
    place: str
    before: str
    excerpt: str
    after: str
    version_number: int
    published_at: str
    is_current: bool
    link: str | None


class CitationRefused(Exception):
    """The reader may not (or can no longer) open it; ``reason`` is a word of :class:`RefusalReason`."""

    def __init__(self, reason: RefusalReason) -> None:
        super().__init__(reason)
        self.reason = reason


class RefusalReason(StrEnum):
    """Says why without saying what."""

    NOT_ALLOWED = "not_allowed"
    DELETED = "deleted"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Outgoing:
    """One message as Slack takes it. ``text`` is the fallback for notifications (under 4,000 characters)."""

    text: str
    blocks: tuple[dict[str, Any], ...] = ()
    attachments: tuple[dict[str, Any], ...] = ()


@dataclass(frozen=True, slots=True)
class Post:
    """One message of an answer, in order from 1; ``ts`` is None until Slack has taken it."""

    ordinal: int
    ts: str | None
    message: Outgoing


@dataclass(frozen=True, slots=True)
class GivenAnswer:
    """An answer as it stands in Slack, with its messages. ``newer`` are titles of sources with a newer version.

    ``asked_ts`` is the question's message, which all of them come after; ``alone``: nobody but its asker reads it.
    """

    run_id: str
    conversation: str
    thread_ts: str | None
    language: str
    posts: tuple[Post, ...]
    newer: tuple[str, ...] = ()
    alone: bool = False
    asked_ts: str = "0"


class UploadStage(StrEnum):
    """How far the reading of an upload is; READY and FAILED are final."""

    WAITING = "waiting"
    READING = "reading"
    INDEXING = "indexing"
    READY = "ready"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class UploadStatus:
    """What the thread of an upload shows.

    ``document`` is its id, for questions about it. ``counts`` are numbers by name (pages, slides, sheets, tables,
    seconds, chunks …); ``left_out`` are sentences on what was not read; ``cause`` is a word of
    ``ingest.model.Cause``; ``percent`` runs from 0 to 100 within a stage.
    """

    title: str
    stage: UploadStage
    percent: int | None = None
    counts: Mapping[str, int] = field(default_factory=dict)
    left_out: tuple[str, ...] = ()
    cause: str | None = None
    document: str = ""


@dataclass(frozen=True, slots=True)
class UploadPlace:
    """Where an upload's progress is shown. ``upload_ts`` is the message that brought the file, whose thread is used;
    ``status_ts`` the one edited message there, None before it is posted."""

    team: str
    conversation: str
    upload_ts: str
    language: str
    status_ts: str | None = None


@dataclass(frozen=True, slots=True)
class FileShare:
    """One conversation in which a file is shared; ``messages`` are the ts of those that show it, as far as told."""

    conversation: str
    kind: ConversationKind
    messages: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FileInfo:
    """A file as Slack describes it now. ``transcript`` is Slack's own, only when complete; ``shares`` lists the places
    that the bot can see (``has_more_shares``: not all of them, so rights from ``shares`` are the smaller ones)."""

    file_id: str
    name: str
    mimetype: str
    size: int
    permalink: str
    user: str
    url: str
    shares: tuple[FileShare, ...]
    has_more_shares: bool = False
    is_voice_clip: bool = False
    transcript: str | None = None


class PlaceKind(StrEnum):
    """Who a grant lets in, as a person sees it."""

    WORKSPACE = "workspace"
    CHANNEL = "channel"
    GROUP_DM = "group_dm"
    GROUP = "group"
    PERSON = "person"


@dataclass(frozen=True, slots=True)
class SeenFrom:
    """People who can see a file. ``id`` is Slack's of the channel, group or person; ``people`` is their number."""

    kind: PlaceKind
    id: str = ""
    people: int | None = None


@dataclass(frozen=True, slots=True)
class FileAccess:
    """Who can see a file, as far as one person may know. ``title`` is None where they may not know it either.

    ``elsewhere``: it is also shared in places that this person can't see; nothing more is said of them.
    """

    document: str
    title: str | None
    places: tuple[SeenFrom, ...]
    elsewhere: bool
    may_forget: bool


class FileRefused(Exception):
    """What was asked about a file is not for this person, or there is no such file (any more)."""

    def __init__(self, reason: RefusalReason) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class HomeFile:
    """A file that somebody looks after. ``title`` is None when it is not open to them any more; times are ISO 8601."""

    document: str
    title: str | None
    stage: UploadStage
    shared_at: str
    cause: str | None = None


@dataclass(frozen=True, slots=True)
class HomeFacts:
    """What App Home tells one person. ``role`` is a word of ``permissions.roles.Role``; ``page`` counts from 0.

    ``states`` are numbers of all documents by stage, for administrators alone. ``may_not_ask`` are the words for
    somebody who may not ask in direct messages, or nowhere.
    """

    person: str
    language: str
    role: str
    files: tuple[HomeFile, ...]
    page: int
    has_more: bool
    states: Mapping[str, int] | None = None
    may_not_ask: str | None = None
