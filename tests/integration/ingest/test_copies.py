"""One file shared at two places is found as one source, by each reader at a place of theirs."""

from __future__ import annotations

import pytest

from permissions.model import Principal
from retrieval.adapters.passages import PgPassages
from retrieval.search import Search, SearchSettings
from tests import rows
from tests.integration.ingest.bench import TEAM, Bench

SALES, OFFICE = Principal.channel(TEAM, "C1"), Principal.channel(TEAM, "C2")
TEXT = "Epoxy seals the bath.\n\nLin & Co deliver it."


@pytest.mark.parametrize(
    ("readers", "titles"),
    [((SALES,), {"case.txt"}), ((OFFICE,), {"copy.txt"}), ((SALES, OFFICE), {"case.txt", "copy.txt"})],
)
async def test_a_copy_is_no_second_source(ingestion: Bench, readers: tuple[Principal, ...], titles: set[str]) -> None:
    await ingestion.ingest(ingestion.write("case.txt", TEXT), SALES)
    await ingestion.ingest(ingestion.write("copy.txt", TEXT), OFFICE)
    search = Search(
        encoder=ingestion.encoder,
        vectors=ingestion.vectors,
        full_text=ingestion.index,
        passages=PgPassages(pool=ingestion.pool),
        settings=SearchSettings(channel_seconds=30, total_seconds=60),
    )
    found = await search.search(rows.scope_of(*readers), "Who will deliver the epoxy?")
    assert sorted(item.passage.text for item in found.ranked) == TEXT.split("\n\n")
    shown = {item.passage.title for item in found.ranked}
    assert len(shown) == 1
    assert shown <= titles
