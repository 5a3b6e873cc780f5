"""Who may ask where: decided by role before anything is heard, read or searched."""

from __future__ import annotations

from typing import Protocol

import structlog

from bot.agent.saying import language_of, say
from bot.agent.texts import MAY_NOT_ASK
from bot.answers.evidence import new_id
from bot.answers.rights import Memberships
from handlers.model import Completion, Final, Inquiry
from permissions.audit import Action, Audit, AuditEntry
from permissions.model import ConversationKind
from permissions.roles import AskRefusal

log = structlog.get_logger()


class AskingRoles(Protocol):
    """Why somebody may not ask in a conversation of this kind; None when they may."""

    async def ask_refusal(self, team: str, user: str, kind: ConversationKind) -> AskRefusal | None: ...


class Admission:
    """Lets questions in."""

    def __init__(self, *, roles: AskingRoles, memberships: Memberships, audit: Audit) -> None:
        self._roles = roles
        self._memberships = memberships
        self._audit = audit

    async def asks_alone(self, inquiry: Inquiry) -> bool:
        """Whether the person may ask in direct messages: what was said of them a moment ago is enough for advice."""
        return await self._roles.ask_refusal(inquiry.team, inquiry.asker, ConversationKind.DM) is None

    async def refusal(self, run_id: str, inquiry: Inquiry) -> Final | None:
        """What a person is told who may not ask there, noted before it is said; None for everybody else."""
        team, asker = inquiry.team, inquiry.asker
        await self._memberships.ensure_known(team=team, conversation=inquiry.conversation, asker=asker)
        reason = await self._roles.ask_refusal(team, asker, inquiry.kind)
        if reason is None:
            return None
        log.info("question_refused", run_id=run_id, reason=reason)
        entry = AuditEntry(
            action=Action.REFUSAL,
            team=team,
            actor=asker,
            run=run_id,
            conversation=inquiry.conversation,
            details={"what": "question", "reason": reason},
        )
        await self._audit.note(entry)
        return Final(
            run_id=run_id,
            answer_id=new_id("ans"),
            revision=1,
            text=say(MAY_NOT_ASK[reason], inquiry),
            evidence=None,
            gaps=(),
            notices=(),
            completion=Completion.REFUSED,
            language=language_of(inquiry),
        )
