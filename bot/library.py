"""What people may know of the files that were learned: who can see one, which they look after, and that one is gone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC
from typing import Any, Final, LiteralString, NoReturn, Protocol

import structlog
from psycopg.rows import DictRow, dict_row
from psycopg_pool import AsyncConnectionPool

from bot.agent.texts import MAY_NOT_ASK
from bot.answers.rights import Memberships, Scopes
from bot.uploads import SOURCE, STAGES
from handlers.model import (
    FileAccess,
    FileRefused,
    HomeFacts,
    HomeFile,
    PlaceKind,
    RefusalReason,
    SeenFrom,
    UploadStage,
)
from ingest.catalog import Catalog
from ingest.deletion import Deletion
from ingest.model import State
from permissions.audit import Action, Audit, AuditEntry
from permissions.model import AccessScope, ConversationKind, Principal, PrincipalKind
from permissions.roles import AskRefusal, Role

log = structlog.get_logger()

PAGE: Final = 8
"""Files on one page of App Home: each takes two blocks of the hundred that Slack allows."""

# The title goes to those whom the document is open to, and to administrators.
FILE: Final = """
SELECT CASE WHEN %(all_titles)s OR EXISTS (
           SELECT FROM grants WHERE grants.document_id = document.document_id AND principal = ANY (%(principals)s))
       THEN title END AS title,
       array(SELECT principal FROM grants WHERE grants.document_id = document.document_id ORDER BY 1) AS granted
  FROM documents AS document
 WHERE document_id = %(document)s AND team = %(team)s AND deleted_at IS NULL
"""

# The newest first. A curator of the workspace looks after what is open to them, everybody after what they uploaded.
LOOKED_AFTER: Final = """
SELECT document.document_id, document.created_at, document.active_version IS NOT NULL AS is_found, latest.state,
       latest.cause, CASE WHEN is_open THEN title END AS title
  FROM documents AS document
 CROSS JOIN LATERAL (SELECT EXISTS (
           SELECT FROM grants WHERE grants.document_id = document.document_id AND principal = ANY (%(principals)s)
       ) AS is_open) AS rights
  JOIN LATERAL (SELECT state, cause FROM versions WHERE versions.document_id = document.document_id
                 ORDER BY number DESC LIMIT 1) AS latest ON true
 WHERE document.team = %(team)s AND deleted_at IS NULL
   AND (created_by = %(person)s OR (%(curates)s AND is_open))
 ORDER BY document.created_at DESC, document.document_id LIMIT %(limit)s OFFSET %(offset)s
"""

# Numbers of documents by the state of their latest version.
STATES: Final = """
SELECT latest.state, count(*)
  FROM documents
  JOIN LATERAL (SELECT state FROM versions WHERE versions.document_id = documents.document_id
                 ORDER BY number DESC LIMIT 1) AS latest ON true
 WHERE documents.team = %(team)s AND deleted_at IS NULL GROUP BY latest.state
"""

# People, not bots, who are still there.
CHANNELS: Final = """
SELECT conversation_id, kind,
       (SELECT count(*) FROM memberships AS m JOIN people AS p USING (team, user_id)
         WHERE m.team = c.team AND m.conversation_id = c.conversation_id AND NOT (p.is_bot OR p.is_deleted)) AS people
  FROM conversations AS c WHERE team = %(team)s AND conversation_id = ANY (%(ids)s)
"""

GROUPS: Final = """
SELECT group_id, count(*) AS people FROM group_members WHERE team = %(team)s AND group_id = ANY (%(ids)s) GROUP BY 1
"""

MEMBERS: Final = "SELECT count(*) AS people FROM people WHERE team = %(team)s AND is_full_member"

LOCALE: Final = "SELECT locale FROM people WHERE team = %(team)s AND user_id = %(person)s"


class PeopleRoles(Protocol):
    """What :class:`permissions.roles.Roles` says of a person."""

    async def of(self, team: str, user: str) -> Role: ...

    async def may_curate(self, team: str, user: str, document: str) -> bool: ...

    async def ask_refusal(self, team: str, user: str, kind: ConversationKind) -> AskRefusal | None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class FileLibrary:
    """Satisfies ``handlers.ports.Library``. Every answer is under the rights and role of now."""

    pool: AsyncConnectionPool
    catalog: Catalog
    deletion: Deletion
    scopes: Scopes
    roles: PeopleRoles
    memberships: Memberships
    audit: Audit

    async def language(self, team: str, person: str) -> str:
        """``zh`` for somebody whose Slack is in Chinese, else ``en``."""
        rows = await self._rows(LOCALE, team=team, person=person)
        return "zh" if rows and str(rows[0]["locale"]).lower().startswith("zh") else "en"

    async def known_file(self, *, team: str, file_id: str) -> str | None:
        """The document that was made of a file of Slack."""
        found = await self.catalog.find(team=team, source=SOURCE, source_id=file_id)
        return None if found is None else found.document_id

    async def who_sees(self, *, team: str, viewer: str, document: str) -> FileAccess:
        """For those whom the file is open to, and those who look after it; raises FileRefused for all others.

        Of a place that the viewer can't see is said that there is one, never which.
        """
        scope = await self._scope(team, viewer)
        is_admin = await self.roles.of(team, viewer) is Role.ADMINISTRATOR
        row = await self._file(scope, document, all_titles=is_admin)
        if row is None:
            raise FileRefused(RefusalReason.UNKNOWN)
        granted = [Principal.parse(name) for name in row["granted"]]
        may_forget = await self.roles.may_curate(team, viewer, document)
        if scope.principals.isdisjoint(granted) and not may_forget:
            await self._refused(team, viewer, document, "who_can_see", RefusalReason.NOT_ALLOWED)
        places = await self._places(scope, granted, all_people=may_forget)
        return FileAccess(document, row["title"], places, len(places) < len(granted), may_forget)

    async def forget(self, *, team: str, by: str, document: str) -> None:
        """Delete what was learned, when ``by`` looks after the file today; raises FileRefused."""
        scope = await self._scope(team, by)
        if await self._file(scope, document, all_titles=False) is None:
            raise FileRefused(RefusalReason.UNKNOWN)
        if not await self.roles.may_curate(team, by, document):
            await self._refused(team, by, document, "forget_file", RefusalReason.NOT_ALLOWED)
        details = {"what": "delete"}
        await self.audit.note(
            AuditEntry(action=Action.CURATION, team=team, actor=by, document=document, details=details)
        )
        await self.deletion.delete(document, by=by)

    async def home(self, *, team: str, person: str, page: int) -> HomeFacts:
        """The files that the person looks after, page by page; for administrators also how many there are in all."""
        scope, role = await self._scope(team, person), await self.roles.of(team, person)
        files, has_more = await self._looked_after(scope, page, curates=role is Role.CURATOR)
        language = await self.language(team, person)
        refusal = await self.roles.ask_refusal(team, person, ConversationKind.DM)
        return HomeFacts(
            person=person,
            language=language,
            role=role,
            files=files,
            page=page,
            has_more=has_more,
            states=await self._states(team) if role is Role.ADMINISTRATOR else None,
            may_not_ask=None if refusal is None else MAY_NOT_ASK[refusal]["zh" if language == "zh" else "en"],
        )

    async def _scope(self, team: str, person: str) -> AccessScope:
        await self.memberships.ensure_known(team=team, conversation=None, asker=person)
        return await self.scopes.scope(team=team, asker=person, conversation=None)

    async def _refused(self, team: str, person: str, document: str, what: str, reason: RefusalReason) -> NoReturn:
        details = {"what": what, "reason": reason}
        await self.audit.note(
            AuditEntry(action=Action.REFUSAL, team=team, actor=person, document=document, details=details)
        )
        log.info("file_refused", what=what, document=document, person=person)
        raise FileRefused(reason)

    async def _file(self, scope: AccessScope, document: str, *, all_titles: bool) -> DictRow | None:
        values = {"document": document, "principals": scope.principal_names(), "all_titles": all_titles}
        rows = await self._rows(FILE, team=scope.team, **values)
        return rows[0] if rows else None

    async def _looked_after(self, scope: AccessScope, page: int, *, curates: bool) -> tuple[tuple[HomeFile, ...], bool]:
        rows = await self._rows(
            LOOKED_AFTER,
            team=scope.team,
            person=scope.asker,
            principals=scope.principal_names(),
            curates=curates,
            limit=PAGE + 1,
            offset=page * PAGE,
        )
        return tuple(_home_file(row) for row in rows[:PAGE]), len(rows) > PAGE

    async def _states(self, team: str) -> Mapping[str, int]:
        counts = dict.fromkeys(UploadStage, 0)
        for row in await self._rows(STATES, team=team):
            counts[STAGES[State(row["state"])]] += row["count"]
        return {str(stage): count for stage, count in counts.items()}

    async def _places(
        self, scope: AccessScope, granted: Sequence[Principal], *, all_people: bool
    ) -> tuple[SeenFrom, ...]:
        """Those of ``granted`` that the scope's person can see; other people only for who looks after the file."""
        team, sees_public = scope.team, Principal.workspace(scope.team) in scope.principals
        channels = await self._by_id(CHANNELS, "conversation_id", team, granted, PrincipalKind.CHANNEL)
        groups = await self._by_id(GROUPS, "group_id", team, granted, PrincipalKind.GROUP)
        seen: list[SeenFrom] = []
        for principal in granted:
            is_own = principal in scope.principals
            match principal.kind:
                case PrincipalKind.WORKSPACE if is_own or all_people:
                    (row,) = await self._rows(MEMBERS, team=team)
                    seen.append(SeenFrom(PlaceKind.WORKSPACE, people=row["people"]))
                case PrincipalKind.CHANNEL:
                    row = channels.get(principal.id, {})
                    if is_own or (row.get("kind") == "public" and sees_public):
                        kind = PlaceKind.GROUP_DM if row.get("kind") == "group_dm" else PlaceKind.CHANNEL
                        seen.append(SeenFrom(kind, principal.id, row.get("people")))
                case PrincipalKind.GROUP if is_own or all_people:
                    seen.append(SeenFrom(PlaceKind.GROUP, principal.id, groups.get(principal.id, {}).get("people")))
                case PrincipalKind.USER if is_own or all_people:
                    seen.append(SeenFrom(PlaceKind.PERSON, principal.id))
        order = list(PlaceKind)
        return tuple(sorted(seen, key=lambda one: order.index(one.kind)))

    async def _by_id(
        self, statement: LiteralString, name: str, team: str, granted: Sequence[Principal], kind: PrincipalKind
    ) -> dict[str, DictRow]:
        ids = [principal.id for principal in granted if principal.kind is kind]
        rows = await self._rows(statement, team=team, ids=ids) if ids else []
        return {row[name]: row for row in rows}

    async def _rows(self, statement: LiteralString, **values: Any) -> list[DictRow]:
        async with self.pool.connection() as connection, connection.cursor(row_factory=dict_row) as cursor:
            await cursor.execute(statement, values)
            return await cursor.fetchall()


def _home_file(row: DictRow) -> HomeFile:
    """A file that serves is ready, whatever became of a later version of it."""
    state = State.PUBLISHED if row["is_found"] else State(row["state"])
    return HomeFile(
        document=row["document_id"],
        title=row["title"],
        stage=STAGES[state],
        shared_at=row["created_at"].astimezone(UTC).isoformat(timespec="seconds"),
        cause=None if row["is_found"] else row["cause"],
    )
