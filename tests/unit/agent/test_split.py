"""The things that one message asks."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.agent.offline.split import MAX_PARTS, Piece, split


def texts(message: str) -> list[str]:
    return [piece.text for piece in split(message)]


@pytest.mark.parametrize(
    ("message", "parts"),
    [
        (
            "海棠 A 户型用了什么防水材料，由谁供货？销售应该怎样解释售后流程？请给出培训视频出处",
            ["海棠 A 户型用了什么防水材料", "由谁供货", "销售应该怎样解释售后流程", "请给出培训视频出处"],
        ),
        ("年假有几天？", ["年假有几天"]),
        ("瓷砖、地板和涂料用的是什么牌子？", ["瓷砖、地板和涂料用的是什么牌子"]),
        ("防水材料的单价", ["防水材料的单价"]),
        ("1. 年假多少天\n2. 报销怎么走", ["年假多少天", "报销怎么走"]),
        ("年假几天；病假几天", ["年假几天", "病假几天"]),
        ("What was used and who supplies it?", ["What was used", "who supplies it"]),
        ("What is the policy, and how do I file expenses?", ["What is the policy", "how do I file expenses"]),
        ("Which author wrote it and who translated it?", ["Which author wrote it and who translated it"]),
        ("Which politician who was born in Ohio and who died in 1950 wrote it?",
         ["Which politician who was born in Ohio and who died in 1950 wrote it"]),
        ("Does M-208 cost 3.5 per m2? Is it in stock?", ["Does M-208 cost 3.5 per m2", "Is it in stock"]),
        ("How old is Dr. Smith?", ["How old is Dr. Smith"]),
        ("How long is it? Thanks!", ["How long is it"]),
        ("Please list the suppliers. Please cite the video.", ["Please list the suppliers", "Please cite the video"]),
    ],
)  # fmt: skip
def test_parts(message: str, parts: list[str]) -> None:
    assert texts(message) == parts


def test_a_clause_goes_on_with_its_subject() -> None:
    assert split("用了什么材料，由谁供货？") == (Piece("用了什么材料"), Piece("由谁供货", continues=True))


def test_a_statement_is_the_context_of_the_question_after_it() -> None:
    assert split("我在做海棠 A 的项目。防水用什么？") == (Piece("防水用什么", context="我在做海棠 A 的项目"),)


def test_statements_alone_are_one_query() -> None:
    assert texts("Project Haitang. Waterproofing.") == ["Project Haitang Waterproofing"]


@given(st.text(alphabet="ab年假？?，,。.\n 什么谁and who", max_size=300))
def test_never_more_than_can_be_answered_and_never_empty(message: str) -> None:
    pieces = split(message)
    assert len(pieces) <= MAX_PARTS
    assert all(piece.text.strip() for piece in pieces)
