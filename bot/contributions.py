"""Whose files are learned: contributors'. Anybody else is told in their upload's thread how to become one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Protocol

import structlog
from psycopg_pool import AsyncConnectionPool

from bot.answers.rights import Memberships
from bot.uploads import SOURCE
from handlers import texts
from handlers.errors import SlackError
from handlers.model import Outgoing, SharedFile
from handlers.ports import Contributions, Messages
from ingest.catalog import Catalog
from ingest.ports import Jobs
from permissions.audit import Action, Audit, AuditEntry
from permissions.roles import Role
from retrieval.language import detect

log = structlog.get_logger()

VET_JOB: Final = "vet_upload"
"""Name of the job that looks again whether somebody may contribute, and tells them if not."""

VET_RETRIES: Final = 6
"""About a minute: as long as Slack does not say who somebody is."""

# One message's file is looked at, and its person told, once, however often it is delivered.
MARK_SEEN: Final = "INSERT INTO seen (key) VALUES (%(key)s) ON CONFLICT DO NOTHING"


class UploaderUnknown(Exception):
    """Who uploads is not freshly known yet; the job is tried again."""


class ContributorRoles(Protocol):
    """What :class:`permissions.roles.Roles` says of a person."""

    async def may(self, team: str, user: str, role: Role) -> bool: ...

    async def is_known(self, team: str, user: str) -> bool: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class VettedContributions:
    """Satisfies ``handlers.ports.Contributions`` in front of ``uploads``.

    Whoever is known to be a contributor is let through at once; about anybody else a job asks Slack first, because
    Slack waits for its acknowledgement.
    """

    pool: AsyncConnectionPool
    uploads: Contributions
    catalog: Catalog
    roles: ContributorRoles
    memberships: Memberships
    jobs: Jobs
    audit: Audit
    messages: Messages

    async def register(
        self, *, team: str, conversation: str, thread_ts: str, user: str, file: SharedFile, event_id: str | None
    ) -> bool:
        """Register a contributor's file, and anybody's further share of one that is known; False for all others."""
        is_known_file = await self.catalog.find(team=team, source=SOURCE, source_id=file.file_id) is not None
        if is_known_file or await self.roles.may(team, user, Role.CONTRIBUTOR):
            return await self.uploads.register(
                team=team, conversation=conversation, thread_ts=thread_ts, user=user, file=file, event_id=event_id
            )
        async with self.pool.connection() as connection, connection.transaction():
            key = f"vet/{team}/{conversation}/{thread_ts}/{file.file_id}"
            if (await connection.execute(MARK_SEEN, {"key": key})).rowcount:
                # No name of the file: arguments of jobs are logged.
                await self.jobs.enqueue(
                    connection,
                    VET_JOB,
                    team=team,
                    conversation=conversation,
                    thread_ts=thread_ts,
                    user=user,
                    file_id=file.file_id,
                    language=detect(file.name),
                )
        return False

    async def vet(self, **offer: str) -> None:
        """The job: let a contributor's file in after all, else tell the person. Raises UploaderUnknown."""
        team, user = offer["team"], offer["user"]
        await self.memberships.ensure_known(team=team, conversation=None, asker=user)
        if await self.roles.may(team, user, Role.CONTRIBUTOR):
            # Its name and type are read with it.
            file = SharedFile(file_id=offer["file_id"], name="", mimetype="", size=0)
            place = {"conversation": offer["conversation"], "thread_ts": offer["thread_ts"]}
            await self.uploads.register(team=team, user=user, file=file, event_id=None, **place)
            return
        if not await self.roles.is_known(team, user):
            raise UploaderUnknown
        await self._refuse(offer, "not_a_contributor", texts.NOT_A_CONTRIBUTOR)

    async def gave_up(self, **offer: str) -> None:
        """Slack did not say who this is: their file is not learned."""
        await self._refuse(offer, "unknown", texts.UPLOADER_UNKNOWN)

    async def _refuse(self, offer: dict[str, Any], reason: str, words: texts.Sentence) -> None:
        entry = AuditEntry(
            action=Action.REFUSAL,
            team=offer["team"],
            actor=offer["user"],
            conversation=offer["conversation"],
            details={"what": "upload", "file": offer["file_id"], "reason": reason},
        )
        await self.audit.note(entry)
        message = Outgoing(text=words(offer["language"]))
        try:
            await self.messages.post(offer["conversation"], message, thread_ts=offer["thread_ts"])
        except SlackError as error:
            log.warning("refusal_not_told", file=offer["file_id"], error=error.error)
