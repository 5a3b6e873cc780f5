"""What `haitang ask` prints."""

from __future__ import annotations

from bot.commands.ask import _lines
from handlers.model import Completion, Final


def answer(text: str, *, gaps: tuple[str, ...] = (), notices: tuple[str, ...] = ()) -> Final:
    return Final(
        run_id="run_1",
        answer_id="ans_1",
        revision=1,
        text=text,
        evidence=None,
        gaps=gaps,
        notices=notices,
        completion=Completion.PARTIAL,
        language="en",
    )


def test_gaps_are_named_as_such_and_stand_apart() -> None:
    printed = "\n".join(_lines(answer("> 8 years [1]", gaps=("who pays",), notices=("Ask again later.",))))
    assert printed == "> 8 years [1]\n\nNot answered:\n• who pays\n\nAsk again later."


def test_nothing_stands_around_a_mere_answer() -> None:
    assert _lines(answer("> 8 years [1]")) == ["> 8 years [1]"]
