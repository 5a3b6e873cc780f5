"""The answer's words."""

from __future__ import annotations

import re

from bot.agent.model import CitedPart, CitedQuote, Part, Quote, SourceKind
from bot.agent.offline.writer import MAX_QUOTE, QuotingWriter, shown
from bot.agent.texts import INTRO
from tests.unit.agent.toys import passage


def cited(text: str, number: int, *, title: str = "", header: str = "") -> CitedQuote:
    item = passage(text, title=title)
    return CitedQuote(Quote(item, 0, len(item.text), header), number)


def part(text: str, *quotes: CitedQuote, source: SourceKind | None = None, wants_source: bool = False) -> CitedPart:
    return CitedPart(Part(text=text, query=text, source=source, wants_source=wants_source), quotes)


async def write(*parts: CitedPart, language: str = "zh") -> str:
    return "".join([piece async for piece in QuotingWriter().write(parts, "zh" if language == "zh" else "en")])


async def test_one_question_gets_its_quote_with_its_number() -> None:
    assert await write(part("年假几天", cited("年假为十天。", 1))) == f"{INTRO['zh']}\n\n> 年假为十天。 [1]"


async def test_each_of_several_questions_stands_above_its_quotes() -> None:
    text = await write(part("How long", cited("Ten days.", 1)), part("Who pays", cited("We pay.", 2)), language="en")
    assert text == f"{INTRO['en']}\n\n**How long**\n\n> Ten days. [1]\n\n**Who pays**\n\n> We pay. [2]"


async def test_what_answers_two_questions_in_a_row_is_quoted_once() -> None:
    quote = cited("We use Kasa paint, supplied by Delta.", 1)
    text = await write(part("What is used", quote), part("who supplies it", quote), language="en")
    assert text == f"{INTRO['en']}\n\n**What is used; who supplies it**\n\n> We use Kasa paint, supplied by Delta. [1]"


async def test_a_part_without_support_is_left_to_the_gaps() -> None:
    text = await write(part("年假几天", cited("年假为十天。", 1)), part("谁批准"))
    assert "谁批准" not in text


async def test_nothing_is_written_without_any_quote() -> None:
    assert await write(part("年假几天")) == ""


async def test_a_wanted_source_is_named() -> None:
    clip = cited("我们三天内上门。", 3, title="售后培训")
    text = await write(part("请给出培训视频出处", clip, source=SourceKind.VIDEO, wants_source=True))
    assert "视频：《售后培训》[3]" in text
    assert "> 我们三天内上门。 [3]" in text


async def test_words_that_stand_above_are_not_said_again_under_a_wanted_source() -> None:
    clip = cited("我们三天内上门。", 3, title="售后培训")
    wanted = part("请给出培训视频出处", clip, source=SourceKind.VIDEO, wants_source=True)
    text = await write(part("多久上门", cited("三天内。", 1), clip), wanted)
    assert text.count("我们三天内上门。") == 1
    assert text.endswith("视频：《售后培训》[3]")


def test_lines_of_chinese_are_joined_without_a_space() -> None:
    assert shown(cited("三天内上门。\n\n费用由\n公司付。 谢谢", 1).quote) == "三天内上门。费用由 公司付。 谢谢"


def test_a_row_is_shown_with_its_columns() -> None:
    row = cited("| 书房 | 橡木地板 | |", 1, header="| 房间 | 材料 | 供应商 |\n| --- | --- | --- |")
    assert shown(row.quote) == "房间: 书房 · 材料: 橡木地板"


def test_a_row_with_more_cells_than_columns_loses_none() -> None:
    row = cited("| a | b | c |", 1, header="| x |\n| - |")
    assert shown(row.quote) == "x: a · b · c"


def test_a_long_quote_is_cut_visibly() -> None:
    text = shown(cited("word " * 500, 1).quote)
    assert len(text) <= MAX_QUOTE
    assert text.endswith("…")


def test_a_documents_own_footnote_is_no_citation() -> None:
    assert not re.search(r"\[\d+\]", shown(cited("Proven in trials [7] and [12].", 1).quote))


def test_a_quote_stays_on_its_line() -> None:
    assert shown(cited("one\n> two\n\n# three", 1).quote) == "one > two # three"
