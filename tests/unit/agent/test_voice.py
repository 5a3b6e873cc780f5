"""The words of a voice clip."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from bot.agent.ports import Clips
from bot.agent.voice import MAX_CLIP_BYTES, VoiceClips
from handlers.model import SharedFile
from ingest.model import Cause, Unreadable
from ingest.ports import Segment

CLIP = SharedFile("F1", "audio_message.m4a", "video/mp4", 3, is_voice_clip=True)


@dataclass
class Info:
    transcript: str | None


class Files:
    """Slack's files: one clip of three bytes."""

    def __init__(self, transcript: str | None = None) -> None:
        self._transcript = transcript

    async def download(self, team: str, file_id: str, to: Path, *, max_bytes: int) -> Info:
        assert (team, file_id, max_bytes) == ("T1", "F1", MAX_CLIP_BYTES)
        to.write_bytes(b"abc")  # noqa: ASYNC240 - three bytes
        return Info(self._transcript)


class Hearing:
    """A recogniser that hears these words in a clip of three bytes."""

    def __init__(self, *words: str) -> None:
        self._words = words

    async def transcribe(self, path: Path, *, language: str | None = None) -> Sequence[Segment]:
        if path.read_bytes() != b"abc":  # noqa: ASYNC240 - three bytes
            raise Unreadable(Cause.DAMAGED)
        return [Segment(0, 1000, words) for words in self._words]


@pytest.mark.parametrize(
    ("heard", "words"),
    [
        (("How many days", " of leave?"), "How many days of leave?"),
        (("年假", "有几天？"), "年假有几天？"),
        ((), ""),
    ],
)
async def test_what_was_said(tmp_path: Path, heard: tuple[str, ...], words: str) -> None:
    clips: Clips = VoiceClips(files=Files(), hearing=Hearing(*heard), folder=tmp_path)
    assert await clips.words("T1", CLIP) == words


async def test_slacks_transcript_is_taken_when_it_is_complete_by_now(tmp_path: Path) -> None:
    clips = VoiceClips(files=Files("年假有几天？"), hearing=Hearing("wrong"), folder=tmp_path)
    assert await clips.words("T1", CLIP) == "年假有几天？"


async def test_nothing_of_the_clip_is_kept(tmp_path: Path) -> None:
    await VoiceClips(files=Files(), hearing=Hearing("a"), folder=tmp_path).words("T1", CLIP)
    assert entries_of(tmp_path) == []


def entries_of(folder: Path) -> list[Path]:
    return list(folder.iterdir())
