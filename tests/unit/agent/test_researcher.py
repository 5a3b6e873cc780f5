"""Which passages come first."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.agent.model import Part, SourceKind
from bot.agent.offline.researcher import SearchingResearcher
from retrieval.model import Modality, Passage, Place, ReadBy
from tests.unit.agent.scopes import scope_of_a_channel
from tests.unit.agent.toys import ToyEncoder, ToySearch, passage

QUESTION = "销售怎样解释售后流程"
VIDEO = replace(passage("销售解释售后流程。", chunk="video", modality=Modality.VIDEO), read_by=ReadBy.SPEECH)
POLICY = passage("销售解释售后流程。先讲登记。", chunk="policy")
SHEET = passage("| 步骤 |\n| --- |\n| 登记 |", chunk="sheet", place=Place(sheet="步骤"))
GARDEN = passage("花园里种了玫瑰。", chunk="garden")


async def order(part: Part, *passages: Passage) -> list[str]:
    researcher = SearchingResearcher(search=ToySearch(*passages), encoder=ToyEncoder())
    found = await researcher.find(await scope_of_a_channel(), part)
    return [item.passage.chunk_id for item in found.ranked]


async def test_what_is_written_goes_before_what_was_heard_when_it_fits_as_well() -> None:
    assert await order(Part(QUESTION, QUESTION), VIDEO, POLICY, GARDEN) == ["policy", "video", "garden"]


async def test_what_is_written_but_fits_worse_stays_behind() -> None:
    assert await order(Part(QUESTION, QUESTION), VIDEO, GARDEN) == ["video", "garden"]


@pytest.mark.parametrize(("wants_source", "expected"), [(True, ["video"]), (False, ["video", "policy", "garden"])])
async def test_a_named_source_comes_first_and_alone_when_it_is_wanted(wants_source: bool, expected: list[str]) -> None:
    part = Part(QUESTION, QUESTION, source=SourceKind.VIDEO, wants_source=wants_source)
    assert await order(part, POLICY, GARDEN, VIDEO) == expected


@pytest.mark.parametrize(
    ("kind", "fits"),
    [(SourceKind.VIDEO, VIDEO), (SourceKind.SHEET, SHEET), (SourceKind.PAGES, POLICY)],
)
def test_kinds_of_sources(kind: SourceKind, fits: Passage) -> None:
    assert kind.fits(fits)
    assert not kind.fits(SHEET if fits is not SHEET else VIDEO)
