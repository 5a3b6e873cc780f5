"""A question for a price or a number to call is answered by such a thing, or not at all."""

from __future__ import annotations

import pytest

from bot.agent.offline.checker import CalibratedChecker
from bot.agent.offline.expected import expected_of
from tests.unit.agent.toys import found, passage


@pytest.mark.parametrize(
    ("question", "text", "answers"),
    [
        ("GC-208 的单价是多少？", "GC-208 由江城德润建材供货。", False),
        ("GC-208 的单价是多少？", "| 型号 | 内部单价（元/桶） |\n|---|---|\n| GC-208 | 186 |", True),
        ("乳胶漆多少钱？", "乳胶漆每桶 320 元。", True),
        ("上门维修多少钱？", "保修期以内上门维修免费。", True),
        ("What is the price of the K-77?", "The K-77 is fired for nine hours.", False),
        ("What is the price of the K-77?", "The K-77 costs $1,200.", True),
        ("业主的电话号码是多少？", "业主王先生，住在三单元。", False),
        ("报修电话是多少？", "报修请拨打 400-820-1688。", True),
    ],
)
def test_what_must_stand_in_an_answer(question: str, text: str, answers: bool) -> None:
    expected = expected_of(question)
    assert expected is not None
    assert (expected.search(text) is not None) is answers


@pytest.mark.parametrize(
    "question",
    ["由谁供货？", "客户打电话来怎么说？", "What does the kiln do?", "Who answers the phone?", "报价以后怎么做？"],
)
def test_other_questions_expect_nothing_of_the_kind(question: str) -> None:
    assert expected_of(question) is None


async def test_the_supplier_is_no_price() -> None:
    supplier = passage("GC-208 waterproofing comes from Delta Ltd. The price of GC-208 is agreed with Delta Ltd.")
    (support,) = await CalibratedChecker().check([found("What is the price of GC-208 waterproofing?", supplier)])
    assert support.quotes == ()


async def test_the_price_is_quoted_where_it_stands() -> None:
    price = passage(
        "GC-208 waterproofing comes from Delta Ltd. The price of GC-208 waterproofing is 186 yuan a bucket."
    )
    (support,) = await CalibratedChecker().check([found("What is the price of GC-208 waterproofing?", price)])
    assert any("186 yuan" in quote.text for quote in support.quotes)
