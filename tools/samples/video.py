"""Films script.py: ``python video.py FOLDER`` takes speech.py's sentences from FOLDER.

Makes after-sales-training.mp4, voice-zh.wav and voice-en.m4a. Needs the project's environment, Pillow, and the fonts of
Debian's fonts-noto-cjk.
"""

from __future__ import annotations

import sys
import wave
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import numpy.typing as npt
from av.audio import AudioStream
from av.container import OutputContainer
from PIL import Image, ImageDraw, ImageFont
from script import SLIDES, Slide

SAMPLES = Path(__file__).parents[2] / "bot" / "sandbox" / "samples"
FONT = "/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc"
SIZE = (960, 540)
FRAMES = 5  # a second: pictures stand still
RATE = 24_000
GAP = np.zeros(RATE * 5 // 12, dtype=np.int16)

Sound = npt.NDArray[np.int16]


def read(path: Path) -> tuple[Sound, int]:
    with wave.open(str(path)) as source:
        return np.frombuffer(source.readframes(source.getnframes()), dtype="<i2"), source.getframerate()


def spoken(folder: Path, number: int, slide: Slide) -> Sound:
    parts = [part for at in range(1, len(slide.said) + 1) for part in (read(folder / f"{number}-{at}.wav")[0], GAP)]
    return np.concatenate(parts)


def picture(slide: Slide) -> Image.Image:
    image = Image.new("RGB", SIZE, "#fbf4f2")
    draw = ImageDraw.Draw(image)
    draw.rectangle((0, 0, 18, SIZE[1]), fill="#9a3b4a")
    draw.text((80, 90), slide.title, font=ImageFont.truetype(FONT, 54, index=2), fill="#9a3b4a")
    for row, line in enumerate(slide.lines):
        draw.text((80, 230 + 80 * row), line, font=ImageFont.truetype(FONT, 38, index=2), fill="#222222")
    return image


def sound_stream(container: OutputContainer, rate: int = RATE) -> AudioStream:
    stream = container.add_stream("aac", rate=rate, bit_rate=96_000)
    stream.layout = "mono"
    return stream


def add_sound(container: OutputContainer, stream: AudioStream, sound: Sound) -> None:
    for start in range(0, len(sound), 1024):
        frame = av.AudioFrame.from_ndarray(sound[start : start + 1024].reshape(1, -1), format="s16", layout="mono")
        frame.sample_rate, frame.pts, frame.time_base = stream.rate, start, Fraction(1, stream.rate)
        container.mux(stream.encode(frame))
    container.mux(stream.encode(None))


def film(folder: Path, target: Path) -> None:
    sounds = [spoken(folder, number, slide) for number, slide in enumerate(SLIDES, 1)]
    with av.open(str(target), "w", options={"movflags": "faststart"}) as container:
        stream = container.add_stream("libx264", rate=FRAMES, options={"crf": "30", "tune": "stillimage"})
        stream.width, stream.height, stream.pix_fmt = *SIZE, "yuv420p"
        audio = sound_stream(container)  # before the first picture is written, because that writes the header
        ends = np.cumsum([len(sound) for sound in sounds]) / RATE
        shown = 0
        for slide, end in zip(SLIDES, ends, strict=True):
            frame = av.VideoFrame.from_image(picture(slide))
            while shown < end * FRAMES:
                frame.pts, frame.time_base = shown, Fraction(1, FRAMES)
                container.mux(stream.encode(frame))
                shown += 1
        container.mux(stream.encode(None))
        add_sound(container, audio, np.concatenate(sounds))


def main(folder: Path) -> None:
    film(folder, SAMPLES / "after-sales-training.mp4")
    (SAMPLES / "voice-zh.wav").write_bytes((folder / "asked-zh.wav").read_bytes())
    sound, rate = read(folder / "asked-en.wav")
    with av.open(str(SAMPLES / "voice-en.m4a"), "w", format="mp4") as container:
        add_sound(container, sound_stream(container, rate), sound)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
