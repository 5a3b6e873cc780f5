"""What is spoken in the demo is heard by the bundled recogniser."""

from __future__ import annotations

import pytest

from bot.models.speech import WhisperTranscriber
from bot.sandbox.samples import load


@pytest.fixture(scope="module")
def recogniser() -> WhisperTranscriber:
    return WhisperTranscriber()


def letters(text: str) -> str:
    return "".join(letter for letter in text.casefold() if letter.isalnum())


def test_spoken_questions_are_heard_word_for_word(recogniser: WhisperTranscriber) -> None:
    for voice in load().voices:
        heard = " ".join(segment.text for segment in recogniser.transcribe(voice.path))
        assert letters(heard) == letters(voice.words)


def test_the_video_says_how_to_explain_the_after_sales_process(recogniser: WhisperTranscriber) -> None:
    segments = recogniser.transcribe(load().file("after-sales-training.mp4").path)
    heard = letters(" ".join(segment.text for segment in segments))
    assert "向客户解释售后流程" in heard
    assert "售后流程有五个步骤" in heard
    assert "防水保修八年" in heard
    assert segments[-1].end_ms <= 60_000
