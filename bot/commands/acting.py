"""``--as``: a command in somebody's name, within their role and rights."""

from __future__ import annotations

from bot.agent.texts import MAY_NOT_ASK
from bot.bootstrap import Core
from bot.commands.names import Names
from bot.commands.output import Declined
from permissions.audit import Action, AuditEntry
from permissions.model import ConversationKind
from permissions.roles import Role

OPERATOR = "command"
"""Who acts where nobody is named: whoever has this machine has its stores."""


async def person_with(core: Core, team: str, word: str, role: Role, *, what: str) -> str:
    """The id of the person called ``word``; raises Declined, and notes it, when they may not what ``role`` may."""
    person = await Names(pool=core.pool).person(team, word)
    if not await core.roles.may(team, person, role):
        await refused(core, team, person, what=what, reason=f"not_{role}")
        has = await core.roles.of(team, person)
        raise Declined(
            f"{word} is {has} and not {role}: workspace admins, and those whom the setting roles.{role}s lists, are. "
            "What Slack says of people counts for a while only (limits.membership_max_age_hours): start the bot if it "
            "has been off for long"
        )
    return person


async def may_ask(core: Core, team: str, person: str, conversation: str | None) -> None:
    """Raises Declined in the words that Slack would show, and notes it, where the person may not ask (None: a DM)."""
    kind = ConversationKind.DM if conversation is None else ConversationKind.PRIVATE
    reason = await core.roles.ask_refusal(team, person, kind)
    if reason is not None:
        await refused(core, team, person, what="question", reason=reason, conversation=conversation)
        raise Declined(MAY_NOT_ASK[reason]["en"])


async def refused(
    core: Core,
    team: str,
    person: str,
    *,
    what: str,
    reason: str,
    conversation: str | None = None,
    document: str | None = None,
) -> None:
    """Note that somebody was refused something."""
    entry = AuditEntry(
        action=Action.REFUSAL,
        team=team,
        actor=person,
        conversation=conversation,
        document=document,
        details={"what": what, "reason": reason},
    )
    await core.audit.note(entry)
