"""The words of the local workspace: people, conversations, files, and the app that lives in it."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

Json = dict[str, Any]
ConversationKind = Literal["public", "private", "group_dm", "dm"]

# The `channel_type` of a message event, by kind of conversation.
CHANNEL_TYPES: dict[ConversationKind, str] = {"public": "channel", "private": "group", "group_dm": "mpim", "dm": "im"}


# What the scopes for a kind of conversation begin with: `channels:history`, `groups:read` …
SCOPE_PREFIXES: dict[ConversationKind, str] = {
    "public": "channels",
    "private": "groups",
    "group_dm": "mpim",
    "dm": "im",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """Somebody in the workspace, the bot's own user included."""

    id: str
    name: str
    real_name: str
    team: str
    is_bot: bool = False
    is_guest: bool = False
    # A guest of one channel alone; a guest too.
    is_single_channel: bool = False
    is_stranger: bool = False
    is_admin: bool = False
    deleted: bool = False
    locale: str = "en-US"
    updated: int = 0

    @property
    def is_full_member(self) -> bool:
        """Whether the person sees every public channel: no guest, nobody from elsewhere, nobody who has left."""
        return not (self.is_guest or self.is_stranger or self.deleted)


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """A channel, group DM or DM. Its messages are kept beside it, by their ts."""

    id: str
    kind: ConversationKind
    name: str
    creator: str
    created: int
    members: tuple[str, ...]
    topic: str = ""
    is_archived: bool = False
    # Shared with the other teams named, or within the organisation; pending: they are asked and may not come yet.
    is_shared: bool = False
    is_org_shared: bool = False
    connected_teams: tuple[str, ...] = ()
    pending_teams: tuple[str, ...] = ()

    @property
    def is_channel(self) -> bool:
        return self.kind in ("public", "private")


@dataclass(frozen=True, slots=True, kw_only=True)
class UserGroup:
    """A user group (Slack's S… ids); `updated` is in seconds since 1970, as Slack's date_update."""

    id: str
    handle: str
    name: str
    creator: str
    created: int
    updated: int
    members: tuple[str, ...] = ()
    is_disabled: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """One message that shows a file."""

    conversation: str
    ts: str
    thread_ts: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class File:
    """An uploaded file; `revision` counts its contents, the bytes of each lie in a file of their own."""

    id: str
    name: str
    title: str
    mimetype: str
    size: int
    user: str
    created: int
    revision: int = 0
    subtype: str | None = None
    duration_ms: int | None = None
    transcript: str | None = None
    deleted: bool = False
    shares: tuple[Share, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Download:
    """What a link to the second host leads to."""

    path: Path
    mimetype: str


@dataclass(frozen=True, slots=True, kw_only=True)
class App:
    """The one app of the workspace, its bot user and its secrets."""

    id: str
    bot_id: str
    user: str
    team: str
    team_name: str
    bot_token: str
    app_token: str
    signing_secret: str
    # The organisation that it is installed in as a whole, if so: its token is for all workspaces there.
    enterprise: str | None = None
    # Slack's word for why the bot token is refused; none while the app is installed.
    refusal: str | None = None
