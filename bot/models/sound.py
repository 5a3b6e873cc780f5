"""Sound files to samples: decoding by PyAV, loudness and silences by pydub."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import av
import numpy as np
import numpy.typing as npt

with warnings.catch_warnings():  # pydub looks for ffmpeg, which PyAV replaces here, and imports audioop
    warnings.simplefilter("ignore")
    from pydub import AudioSegment
    from pydub.silence import detect_silence

RATE = 16_000
"""Samples a second, one channel, 16 bits."""

_WINDOW_S = 300
_SEARCHED_S = 30
"""A window is cut in a silence of its last seconds, so that no word is cut in two."""

Samples = npt.NDArray[np.int16]


@dataclass(frozen=True, slots=True)
class Window:
    """A stretch of sound; ``start_ms`` is where it begins in the medium."""

    start_ms: int
    samples: Samples

    @property
    def end_ms(self) -> int:
        return self.start_ms + milliseconds(len(self.samples))


def milliseconds(samples: int) -> int:
    return samples * 1000 // RATE


def windows(media: Path) -> Iterator[Window]:
    """The sound of a medium in windows of some minutes, so that memory does not grow with its length.

    Raises av.FFmpegError for what cannot be decoded. Packets that are damaged in the middle are left out.
    """
    start, pending = 0, np.empty(0, np.int16)
    parts: list[Samples] = []
    for first_ms, part in _decoded(media):
        start = start or first_ms
        parts.append(part)
        if sum(map(len, parts)) + len(pending) >= _WINDOW_S * RATE:
            pending = np.concatenate([pending, *parts])
            parts = []
            cut = _quiet_place(pending)
            window = Window(start, pending[:cut])
            yield window
            start, pending = window.end_ms, pending[cut:]
    if parts or len(pending):
        yield Window(start, np.concatenate([pending, *parts]))


def segment_of(samples: Samples) -> AudioSegment:
    """The samples as pydub has them."""
    return AudioSegment(data=samples.tobytes(), sample_width=2, frame_rate=RATE, channels=1)


def peak_dbfs(samples: Samples) -> float:
    """The loudest sample in decibels below full scale; minus infinity for digital silence."""
    return float(segment_of(samples).max_dBFS)


def _decoded(media: Path) -> Iterator[tuple[int, Samples]]:
    """Pieces of sound, each with where in the medium the first of them begins."""
    resampler = av.AudioResampler(format="s16", layout="mono", rate=RATE)
    first_ms = -1
    damage: av.FFmpegError | None = None
    with av.open(str(media)) as container:
        stream = container.streams.audio[0]
        for packet in container.demux(stream):
            try:
                frames = packet.decode()
            except av.InvalidDataError as error:
                damage = error
                continue
            for frame in frames:
                if first_ms < 0:
                    first_ms = max(0, round((frame.time or 0) * 1000))
                for part in resampler.resample(frame):
                    yield first_ms, part.to_ndarray().reshape(-1).astype(np.int16, copy=False)
    if first_ms < 0 and damage:
        raise damage
    if first_ms >= 0:
        for part in resampler.resample(None):
            yield first_ms, part.to_ndarray().reshape(-1).astype(np.int16, copy=False)


def _quiet_place(samples: Samples) -> int:
    """The middle of the longest silence near the end, or the end."""
    tail = segment_of(samples[-_SEARCHED_S * RATE :])
    silences = detect_silence(tail, min_silence_len=200, silence_thresh=tail.dBFS - 16, seek_step=20)
    if not silences:
        return len(samples)
    start, end = max(silences, key=lambda silence: silence[1] - silence[0])
    middle = (int(start) + int(end)) // 2
    return len(samples) - _SEARCHED_S * RATE + middle * RATE // 1000
