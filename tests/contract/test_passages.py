"""What every authority on passages does (``retrieval.ports.Passages``): text only under the rights of now."""

import numpy as np
import pytest

from permissions.model import Principal
from retrieval.adapters.passages import PgPassages
from retrieval.adapters.pgvector import PgVectorStore
from retrieval.errors import ChannelFailed
from retrieval.model import Modality, Place, ReadBy
from tests import rows

EVERYONE = Principal.workspace(rows.TEAM)
PRIVATE = Principal.channel(rows.TEAM, "C1")


@pytest.fixture(params=["postgres"])
def passages(request, pool):
    return PgPassages(pool=pool)


async def write(pool, chunks):
    await PgVectorStore(pool=pool, encoder="test").replace(
        version=chunks[0].version,
        chunks=chunks,
        vectors=rows.vectors_of(chunks, [(1, 0)] * len(chunks)),
        encoder="test",
    )


async def add(pool, document, *texts, principals=(EVERYONE,), team=rows.TEAM, title="Title"):
    chunks = await rows.add_document(pool, document, texts, principals=principals, team=team, title=title)
    await write(pool, chunks)
    return [chunk.chunk_id for chunk in chunks]


async def loaded(passages, scope, chunk_ids):
    return [passage.chunk_id for passage in await passages.load(scope, chunk_ids)]


async def test_all_that_a_citation_needs(pool, passages):
    (chunk_id,) = await add(pool, "d", "One. 第二句。")
    (passage,) = await passages.load(rows.scope_of(EVERYONE), [chunk_id])
    assert (passage.document, passage.version, passage.version_number, passage.unit) == ("d", "d-v1", 1, 1)
    assert (passage.title, passage.text, passage.context) == ("Title", "One. 第二句。", "Title")
    assert (passage.place, passage.read_by, passage.modality) == (Place(page=1), ReadBy.TEXT_LAYER, Modality.DOCUMENT)
    assert passage.published_at == "2026-11-30T09:00:00+00:00"
    assert [passage.text[span.start : span.end] for span in passage.sentences] == ["One.", "第二句。"]
    assert passage.sentence_vectors.shape == (2, 2)
    assert passage.sentence_vectors.dtype == np.float32


async def test_in_the_order_asked_for_and_once(pool, passages):
    one, two, three = await add(pool, "d", "a", "b", "c")
    scope = rows.scope_of(EVERYONE)
    assert await loaded(passages, scope, [three, one, three, two, "unknown"]) == [three, one, two]


async def test_nothing_for_nobody(pool, passages):
    ids = await add(pool, "d", "a")
    assert await loaded(passages, rows.scope_of(), ids) == []
    assert await loaded(passages, rows.scope_of(EVERYONE), []) == []


async def test_without_the_right_there_is_no_text_whatever_the_index_said(pool, passages):
    closed = await add(pool, "closed", "secret", principals=[PRIVATE])
    opened = await add(pool, "open", "public")
    assert await loaded(passages, rows.scope_of(EVERYONE), [*closed, *opened]) == opened
    assert await passages.around(rows.scope_of(EVERYONE), version="closed-v1", unit=1) is None


async def test_a_lost_right_counts_at_once(pool, passages):
    ids = await add(pool, "d", "a")
    async with pool.connection() as connection:
        await rows.set_grants(connection, "d", [PRIVATE])
    assert await loaded(passages, rows.scope_of(EVERYONE), ids) == []
    assert await passages.around(rows.scope_of(EVERYONE), version="d-v1", unit=1) is None


async def test_a_deleted_document_has_no_text(pool, passages):
    ids = await add(pool, "d", "a")
    await rows.mark_deleted(pool, "d")
    assert await loaded(passages, rows.scope_of(EVERYONE), ids) == []
    assert await passages.around(rows.scope_of(EVERYONE), version="d-v1", unit=1) is None


async def test_another_workspace_has_no_text(pool, passages):
    ids = await add(pool, "d", "a")
    other = rows.scope_of(EVERYONE, team="T2")
    assert await loaded(passages, other, ids) == []
    assert await passages.around(other, version="d-v1", unit=1) is None


async def test_only_the_active_version_is_searched(pool, passages):
    old = await add(pool, "d", "old")
    newer = await rows.add_version(pool, "d", ["new"], number=2, publish=False)
    await write(pool, newer)
    scope = rows.scope_of(EVERYONE)
    assert await loaded(passages, scope, [*old, newer[0].chunk_id]) == old
    await rows.publish_version(pool, "d-v2")
    assert await loaded(passages, scope, [*old, newer[0].chunk_id]) == [newer[0].chunk_id]


async def test_the_surroundings_are_the_unit(pool, passages):
    await add(pool, "d", "page one", "page two")
    unit = await passages.around(rows.scope_of(EVERYONE), version="d-v1", unit=2)
    assert (unit.text, unit.place, unit.is_current) == ("page two", Place(page=2), True)
    assert await passages.around(rows.scope_of(EVERYONE), version="d-v1", unit=3) is None


async def test_a_superseded_version_can_be_opened_and_is_said_to_be_old(pool, passages):
    await add(pool, "d", "old")
    await rows.add_version(pool, "d", ["new"], number=2)
    unit = await passages.around(rows.scope_of(EVERYONE), version="d-v1", unit=1)
    assert (unit.text, unit.is_current) == ("old", False)


async def test_an_unpublished_version_cannot_be_opened(pool, passages):
    await add(pool, "d", "old")
    await rows.add_version(pool, "d", ["draft"], number=2, publish=False)
    assert await passages.around(rows.scope_of(EVERYONE), version="d-v2", unit=1) is None


async def test_rights_that_cannot_be_checked_are_an_error(pool, passages):
    ids = await add(pool, "d", "a")
    await pool.close()
    with pytest.raises(ChannelFailed):
        await passages.load(rows.scope_of(EVERYONE), ids)
