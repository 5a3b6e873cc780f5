"""Speech to text: the right words, the right script, and nothing where nobody speaks."""

from __future__ import annotations

import re
from pathlib import Path

import av
import numpy as np
import pytest

from bot.models import speech
from bot.models.sound import RATE, windows
from bot.models.speech import WhisperTranscriber
from ingest.parsers.media import read_media
from ingest.parsers.source import Source
from retrieval.model import Modality, ReadBy
from tests.integration.parsing.files import given, wav, write


@pytest.fixture(scope="module")
def transcriber() -> WhisperTranscriber:
    return speech.build()


def _words(text: str) -> list[str]:
    return re.findall(r"[a-z']+|[\u4e00-\u9fff]", text.lower())


def _error_rate(heard: str, said: str) -> float:
    """Edits for each word (or Chinese character) that was said."""
    wanted, found = _words(said), _words(heard)
    costs = list(range(len(found) + 1))
    for row, word in enumerate(wanted, 1):
        diagonal, costs[0] = costs[0], row
        for column, other in enumerate(found, 1):
            diagonal, costs[column] = (
                costs[column],
                min(costs[column] + 1, costs[column - 1] + 1, diagonal + (word != other)),
            )
    return costs[-1] / len(wanted)


@pytest.mark.parametrize(
    ("name", "said", "most"),
    [
        (
            "jfk.flac",
            "And so, my fellow Americans, ask not what your country can do for you, "
            "ask what you can do for your country.",
            0.0,
        ),
        ("aishell-BAC009S0724W0121.wav", "广州市房地产中介协会分析", 0.17),
        ("LDC93S1_pcms16le_1_8000.wav", "She had your dark suit in greasy wash water all year.", 0.5),
    ],
)
def test_the_right_words(transcriber: WhisperTranscriber, name: str, said: str, most: float) -> None:
    segments = transcriber.transcribe(given("audio", name))
    assert _error_rate(" ".join(segment.text for segment in segments), said) <= most
    assert all(0 <= segment.start_ms < segment.end_ms for segment in segments)


def test_a_video_is_read_by_speech_with_times(transcriber: WhisperTranscriber) -> None:
    told: list[tuple[int, int, str]] = []
    path = given("audio", "sample_10s_video-mp4.mp4")
    parsed = read_media(
        Source(path=path, name="clip.mp4", transcriber=lambda: transcriber, progress=lambda *now: told.append(now))
    )
    (unit,) = parsed.units
    assert parsed.modality is Modality.VIDEO
    assert unit.read_by is ReadBy.SPEECH
    assert unit.text.startswith("Shakespeare on Scenery by Oscar Wilde")
    assert unit.place.start_ms is not None
    assert 0 <= unit.place.start_ms < 2_000
    assert told[-1][2] == "seconds"


def _noises() -> dict[str, np.ndarray]:
    time = np.arange(RATE * 3) / RATE
    random = np.random.default_rng(1)
    return {
        "silence": np.zeros(len(time)),
        "hiss": random.normal(0, 0.05, len(time)),
        "hum": 0.3 * np.sin(2 * np.pi * 50 * time),
        "beeps": 0.3 * np.sin(2 * np.pi * 440 * time) * (np.sin(4 * np.pi * time) > 0),
        "faint": random.normal(0, 0.0005, len(time)),
    }


@pytest.mark.parametrize("name", _noises())
@pytest.mark.parametrize("language", [None, "zh", "en"])
def test_nothing_is_heard_where_nobody_speaks(
    transcriber: WhisperTranscriber, tmp_path: Path, name: str, language: str | None
) -> None:
    assert transcriber.transcribe(wav(tmp_path, "a.wav", _noises()[name]), language=language) == []


def test_the_given_silence_is_nothing(transcriber: WhisperTranscriber) -> None:
    assert transcriber.transcribe(given("audio", "silent_1s.wav")) == []


def test_what_is_no_sound_is_damaged(transcriber: WhisperTranscriber, tmp_path: Path) -> None:
    with pytest.raises(av.FFmpegError):
        transcriber.transcribe(write(tmp_path, "a.wav", b"RIFF\x24\0\0\0WAVEfmt "))


def test_another_model_in_the_wheel_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(speech, "MODEL_SHA256", "0" * 64)
    tone = wav(tmp_path, "a.wav", _noises()["beeps"])
    monkeypatch.setattr(speech, "get_speech_timestamps", lambda samples, _vad: [{"start": 0, "end": len(samples)}])
    with pytest.raises(ValueError, match="not the expected one"):
        WhisperTranscriber().transcribe(tone)


def test_long_sound_comes_in_windows_cut_in_silence(tmp_path: Path) -> None:
    seconds = 620
    samples = np.tile(np.sin(np.arange(RATE) / 5), seconds) * 0.3
    for quiet in (290, 580):
        samples[quiet * RATE : quiet * RATE + RATE] = 0
    found = list(windows(wav(tmp_path, "long.wav", samples)))
    assert [window.start_ms / 1000 for window in found] == pytest.approx([0, 290.5, 580.5], abs=0.6)
    assert sum(len(window.samples) for window in found) == seconds * RATE
    assert found[1].start_ms == found[0].end_ms
