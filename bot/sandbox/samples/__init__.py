"""A small decoration company as a workspace: its people, channels and files. The files are made by tools/samples."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

_FOLDER = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class SamplePerson:
    name: str
    real_name: str
    locale: str
    is_guest: bool = False
    is_admin: bool = False


@dataclass(frozen=True, slots=True)
class SampleChannel:
    """``members`` are names of people; the bot is in every channel besides."""

    name: str
    kind: Literal["public", "private"]
    topic: str
    members: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SampleFile:
    """A file at ``path`` that ``by`` uploads to ``channel`` as ``name``, with a comment."""

    path: Path
    name: str
    channel: str
    by: str
    comment: str


@dataclass(frozen=True, slots=True)
class SampleVoice:
    """A recorded question: ``words`` is what is said in it."""

    path: Path
    by: str
    language: Literal["zh", "en"]
    words: str


@dataclass(frozen=True, slots=True)
class Samples:
    """The whole workspace. People and channels are named, ids are the workspace's own affair."""

    team: str
    people: tuple[SamplePerson, ...]
    channels: tuple[SampleChannel, ...]
    files: tuple[SampleFile, ...]
    voices: tuple[SampleVoice, ...]

    def file(self, name: str) -> SampleFile:
        """The file that lies in this package as ``name``; raises KeyError."""
        for item in self.files:
            if item.path.name == name:
                return item
        raise KeyError(name)


def load() -> Samples:
    """Read the workspace that comes with this package."""
    data: dict[str, Any] = json.loads((_FOLDER / "workspace.json").read_text(encoding="utf-8"))
    return Samples(
        team=data["team"],
        people=tuple(SamplePerson(**item) for item in data["people"]),
        channels=tuple(SampleChannel(**{**item, "members": tuple(item["members"])}) for item in data["channels"]),
        files=tuple(SampleFile(**_located(item)) for item in data["files"]),
        voices=tuple(SampleVoice(**_located(item)) for item in data["voices"]),
    )


def _located(item: dict[str, Any]) -> dict[str, Any]:
    """The fields of a file's entry, with its path in place of its name in this package."""
    return {"path": _FOLDER / item["file"]} | {name: value for name, value in item.items() if name != "file"}
