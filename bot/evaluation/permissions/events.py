"""What happens in a generated workspace: steps whose numbers choose among what there is when they are taken."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from random import Random


class Kind(StrEnum):
    """What somebody does, or what goes wrong on the way to the bot."""

    ASK = "ask"
    ASK_ALONE = "ask_alone"
    FOLLOW_UP = "follow_up"
    CLICK = "click"
    HOME = "home"
    UPLOAD = "upload"
    NEW_VERSION = "new_version"
    SHARE = "share"
    UNSHARE = "unshare"
    DELETE_FILE = "delete_file"
    DELETE_MESSAGE = "delete_message"
    JOIN = "join"
    INVITE = "invite"
    LEAVE = "leave"
    KICK = "kick"
    DEACTIVATE = "deactivate"
    HIRE = "hire"
    TURN = "turn"
    MAKE_PRIVATE = "make_private"
    MAKE_PUBLIC = "make_public"
    CONNECT = "connect"
    DISCONNECT = "disconnect"
    CHANGE_ID = "change_id"
    DELETE_CHANNEL = "delete_channel"
    ARCHIVE = "archive"
    UNARCHIVE = "unarchive"
    RENAME = "rename"
    BOT_LEAVES = "bot_leaves"
    BOT_RETURNS = "bot_returns"
    DUPLICATE = "duplicate"
    HOLD = "hold"
    LET_GO = "let_go"
    LOSE = "lose"
    SETTLE = "settle"


WEIGHTS: dict[Kind, int] = {
    Kind.ASK: 26,
    Kind.ASK_ALONE: 6,
    Kind.FOLLOW_UP: 4,
    Kind.CLICK: 12,
    Kind.HOME: 2,
    Kind.UPLOAD: 3,
    Kind.NEW_VERSION: 2,
    Kind.SHARE: 4,
    Kind.UNSHARE: 3,
    Kind.DELETE_FILE: 2,
    Kind.DELETE_MESSAGE: 2,
    Kind.JOIN: 3,
    Kind.INVITE: 6,
    Kind.LEAVE: 5,
    Kind.KICK: 5,
    Kind.DEACTIVATE: 2,
    Kind.HIRE: 1,
    Kind.TURN: 2,
    Kind.MAKE_PRIVATE: 2,
    Kind.MAKE_PUBLIC: 1,
    Kind.CONNECT: 1,
    Kind.DISCONNECT: 1,
    Kind.CHANGE_ID: 1,
    Kind.DELETE_CHANNEL: 1,
    Kind.ARCHIVE: 1,
    Kind.UNARCHIVE: 2,
    Kind.RENAME: 1,
    Kind.BOT_LEAVES: 1,
    Kind.BOT_RETURNS: 2,
    Kind.DUPLICATE: 3,
    Kind.HOLD: 3,
    Kind.LET_GO: 3,
    Kind.LOSE: 2,
    Kind.SETTLE: 8,
}
"""How often each kind is drawn, in parts of their sum. Questions and clicks are half of what happens."""


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that happens; the numbers are taken modulo the people, places, files … that can take part."""

    kind: Kind
    who: int = 0
    where: int = 0
    what: int = 0

    def __str__(self) -> str:
        return f"{self.kind}({self.who},{self.where},{self.what})"


def steps(random: Random, *, count: int) -> list[Step]:
    """A course of events."""
    kinds = random.choices(list(WEIGHTS), weights=list(WEIGHTS.values()), k=count)
    return [Step(kind, *(random.randrange(10**6) for _ in range(3))) for kind in kinds]
