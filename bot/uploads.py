"""Between Slack's files and ingestion, which do not know each other: intake, fetching with rights, progress."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Final, Protocol
from weakref import WeakValueDictionary

import structlog
from psycopg.types.json import Jsonb
from psycopg_pool import AsyncConnectionPool

from bot.places import FilePlaces
from bot.shares import SeenShares
from handlers.adapters.files import SlackFiles
from handlers.errors import (
    Gone,
    HtmlInstead,
    MissingScope,
    NotDelivered,
    RateLimited,
    Refused,
    SlackError,
    TooBig,
    Unreachable,
)
from handlers.model import SharedFile, UploadPlace, UploadStage, UploadStatus
from handlers.upload_reply import UploadReplies
from ingest.catalog import Catalog
from ingest.deletion import Deletion
from ingest.model import Cause, Document, FetchedFile, IngestReport, State, Unreadable
from ingest.ports import Jobs
from ingest.register import Registrar, Upload
from ingest.rights import Rights
from permissions.model import Principal
from retrieval.language import detect

log = structlog.get_logger()

SOURCE: Final = "slack"
PLACES_JOB: Final = "places"
"""Name of the job that looks where a file is shared now; its arguments are ``team`` and ``file_id``."""

PLACE_JOB: Final = "files_of_place"
"""Name of the job that looks at every file of a place again; its arguments are ``team`` and ``conversation``."""

PLACES_RETRIES: Final = 24 * 60
"""A minute apart at most: Slack may be away for about a day before a file is closed to everybody."""

STAGES: Final = {
    State.REGISTERED: UploadStage.WAITING,
    State.FETCHED: UploadStage.READING,
    State.PARSED: UploadStage.INDEXING,
    State.INDEXED: UploadStage.INDEXING,
    State.READY: UploadStage.INDEXING,
    State.PUBLISHED: UploadStage.READY,
    State.SUPERSEDED: UploadStage.READY,
    State.FAILED: UploadStage.FAILED,
}

ENDS: Final = frozenset({UploadStage.READY, UploadStage.FAILED})

MOST_SHOWN: Final = 10_000
"""Messages whose state is remembered: those of older uploads are known from their rows."""

# The message that shows a version's progress is edited after a restart too.
NOTE_REPLY: Final = """
UPDATE versions SET reply = reply || %(reply)s WHERE version_id = %(version)s AND state <> 'DELETED'
"""

# Of bytes that were known already there is no version of its own: where that was told is kept with the one there is.
NOTE_ALSO: Final = """
UPDATE versions SET reply = reply || jsonb_build_object('also', coalesce(reply -> 'also', '[]') || %(reply)s)
 WHERE version_id = %(version)s AND state <> 'DELETED'
"""

# The files that are known to be, or to have been, shared in a conversation, and those that it lists.
FILES_OF_PLACE: Final = """
SELECT source_id FROM documents
 WHERE team = %(team)s AND source = %(source)s AND deleted_at IS NULL AND source_id IN (
       SELECT unnest(%(listed)s::text[])
       UNION SELECT file_id FROM file_shares WHERE team = %(team)s AND conversation_id = %(conversation)s
       UNION SELECT source_id FROM documents JOIN grants USING (document_id) WHERE principal = %(channel)s)
 ORDER BY source_id
"""


class SlackUploads:
    """Satisfies ``handlers.ports.Uploads``. A registered file is nobody's until its places were read from Slack."""

    def __init__(
        self,
        *,
        pool: AsyncConnectionPool,
        registrar: Registrar,
        catalog: Catalog,
        rights: Rights,
        deletion: Deletion,
        jobs: Jobs,
        files: SlackFiles,
        shares: SeenShares,
        places: FilePlaces,
    ) -> None:
        self._pool = pool
        self._registrar = registrar
        self._catalog = catalog
        self._rights = rights
        self._deletion = deletion
        self._jobs = jobs
        self._files = files
        self._shares = shares
        self._places = places

    async def register(
        self, *, team: str, conversation: str, thread_ts: str, user: str, file: SharedFile, event_id: str | None
    ) -> bool:
        """Register durably with its job; False when the same message's file was registered before."""
        await self.shown(team=team, conversation=conversation, ts=thread_ts, file_id=file.file_id)
        keys = [f"{team}/{conversation}/{thread_ts}/{file.file_id}"]
        upload = Upload(
            team=team,
            source=SOURCE,
            source_id=file.file_id,
            title=file.name or file.file_id,
            mimetype=file.mimetype,
            user=user,
            principals=(),
            keys=[*keys, f"{event_id}/{file.file_id}"] if event_id else keys,
            reply=asdict(UploadPlace(team, conversation, thread_ts, language=detect(file.name))),
        )
        return await self._registrar.register(upload) is not None

    async def content_changed(self, *, team: str, file_id: str, event_id: str | None) -> None:
        """A new version of a file that is known; it is dropped when its bytes are those that are published."""
        document = await self._catalog.find(team=team, source=SOURCE, source_id=file_id)
        if document is None:
            return
        upload = Upload(
            team=team,
            source=SOURCE,
            source_id=file_id,
            title=document.title,
            mimetype=document.mimetype,
            user="",
            principals=(),
            keys=[f"{event_id}/{file_id}"] if event_id else [],
        )
        await self._registrar.register(upload)

    async def deleted(self, *, team: str, file_id: str) -> None:
        """Delete what was learned of the file, at once: Slack's event says it, Slack need not be asked."""
        if (document := await self._catalog.find(team=team, source=SOURCE, source_id=file_id)) is not None:
            await self._deletion.delete(document.document_id, by=SOURCE)
        await self._shares.forget(team=team, file_id=file_id)

    async def shown(self, *, team: str, conversation: str, ts: str, file_id: str) -> None:
        """Remember that the message shows the file: Slack may not list all of them."""
        await self._shares.note(team=team, file_id=file_id, messages=[(conversation, ts)])

    async def unshown(self, *, team: str, conversation: str, ts: str, files: Collection[str], is_gone: bool) -> None:
        """The message shows these files no more, ``is_gone``: nor any other. Look again where they are shared."""
        seen = self._shares
        lost = await seen.note_gone(team=team, conversation=conversation, ts=ts, files=files, is_gone=is_gone)
        for file_id in sorted(lost):
            # A look that waits to be tried again takes up to a minute; what is lost is lost now.
            if (document := await self._catalog.find(team=team, source=SOURCE, source_id=file_id)) is not None:
                await self._places.withdraw_gone(document)
                await self.places_changed(team=team, file_id=file_id)

    async def place_changed(self, *, team: str, conversation: str, is_gone: bool) -> None:
        """The bot came or went, or the conversation's kind changed: look again at all of its files, by a job.

        ``is_gone``: the conversation was deleted with all of its messages.
        """
        if is_gone:
            await self._shares.note_all_gone(team=team, conversation=conversation)
        async with self._pool.connection() as connection, connection.transaction():
            name = f"{PLACE_JOB}/{team}/{conversation}"
            await self._jobs.enqueue(connection, PLACE_JOB, queueing_lock=name, team=team, conversation=conversation)

    async def look_around(self, *, team: str, conversation: str) -> None:
        """The job of ``place_changed``. Raises SlackError while Slack can't be asked."""
        known = await self._files_of_place(team, conversation, listed=())
        for file_id in known:
            if (document := await self._catalog.find(team=team, source=SOURCE, source_id=file_id)) is not None:
                await self._places.withdraw_gone(document)
                await self.places_changed(team=team, file_id=file_id)
        listed = await self._files.files_in(conversation)
        for file_id in set(await self._files_of_place(team, conversation, listed=listed)).difference(known):
            await self.places_changed(team=team, file_id=file_id)

    async def _files_of_place(self, team: str, conversation: str, *, listed: Collection[str]) -> list[str]:
        given = {"team": team, "source": SOURCE, "conversation": conversation, "listed": list(listed)}
        given["channel"] = str(Principal.channel(team, conversation))
        async with self._pool.connection() as connection:
            rows = await (await connection.execute(FILES_OF_PLACE, given)).fetchall()
        return [file_id for (file_id,) in rows]

    async def places_changed(self, *, team: str, file_id: str) -> None:
        """Look again where a known file is shared, by a job that outlives this process."""
        if await self._catalog.find(team=team, source=SOURCE, source_id=file_id) is None:
            return
        async with self._pool.connection() as connection, connection.transaction():
            name = f"{PLACES_JOB}/{team}/{file_id}"
            await self._jobs.enqueue(connection, PLACES_JOB, queueing_lock=name, team=team, file_id=file_id)

    async def look_again(self, *, team: str, file_id: str) -> None:
        """The job: today's places are today's grants; a file that does not exist any more is deleted here too.

        A file that the bot can't see any more is nobody's. Raises SlackError while Slack can't be asked.
        """
        document = await self._catalog.find(team=team, source=SOURCE, source_id=file_id)
        if document is None:
            return
        try:
            await self._places.refresh(document)
        except Gone as error:
            if error.error in {"file_deleted", "file_not_found"}:
                await self.deleted(team=team, file_id=file_id)
                return
            log.warning("file_not_visible", file=file_id, error=error.error)
            await self._rights.set(document.document_id, ())
        except (MissingScope, Refused):
            # Slack has answered, and does not tell: nobody's until it does.
            await self._rights.set(document.document_id, ())
            raise

    async def close(self, *, team: str, file_id: str) -> None:
        """The job has failed for good: a file whose places can't be known is nobody's until they change again."""
        if (document := await self._catalog.find(team=team, source=SOURCE, source_id=file_id)) is not None:
            log.error("file_closed", file=file_id)
            await self._rights.set(document.document_id, ())


class LookAgain(Protocol):
    """What :meth:`SlackUploads.places_changed` does."""

    async def __call__(self, *, team: str, file_id: str) -> None: ...


class SlackSource:
    """``ingest.ports.Source`` of Slack's files. What is fetched gets the rights that its places give it today."""

    def __init__(
        self,
        *,
        files: SlackFiles,
        places: FilePlaces,
        max_bytes: int,
        look_again: LookAgain,
    ) -> None:
        """``look_again`` has a file's places looked at later, when Slack can't be asked now."""
        self._files = files
        self._places = places
        self._max_bytes = max_bytes
        self._look_again = look_again

    async def fetch(self, document: Document, *, into: Path) -> FetchedFile:
        """Download the file; raises Unreadable, or SlackError for what may pass."""
        path = into / "download"
        with _translated():
            info = await self._files.download(document.team, document.source_id, path, max_bytes=self._max_bytes)
            # After the download, which may take minutes: it may be shared elsewhere by now, or nowhere.
            try:
                await self._places.refresh(document)
            except (RateLimited, Unreachable):
                # What it holds can be read meanwhile: a new file stays nobody's, another keeps the rights that it has.
                await self._look_again(team=document.team, file_id=document.source_id)
        return FetchedFile(path, info.name, info.mimetype, info.permalink or None)


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except Gone as error:
        denied = error.error in {"not_visible", "access_denied"}
        raise Unreadable(Cause.ACCESS_DENIED if denied else Cause.NOT_FOUND, error.error) from error
    except MissingScope as error:
        raise Unreadable(Cause.MISSING_SCOPE, error.needed) from error
    except HtmlInstead as error:
        raise Unreadable(Cause.HTML_INSTEAD) from error
    except TooBig as error:
        raise Unreadable(Cause.TOO_LARGE, f"{error.size} of {error.limit} bytes") from error
    except Refused as error:
        raise Unreadable(Cause.ACCESS_DENIED, error.error) from error


@dataclass(frozen=True, slots=True)
class _Shown:
    """What the message ``ts`` says of a version."""

    ts: str
    status: UploadStatus


class Notices(Protocol):
    """What becomes of the messages afterwards (``bot.notices``)."""

    async def shown(self, document: str) -> None: ...

    async def delete(self, conversation: str, ts: str) -> bool: ...


class UploadProgress:
    """``ingest.ports.Progress``: shows a version's states in the thread of the upload that brought it."""

    def __init__(self, *, pool: AsyncConnectionPool, replies: UploadReplies, notices: Notices) -> None:
        self._pool = pool
        self._replies = replies
        self._notices = notices
        self._shown: dict[tuple[str, str, str], _Shown] = {}
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def show(self, report: IngestReport) -> None:
        """Show the state; what can't be shown is logged, for reading goes on without it."""
        if not report.reply.get("conversation"):
            return
        place = UploadPlace(**{name: value for name, value in report.reply.items() if name != "also"})
        status = UploadStatus(
            title=report.title,
            stage=STAGES[report.state],
            percent=report.percent,
            counts=report.counts,
            left_out=report.left_out,
            cause=report.cause,
            document=report.document,
        )
        # The announcement of a version and its reading tell at the same time: there is one message for both.
        async with self._turns.setdefault(f"{place.conversation}/{place.upload_ts}/{report.document}", asyncio.Lock()):
            try:
                await self._show(report, place, status)
                if status.stage is UploadStage.READY:
                    await self._notices.shown(report.document)
            except (SlackError, NotDelivered) as error:
                log.warning("upload_state_not_shown", version=report.version_id, error=str(error))

    async def _show(self, report: IngestReport, place: UploadPlace, status: UploadStatus) -> None:
        name = (place.conversation, place.upload_ts, report.document)
        shown = self._shown.get(name)
        if shown is not None:
            if status == shown.status or (
                not report.unchanged and shown.status.stage in ENDS and status.stage not in ENDS
            ):
                return
            place = replace(place, status_ts=shown.ts)
        ts = await self._replies.show(place, status)
        self._shown[name] = _Shown(ts, status)
        if len(self._shown) > MOST_SHOWN:
            del self._shown[next(iter(self._shown))]
        if ts != place.status_ts or report.unchanged:
            await self._note(report, replace(place, status_ts=ts))

    async def _note(self, report: IngestReport, place: UploadPlace) -> None:
        note = NOTE_ALSO if report.unchanged else NOTE_REPLY
        async with self._pool.connection() as connection:
            noted = await connection.execute(note, {"reply": Jsonb(asdict(place)), "version": report.version_id})
        if noted.rowcount == 0:
            # Deleted while it was posted: nobody knows of the message but us.
            await self._notices.delete(place.conversation, str(place.status_ts))
