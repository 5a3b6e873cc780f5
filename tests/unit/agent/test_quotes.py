"""Which sentences are quoted."""

from __future__ import annotations

from bot.agent.model import Part
from bot.agent.offline.quotes import PASSAGES, SENTENCES, choose
from tests.unit.agent.toys import found, passage

CASE = "海棠 A 户型面积 89 平方米。卫生间防水材料用青桐牌柔性防水涂料。防水材料由江城建材供货。木地板在二楼铺设。"
TABLE = "| 房间 | 材料 | 供应商 |\n| --- | --- | --- |\n| 厨房 | 灰色瓷砖 | 江城建材 |\n| 书房 | 橡木地板 | 林家木业 |"


def test_the_sentence_that_answers_is_quoted_as_written() -> None:
    [quote] = choose(found("木地板在哪里铺设", passage(CASE)))
    assert quote.text == "木地板在二楼铺设。"


def test_neighbouring_sentences_become_one_quote() -> None:
    [quote] = choose(found("卫生间用什么牌子的防水材料，由哪家供货", passage(CASE)))
    assert quote.text == "卫生间防水材料用青桐牌柔性防水涂料。防水材料由江城建材供货。"


def test_a_list_of_steps_is_quoted_without_holes() -> None:
    steps = passage("第一步，报修流程先登记。第二步，打电话。第三步，上门。第四步，报修流程后回访。花园里种了玫瑰。")
    [quote] = choose(found("报修流程", steps))
    assert quote.text == "第一步，报修流程先登记。第二步，打电话。第三步，上门。第四步，报修流程后回访。"


def test_a_list_is_quoted_to_its_end_once_two_of_its_steps_are() -> None:
    steps = passage(
        "保修报修流程如下。第一步，报修流程先登记。第二步，报修流程派工。第三步，上门。第四步，回访。花园里种了玫瑰。"
    )
    [quote] = choose(found("报修流程", steps))
    assert quote.text.endswith("第四步，回访。")
    [one] = choose(found("回访", steps))
    assert one.text == "第四步，回访。"


def test_another_subject_is_answered_by_what_holds_it() -> None:
    table = passage(
        "| 车型 | 使用人 | 保养 |\n| --- | --- | --- |\n| 别克 GL8 | 林梅 | 二月 |\n| 五菱宏光 | 王涛 | 三月 |"
    )
    query = "别克 GL8 什么时候保养 五菱宏光"
    part = Part("那五菱宏光呢", query, own="五菱宏光", instead=True)
    [quote] = choose(found(query, table, part=part))
    assert quote.text == "| 五菱宏光 | 王涛 | 三月 |"


def test_a_code_of_the_topic_does_not_bind_a_follow_up_with_its_own() -> None:
    first, second = passage("M-208 的单价是 38 元。"), passage("M-311 的单价是 139 元。")
    part = Part("那 M-311 的单价是多少", "M-208 单价 M-311 的单价是多少", own="M-311 的单价是多少")
    [quote] = choose(found(part.query, first, second, part=part))
    assert quote.text == "M-311 的单价是 139 元。"


def test_a_row_is_quoted_with_its_header() -> None:
    [quote] = choose(found("书房用什么地板", passage(TABLE)))
    assert quote.text == "| 书房 | 橡木地板 | 林家木业 |"
    assert quote.header.startswith("| 房间 | 材料 | 供应商 |")


def test_a_row_with_another_code_is_not_quoted() -> None:
    table = passage(
        "| 编号 | 材料 | 单价 |\n| --- | --- | --- |\n| M-208 | 防水涂料 | 38 |\n| M-311 | 哑光瓷砖 | 139 |"
    )
    [quote] = choose(found("M-311 的单价", table))
    assert quote.text == "| M-311 | 哑光瓷砖 | 139 |"


def test_a_row_about_something_else_is_not_quoted() -> None:
    table = passage("| 项目 | 保修年限 |\n| --- | --- |\n| 防水工程 | 8 年 |\n| 水电管线 | 5 年 |\n| 五金 | 1 年 |")
    assert [quote.text for quote in choose(found("防水保修几年", table))] == ["| 防水工程 | 8 年 |"]


def test_what_does_not_hold_the_thing_asked_about_is_not_quoted_when_something_does() -> None:
    alike, right = passage("海棠 A 户型的现场负责人是周强。"), passage("海棠 B 户型由何建负责现场。")
    [quote] = choose(found("海棠 B 户型的现场负责人是谁", alike, right))
    assert quote.text == "海棠 B 户型由何建负责现场。"


def test_a_header_is_never_quoted_itself() -> None:
    quotes = choose(found("房间 材料 供应商", passage(TABLE)))
    assert all("---" not in quote.text for quote in quotes)


def test_a_second_source_is_quoted_when_it_adds_something() -> None:
    first = passage("Kasa paint covers the kitchen walls.", chunk="c1")
    second = passage("Delta supplies Kasa paint.", chunk="c2")
    third = passage("The garden has roses.", chunk="c3")
    quotes = choose(found("Who supplies the paint of the kitchen walls? Delta or Kasa", first, second, third))
    assert {quote.passage.chunk_id for quote in quotes} == {"c1", "c2"}


def test_a_second_source_that_says_the_same_is_not_quoted() -> None:
    same = [passage("Kasa paint covers the kitchen walls.", chunk=name) for name in ("c1", "c2")]
    assert len({quote.passage.chunk_id for quote in choose(found("Which paint covers the kitchen walls?", *same))}) == 1


def test_quotes_are_few() -> None:
    long = passage(" ".join(f"Paint number {n} is for the kitchen walls." for n in range(40)), chunk="long")
    quotes = choose(found("Which paint is for the kitchen walls?", long, long))
    assert sum(quote.text.count("Paint") for quote in quotes) <= SENTENCES * PASSAGES
