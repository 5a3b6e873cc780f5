"""An earlier content is published again as a new version; nothing is parsed again, and rights stay as they are."""

from __future__ import annotations

import pytest

from ingest.restore import Restorer
from permissions.model import Principal
from tests.integration.ingest.bench import TEAM, Bench

CHANNEL = Principal.channel(TEAM, "C7")


async def three_versions(ingestion: Bench) -> str:
    path = ingestion.write("price.txt", "one")
    made = await ingestion.ingest(path, CHANNEL)
    for text in ("two", "three"):
        path.write_text(text)
        await ingestion.ingest(path, CHANNEL)
    return made.document


@pytest.mark.parametrize(("number", "text"), [(None, "two"), (1, "one")])
async def test_an_earlier_content_serves_again(ingestion: Bench, number: int | None, text: str) -> None:
    document = await three_versions(ingestion)
    parsed = ingestion.parser.calls
    made = await Restorer(pool=ingestion.pool, jobs=ingestion.jobs).restore(document, number=number)
    assert made is not None
    await ingestion.pipeline.run(version=made.version)
    assert await ingestion.active(document) == made.version
    assert await ingestion.chunk_texts() == [(made.version, text)]
    assert await ingestion.states(document) == ["SUPERSEDED", "SUPERSEDED", "SUPERSEDED", "PUBLISHED"]
    assert await ingestion.index.count(made.version) == 1
    assert ingestion.parser.calls == parsed
    assert await ingestion.grants.of(document) == {CHANNEL}


async def test_until_it_is_published_the_present_one_serves_on(ingestion: Bench) -> None:
    document = await three_versions(ingestion)
    before = await ingestion.active(document)
    await Restorer(pool=ingestion.pool, jobs=ingestion.jobs).restore(document)
    assert await ingestion.active(document) == before


async def test_there_must_be_such_a_version(ingestion: Bench) -> None:
    restorer = Restorer(pool=ingestion.pool, jobs=ingestion.jobs)
    made = await ingestion.ingest(ingestion.write("price.txt", "one"))
    assert await restorer.restore(made.document) is None
    assert await restorer.restore(made.document, number=1) is None, "it is the present one"
    assert await restorer.restore(made.document, number=9) is None
    assert await restorer.restore("unknown") is None
    await ingestion.deletion.delete(made.document, by="U1")
    assert await restorer.restore(made.document) is None
