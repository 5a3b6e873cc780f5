"""What a parser is given."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path, PurePath

from ingest.limits import Limits
from ingest.ports import Transcriber

Progress = Callable[[int, int, str], None]
"""Called with how much is done, of how much, and the unit: ``pages``, ``slides``, ``sheets`` or ``seconds``."""


def no_progress(_done: int, _total: int, _unit: str) -> None:
    """Progress that nobody watches."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """One file to read: where it is, what it was called, and what reading it may cost."""

    path: Path
    name: str
    mimetype: str = ""
    limits: Limits = field(default_factory=Limits)
    progress: Progress = no_progress
    transcriber: Callable[[], Transcriber] | None = None
    """Makes the recogniser, or gives the one that was made before; called for sound alone, as it is large."""

    @property
    def title(self) -> str:
        """The name without its extension."""
        return PurePath(self.name).stem or self.name

    @property
    def extension(self) -> str:
        return PurePath(self.name).suffix.lower().removeprefix(".")
