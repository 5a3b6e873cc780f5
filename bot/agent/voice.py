"""The words of a voice clip: Slack's own transcript when it is complete by now, else the bundled recogniser's."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final, Protocol

from handlers.model import SharedFile
from ingest.ports import Segment
from retrieval.language import detect

MAX_CLIP_BYTES: Final = 50_000_000
"""Slack's clips end after five minutes; no real one comes near this."""


class ClipInfo(Protocol):
    """What Slack says of a file; the transcript is there only when it is complete."""

    @property
    def transcript(self) -> str | None: ...


class ClipFiles(Protocol):
    """Slack's files."""

    async def download(self, team: str, file_id: str, to: Path, *, max_bytes: int) -> ClipInfo: ...


class Hearing(Protocol):
    """Speech to text in a process of its own; raises ingest's Unreadable."""

    async def transcribe(self, path: Path, *, language: str | None = None) -> Sequence[Segment]: ...


class VoiceClips:
    """Satisfies ``bot.agent.ports.Clips``. Clips are kept in ``folder`` only while they are heard."""

    def __init__(self, *, files: ClipFiles, hearing: Hearing, folder: Path) -> None:
        self._files = files
        self._hearing = hearing
        self._folder = folder

    async def words(self, team: str, clip: SharedFile) -> str:
        """What was said; empty when nothing was. Raises ingest's Unreadable and handlers' SlackError."""
        with tempfile.TemporaryDirectory(prefix="clip-", dir=self._folder) as folder:
            path = Path(folder) / "clip"
            info = await self._files.download(team, clip.file_id, path, max_bytes=MAX_CLIP_BYTES)
            if info.transcript:
                return info.transcript
            segments = await self._hearing.transcribe(path)
        said = [segment.text.strip() for segment in segments]
        return ("" if detect("".join(said)) == "zh" else " ").join(said).strip()
