"""Parts that stand on their own."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.agent.model import SourceKind, Turn, Understanding
from bot.agent.offline.understander import RuleUnderstander


async def understand(message: str, *history: str | tuple[bool, str]) -> Understanding:
    turns = [Turn(False, item) if isinstance(item, str) else Turn(*item) for item in history]
    return await RuleUnderstander().understand(message, turns)


async def test_the_acceptance_question() -> None:
    understood = await understand("海棠 A 户型用了什么防水材料，由谁供货？销售应该怎样解释售后流程？请给出培训视频出处")
    material, supplier, process, video = understood.parts
    assert understood.language == "zh"
    assert material.query == "海棠 A 户型用了什么防水材料"
    assert "海棠 A" in supplier.query
    assert "防水材料" in supplier.query
    assert process.query == "销售应该怎样解释售后流程"
    assert (video.source, video.wants_source) == (SourceKind.VIDEO, True)
    assert "售后流程" in video.query
    assert "海棠" not in video.query


@pytest.mark.parametrize(
    ("earlier", "message", "carried"),
    [
        ("海棠 A 户型用了什么防水材料？", "那保修几年？", ["海棠 A", "防水材料", "保修几年"]),
        ("What waterproofing did Haitang A use?", "and who supplies it?", ["waterproofing", "Haitang A", "supplies"]),
        ("How many days of annual leave do we get?", "What about unused days?", ["annual leave", "unused"]),
        ("防水涂料是谁供货的？", "它多少钱？", ["防水涂料", "多少钱"]),
    ],
)
async def test_a_follow_up_carries_the_threads_topic(earlier: str, message: str, carried: list[str]) -> None:
    [part] = (await understand(message, earlier, (True, "an answer of the bot about penguins"))).parts
    assert part.text == message.rstrip("?？")
    assert all(words in part.query for words in carried)
    assert "penguins" not in part.query


async def test_a_follow_up_of_a_follow_up_keeps_the_topic() -> None:
    [part] = (await understand("谁供货？", "海棠 A 户型用了什么防水材料？", "那保修几年？")).parts
    assert "海棠 A" in part.query


@pytest.mark.parametrize(
    ("earlier", "message", "subject"),
    [
        ("别克 GL8 下次保养是什么时候？", "那五菱宏光呢？", "五菱宏光"),
        ("海棠 A 户型用了什么防水材料？", "海棠 B 呢", "海棠 B"),
        ("How long is sick leave paid in full?", "What about maternity leave?", "maternity leave"),
        ("How long is sick leave paid in full?", "and parental leave?", "parental leave"),
    ],
)
async def test_a_question_is_put_to_another_subject(earlier: str, message: str, subject: str) -> None:
    [part] = (await understand(message, earlier)).parts
    assert (part.own, part.alone, part.instead) == (subject, subject, True)
    assert part.query.endswith(subject)
    assert len(part.query) > len(subject)


async def test_what_follows_another_subject_is_asked_of_it() -> None:
    [asked] = (await understand("谁在用？", "别克 GL8 下次保养是什么时候？", "那五菱宏光呢？")).parts
    assert "五菱宏光" in asked.query
    assert "GL8" not in asked.query
    [again] = (await understand("那江铃呢？", "别克 GL8 下次保养是什么时候？", "那五菱宏光呢？")).parts
    assert again.own == "江铃"
    assert "保养" in again.query


@pytest.mark.parametrize("message", ["那保修几年？", "and who supplies it?", "那第几步呢？"])
async def test_a_follow_up_with_a_question_of_its_own_keeps_the_subject(message: str) -> None:
    [part] = (await understand(message, "海棠 A 户型用了什么防水材料？")).parts
    assert not part.instead
    assert "海棠 A" in part.query


@pytest.mark.parametrize(
    "message", ["海棠 B 户型的地板是什么牌子？", "How many days of annual leave do new people get?"]
)
async def test_a_question_of_its_own_carries_nothing(message: str) -> None:
    [part] = (await understand(message, "瓷砖供应商是哪家？")).parts
    assert part.query == message.rstrip("?？")


async def test_the_next_question_of_a_message_stands_on_its_own() -> None:
    _, second = (await understand("防水保修几年？谁批准超过 2000 元的采购？")).parts
    assert second.query == "谁批准超过 2000 元的采购"


async def test_chatter_of_the_thread_is_no_topic() -> None:
    [part] = (await understand("那保修几年？", "海棠 A 用了什么防水？", "好的", "午饭吃面")).parts
    assert "午饭" not in part.query


async def test_a_bare_follow_up_can_also_be_read_alone() -> None:
    [part] = (await understand("年假几天？", "海棠 A 户型用了什么防水材料？")).parts
    assert "海棠" in part.query
    assert part.alone == "年假几天"


async def test_a_wish_for_sources_alone_is_no_part_of_its_own() -> None:
    assert len((await understand("年假有几天？请给出出处")).parts) == 1
    assert len((await understand("How many days? Please cite your sources.")).parts) == 1


async def test_a_wish_for_sources_in_a_thread_asks_the_same_again() -> None:
    [part] = (await understand("请给出出处", "海棠 A 户型用了什么防水材料？")).parts
    assert "防水材料" in part.query


async def test_a_named_kind_of_source_is_preferred_but_not_demanded() -> None:
    [part] = (await understand("培训视频里怎么说售后流程？")).parts
    assert (part.source, part.wants_source) == (SourceKind.VIDEO, False)


@pytest.mark.parametrize("message", ["", ":tada:", "<@U1>", "谢谢"])
async def test_nothing_asked_gives_no_parts(message: str) -> None:
    assert (await understand(message)).parts == ()


async def test_nothing_asked_is_spoken_to_in_the_threads_language() -> None:
    assert (await understand("<@U1>", "年假有几天？")).language == "zh"
    assert (await understand("<@U1>")).language == "en"


@pytest.mark.parametrize("message", ["DR-0324-118", "750 × 1500?", "GC-208"])
async def test_a_code_has_the_threads_language(message: str) -> None:
    assert (await understand(message, "年假有几天？")).language == "zh"
    assert (await understand(message, "How many days?")).language == "en"


@pytest.mark.parametrize(
    "message", ["你能做什么样的防水", "帮助文件在哪里", "what can I do about a leak?", "怎么用这台机器"]
)
async def test_a_question_about_something_is_none_about_the_bot(message: str) -> None:
    assert (await understand(message)).parts


async def test_ten_thousand_characters_are_cut_and_that_is_known() -> None:
    understood = await understand("年假有几天？" * 1700)
    assert understood.is_cut
    assert understood.parts


@given(st.text(max_size=400))
async def test_whatever_is_written_has_parts_or_is_empty(message: str) -> None:
    assert all(part.query.strip() for part in (await understand(message)).parts)
