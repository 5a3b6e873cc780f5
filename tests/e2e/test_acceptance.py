"""The sample company asks: what it was made for, and what nobody may learn where."""

from __future__ import annotations

import pytest

from bot.agent.offline.assembled import offline_graph
from bot.agent.once import OneAnswer
from bot.answers.reading import FilesBeingRead
from handlers.model import Completion, Final, RunEvent
from tests.e2e.company import Company

QUESTION = "海棠 A 户型用了什么防水材料，由谁供货？销售应该怎样解释售后流程？请给出培训视频出处"
PRICE = "GC-208 防水涂料的内部单价是多少？"


async def ask(company: Company, text: str, *, asker: str, channel: str | None) -> Final:
    """As `haitang ask` does."""

    async def ignore(_: RunEvent) -> None:
        return

    core = company.core
    being_read = FilesBeingRead(pool=core.pool)
    graph = offline_graph(search=core.search, encoder=core.encoder, store=core.records, being_read=being_read)
    answering = OneAnswer(records=core.records, graph=graph, scopes=core.scopes, seconds=60)
    return await answering.answer(
        team=company.service.app.identity.team,
        asker=company.person(asker).id,
        conversation=company.channel(channel) if channel else None,
        text=text,
        emit=ignore,
    )


def cited_titles(final: Final) -> set[str]:
    return {item.title for item in final.evidence.evidence} if final.evidence else set()


async def test_the_question_of_sales_cites_exactly_case_policy_and_video(company: Company) -> None:
    final = await ask(company, QUESTION, asker="chen.yu", channel="sales")
    assert cited_titles(final) == {"海棠A户型案例说明.docx", "售后服务政策2026.pdf", "售后培训视频.mp4"}
    assert final.completion is Completion.ANSWERED
    assert not final.gaps


async def test_the_price_is_found_in_the_private_channel(company: Company) -> None:
    final = await ask(company, PRICE, asker="david.ng", channel="price-office")
    assert cited_titles(final) == {"内部价格表2026.xlsx"}


async def test_the_price_is_not_found_in_sales_by_the_same_person(company: Company) -> None:
    final = await ask(company, PRICE, asker="david.ng", channel="sales")
    assert final.completion is Completion.NOTHING_FOUND


@pytest.mark.parametrize("channel", ["price-office", "sales", None])
async def test_the_price_is_not_found_by_sales_anywhere(company: Company, channel: str | None) -> None:
    final = await ask(company, PRICE, asker="chen.yu", channel=channel)
    assert cited_titles(final) == set()
