"""Containers of sound and video: what they are, how long, and how speech becomes units."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest

from bot.models.sound import RATE, windows
from ingest.limits import Limits
from ingest.model import Cause, Parsed, Unreadable
from ingest.parsers import parse, transcribe
from ingest.parsers.source import Source
from ingest.ports import Segment
from retrieval.model import Modality, ReadBy
from tests.integration.parsing.files import write

_SECONDS = 2


class _Listener:
    """Hears one sentence of ten seconds after the other, for as long as it is told."""

    def __init__(self, sentences: int) -> None:
        self._sentences = sentences

    def transcribe(
        self, media: Path, *, language: str | None = None, progress: Callable[[int], None] | None = None
    ) -> Sequence[Segment]:
        for second in range(10, 10 * self._sentences + 1, 10):
            if progress:
                progress(second)
        return [Segment(n * 10_000, n * 10_000 + 9_500, f"sentence {n}") for n in range(self._sentences)]


def _encode(path: Path, codec: str, *, pictures: int = 0, sound: bool = True, layout: str = "mono") -> Path:
    """A tone of two seconds, with so many pictures."""
    with av.open(str(path), "w") as out:
        video = out.add_stream("mpeg4", rate=10) if pictures else None
        audio = out.add_stream(codec, rate=48_000, layout=layout) if sound else None
        if video:
            video.width = video.height = 64
            for _ in range(pictures):
                frame = av.VideoFrame.from_ndarray(np.zeros((64, 64, 3), np.uint8), format="rgb24")
                out.mux(video.encode(frame))
            out.mux(video.encode(None))
        if audio:
            for part in _tone(audio, layout):
                out.mux(audio.encode(part))
            out.mux(audio.encode(None))
    return path


def _tone(stream: av.AudioStream, layout: str) -> list[av.AudioFrame]:
    """In frames as the stream's codec wants them."""
    samples = (np.sin(np.arange(48_000 * _SECONDS) / 20) * 9_000).astype(np.int16)
    frame = av.AudioFrame.from_ndarray(
        np.repeat(samples, 2 if layout == "stereo" else 1).reshape(1, -1), format="s16", layout=layout
    )
    frame.sample_rate, frame.pts, frame.time_base = 48_000, 0, Fraction(1, 48_000)
    if not stream.codec_context.is_open:  # muxing the pictures has opened it
        stream.codec_context.open()
    size = stream.codec_context.frame_size or 0
    resampler = av.AudioResampler(stream.codec_context.format, layout, 48_000, frame_size=size)
    return [*resampler.resample(frame), *resampler.resample(None)]


def _read(path: Path, *, sentences: int = 1, limits: Limits | None = None, mimetype: str = "") -> Parsed:
    listener = _Listener(sentences)
    source = Source(path=path, name="clip", mimetype=mimetype, limits=limits or Limits(), transcriber=lambda: listener)
    return parse(source)


@pytest.mark.parametrize(
    ("name", "codec"),
    [
        ("a.m4a", "aac"),
        ("a.mp4", "aac"),
        ("a.mp3", "libmp3lame"),
        ("a.ogg", "libopus"),
        ("a.opus", "libopus"),
        ("a.webm", "libopus"),
        ("a.flac", "flac"),
        ("a.wav", "pcm_s16le"),
    ],
)
@pytest.mark.parametrize("layout", ["mono", "stereo"])
def test_every_container_is_sound_of_its_length(tmp_path: Path, name: str, codec: str, layout: str) -> None:
    path = _encode(tmp_path / name, codec, layout=layout)
    parsed = _read(path, mimetype="video/mp4")
    assert parsed.modality is Modality.AUDIO
    assert parsed.counts["seconds"] in (_SECONDS, _SECONDS - 1)
    samples = np.concatenate([window.samples for window in windows(path)])
    assert len(samples) == pytest.approx(_SECONDS * RATE, rel=0.06)
    assert np.sqrt(np.mean(np.square(samples.astype(float)))) == pytest.approx(9_000 / np.sqrt(2), rel=0.2)


def test_pictures_that_move_make_a_video(tmp_path: Path) -> None:
    assert _read(_encode(tmp_path / "a.mp4", "aac", pictures=20)).modality is Modality.VIDEO
    assert _read(_encode(tmp_path / "b.mp4", "aac", pictures=1)).modality is Modality.AUDIO


def test_a_video_without_sound_holds_no_speech(tmp_path: Path) -> None:
    path = _encode(tmp_path / "a.mp4", "", pictures=20, sound=False)
    with pytest.raises(Unreadable) as refusal:
        _read(path)
    assert refusal.value.cause is Cause.NO_SPEECH


def test_silence_holds_no_speech_but_a_silent_clip_is_just_silent(tmp_path: Path) -> None:
    path = _encode(tmp_path / "a.wav", "pcm_s16le")
    with pytest.raises(Unreadable) as refusal:
        _read(path, sentences=0)
    assert refusal.value.cause is Cause.NO_SPEECH
    source = Source(path=path, name="", transcriber=lambda: _Listener(0))
    assert list(transcribe(source, language=None)) == []


def test_units_span_about_a_minute_and_blocks_a_sentence(tmp_path: Path) -> None:
    parsed = _read(_encode(tmp_path / "a.wav", "pcm_s16le"), sentences=12)
    assert [(unit.place.start_ms, unit.place.end_ms) for unit in parsed.units] == [
        (0, 49_500),
        (50_000, 99_500),
        (100_000, 119_500),
    ]
    assert parsed.units[0].blocks[1].place.start_ms == 10_000
    assert {unit.read_by for unit in parsed.units} == {ReadBy.SPEECH}


def test_length_is_limited_by_what_the_file_says_and_by_what_is_heard(tmp_path: Path) -> None:
    path = _encode(tmp_path / "a.wav", "pcm_s16le")
    for limits, sentences in ((Limits(media_seconds=1), 1), (Limits(media_seconds=25), 4)):
        with pytest.raises(Unreadable) as refusal:
            _read(path, limits=limits, sentences=sentences)
        assert refusal.value.cause is Cause.TOO_LONG


def test_empty_and_oversized_clips(tmp_path: Path) -> None:
    for data, limits, wanted in ((b"", Limits(), Cause.EMPTY), (b"x" * 9, Limits(file_bytes=8), Cause.TOO_LARGE)):
        source = Source(path=write(tmp_path, "a.wav", data), name="", limits=limits, transcriber=lambda: _Listener(0))
        with pytest.raises(Unreadable) as refusal:
            transcribe(source, language=None)
        assert refusal.value.cause is wanted
