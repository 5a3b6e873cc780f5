"""From a Slack message to plain words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.agent.offline.clean import MAX_QUESTION, cut, is_empty, plain


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ("<@U0BOT> 年假有几天？", "年假有几天？"),
        ("<@U0BOT|haitang>: Who approves expenses?", "Who approves expenses?"),
        ("你好！请问年假有几天？", "年假有几天？"),
        ("Hi there, how many days?", "how many days?"),
        ("hello Haitang, who?", "who?"),
        ("history of the project?", "history of the project?"),
        ("海棠 A 户型用什么防水？", "海棠 A 户型用什么防水？"),
        ("海棠，年假几天？", "年假几天？"),
        ("see <#C01|sales> and <https://x.example/a|the page>", "see #sales and the page"),
        ("R&amp;D &lt;2 m&gt;?", "R&D <2 m>?"),
        (":wave: :+1::skin-tone-3: price at 10:30:20?", "price at 10:30:20?"),
        ("> quoted\n*bold* `code` ~gone~", "quoted\nbold code gone"),
        ("a\u200bb\u202ec", "abc"),
        ("<!channel> <!subteam^S1|@team> go?", "go?"),
    ],
)
def test_markup_and_greetings_are_not_part_of_the_question(message: str, words: str) -> None:
    assert plain(message) == words


@pytest.mark.parametrize(
    "message", ["", "  ", ":wave:", "👋🏽", "<@U0BOT>", "?!…", "你好", "hello!", "谢谢！", "Thanks a lot"]
)
def test_nothing_is_asked(message: str) -> None:
    assert is_empty(plain(message))


@pytest.mark.parametrize("message", ["几天", "M-208", "why", "谢谢，那保修几年？", "ok so who pays?"])
def test_something_is_asked(message: str) -> None:
    assert not is_empty(plain(message))


def test_a_long_question_is_cut_at_a_break() -> None:
    words = "年假有几天？" * 2000
    head, is_cut = cut(words)
    assert is_cut
    assert len(head) <= MAX_QUESTION
    assert head.endswith("？")


@given(st.text(max_size=5000))
def test_cutting_keeps_a_beginning_and_says_so(words: str) -> None:
    head, is_cut = cut(words)
    assert words.startswith(head)
    assert len(head) <= MAX_QUESTION
    assert is_cut == (len(words) > MAX_QUESTION)


@given(st.text())
def test_no_message_breaks_it(message: str) -> None:
    assert isinstance(plain(message), str)
