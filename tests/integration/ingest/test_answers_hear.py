"""Answers hear of what changes about their sources, in the transaction of the change."""

from __future__ import annotations

from permissions.model import Principal
from tests.integration.ingest.bench import TEAM, Bench


async def test_answers_hear_of_newer_versions_rights_and_deletions(ingestion: Bench) -> None:
    path = ingestion.write("guide.txt", "The kiln is fired at 1,240 degrees.")
    made = await ingestion.ingest(path)
    ingestion.answers.told.clear()
    path.write_text("The kiln is fired at 1,180 degrees.")
    await ingestion.ingest(path)
    assert ingestion.answers.told == [made.document]
    await ingestion.rights.set(made.document, {Principal.channel(TEAM, "C9")})
    assert ingestion.answers.told == [made.document] * 2
    await ingestion.rights.set(made.document, {Principal.channel(TEAM, "C9")})
    assert ingestion.answers.told == [made.document] * 2, "nothing has changed"
    await ingestion.deletion.delete(made.document, by="U1")
    assert ingestion.answers.told == [made.document] * 3
