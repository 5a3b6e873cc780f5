"""An event as it arrives from Slack, and what can be decided about it."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from handlers.model import Inquiry, SharedFile
from handlers.wellformed import wellformed
from permissions.model import ConversationKind

_KINDS = {
    "channel": ConversationKind.PUBLIC,
    "group": ConversationKind.PRIVATE,
    "mpim": ConversationKind.GROUP_DM,
    "im": ConversationKind.DM,
}
_FENCED = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_CODE = re.compile(r"`[^`\n]+`")
_QUOTED = re.compile(r"(?m)^\s*(?:&gt;|>).*$")
_LINK = re.compile(r"<(?!@)(?:[#!]?)(?P<target>[^<>|]*)(?:\|(?P<label>[^<>]*))?>")


@dataclass(frozen=True, slots=True)
class Identity:
    """Who the bot is in its workspace, as ``auth.test`` says."""

    team: str
    user: str
    bot: str
    name: str = ""


@dataclass(frozen=True, slots=True)
class Arrival:
    """One event callback. ``event_id`` differs between deliveries of the same message.

    ``is_ours``: it is of the workspace that the app is installed in, or of a channel that is shared with it.
    """

    team: str
    event_id: str | None
    event: Mapping[str, Any]
    identity: Identity
    is_ours: bool = True

    @classmethod
    def of(cls, body: Mapping[str, Any], identity: Identity) -> Arrival:
        """Read an ``event_callback``; the team is the one that the app is installed in, also for shared channels."""
        # An organisation's installation is authorised for all of its workspaces: the event's own is what counts.
        named = [
            body.get("team_id") if one.get("is_enterprise_install") else one.get("team_id")
            for one in body.get("authorizations") or ()
        ]
        named = [team for team in named if team] or [body.get("team_id") or identity.team]
        if body.get("is_ext_shared_channel"):
            named.append(body.get("context_team_id"))
        is_ours = identity.team in named
        event = wellformed(body.get("event") or {})
        team = identity.team if is_ours else str(named[0])
        return cls(team=team, event_id=body.get("event_id"), event=event, identity=identity, is_ours=is_ours)


@dataclass(frozen=True, slots=True)
class Question:
    """Ask this; with ``only_if_engaged`` only when the bot has a run in its thread."""

    inquiry: Inquiry
    only_if_engaged: bool = False


@dataclass(frozen=True, slots=True)
class Upload:
    """Learn this file; ``upload_ts`` is the message that brought it."""

    conversation: str
    upload_ts: str
    user: str
    file: SharedFile


@dataclass(frozen=True, slots=True)
class QuestionEdited:
    """Somebody changed the words of their message."""

    inquiry: Inquiry


@dataclass(frozen=True, slots=True)
class QuestionDeleted:
    """A message is gone."""

    conversation: str
    message_ts: str


@dataclass(frozen=True, slots=True)
class FileMoved:
    """Where a file is shared, or what it holds, has changed."""

    file_id: str
    new_content: bool = False


@dataclass(frozen=True, slots=True)
class FileShown:
    """A message shows a file that nobody asks us to learn by it: a bot's, or one that was added to it."""

    conversation: str
    ts: str
    file_id: str


@dataclass(frozen=True, slots=True)
class FilesUnshown:
    """A message shows these files no more; ``is_gone``: it was deleted, with whatever else it showed."""

    conversation: str
    ts: str
    files: tuple[str, ...]
    is_gone: bool = False


@dataclass(frozen=True, slots=True)
class PlaceChanged:
    """The bot came or went, or a conversation is of another kind or id now: its files are other people's to read.

    ``is_gone``: it was deleted.
    """

    conversation: str
    is_gone: bool = False


@dataclass(frozen=True, slots=True)
class FileDeleted:
    """A file is gone for everybody."""

    file_id: str


Decision = (
    Question
    | Upload
    | QuestionEdited
    | QuestionDeleted
    | FileMoved
    | FileShown
    | FilesUnshown
    | FileDeleted
    | PlaceChanged
)


def kind_of(event: Mapping[str, Any]) -> ConversationKind:
    """The conversation's kind. ``app_mention`` does not say it; C… may be private, so that is assumed."""
    named = _KINDS.get(str(event.get("channel_type") or ""))
    if named is not None:
        return named
    return ConversationKind.DM if str(event.get("channel", "")).startswith("D") else ConversationKind.PRIVATE


def is_from_person(message: Mapping[str, Any], identity: Identity) -> bool:
    """True for what a person wrote: not ourselves, another bot, Slackbot, or a notice without an author."""
    user = message.get("user")
    return bool(user) and user not in {identity.user, "USLACKBOT"} and not message.get("bot_id")


def mentions_bot(text: str, identity: Identity) -> bool:
    """Whether the bot is addressed: a mention in code or in a quotation is talk about it, not to it."""
    return bool(_mention(identity).search(_QUOTED.sub("", _CODE.sub("", _FENCED.sub("", text)))))


def starts_with_another(text: str, identity: Identity) -> bool:
    """Whether the message is clearly addressed to another person."""
    first = re.match(r"\s*<@([A-Z0-9]+)(?:\|[^>]*)?>", text)
    return first is not None and first[1] != identity.user


def words_of(text: str, identity: Identity) -> str:
    """The message as its author sees it, without the mention of the bot: links by their words, entities decoded."""
    text = _LINK.sub(lambda match: match["label"] or match["target"], _mention(identity).sub(" ", text))
    return html.unescape(re.sub(r"[ \t]{2,}", " ", text)).strip()


def _mention(identity: Identity) -> re.Pattern[str]:
    return re.compile(rf"<@{re.escape(identity.user)}(?:\|[^>]*)?>")
