"""What every vector store does (``retrieval.ports.VectorSearch`` with ``ingest.ports.ChunkWriter``)."""

import numpy as np
import pytest

from permissions.model import Principal
from retrieval.adapters.pgvector import PgVectorStore
from retrieval.errors import ChannelFailed
from tests import rows

EVERYONE = Principal.workspace(rows.TEAM)
PRIVATE = Principal.channel(rows.TEAM, "C1")
QUERY = np.array([1.0, 0.0, 0.0], np.float32)
NEAR, FAIR, FAR = (0.9, 0.1, 0.0), (0.5, 0.5, 0.0), (0.0, 0.0, 1.0)


@pytest.fixture(params=["pgvector"])
def store(request, pool):
    return PgVectorStore(pool=pool, encoder="test")


async def write(store, chunks, *directions, encoder="test"):
    await store.replace(
        version=chunks[0].version, chunks=chunks, vectors=rows.vectors_of(chunks, directions), encoder=encoder
    )


async def add(pool, store, document, *directions, principals=(EVERYONE,), team=rows.TEAM):
    texts = [f"{document} {number}" for number in range(len(directions))]
    chunks = await rows.add_document(pool, document, texts, principals=principals, team=team)
    await write(store, chunks, *directions)
    return chunks


async def found(store, scope, limit=10):
    return [hit.chunk_id for hit in await store.nearest(scope, QUERY, limit=limit)]


async def test_nearest_first_with_the_cosine(pool, store):
    await add(pool, store, "d", FAR, NEAR, FAIR)
    hits = await store.nearest(rows.scope_of(EVERYONE), QUERY, limit=10)
    assert [hit.chunk_id for hit in hits] == ["d-v1-2", "d-v1-3", "d-v1-1"]
    assert [hit.score for hit in hits] == pytest.approx([0.9939, 0.7071, 0.0], abs=2e-3)


async def test_no_more_than_the_limit(pool, store):
    await add(pool, store, "d", FAR, NEAR, FAIR)
    assert await found(store, rows.scope_of(EVERYONE), limit=2) == ["d-v1-2", "d-v1-3"]


async def test_an_empty_scope_finds_nothing(pool, store):
    await add(pool, store, "d", NEAR)
    assert await found(store, rows.scope_of()) == []


async def test_a_filter_costs_no_recall(pool, store):
    await add(pool, store, "closed", *[NEAR] * 300, principals=[PRIVATE])
    await add(pool, store, "open", FAR)
    assert await found(store, rows.scope_of(EVERYONE), limit=1) == ["open-v1-1"]


async def test_a_document_with_two_grants_is_found_once(pool, store):
    await add(pool, store, "d", NEAR, principals=[EVERYONE, PRIVATE])
    assert await found(store, rows.scope_of(EVERYONE, PRIVATE)) == ["d-v1-1"]


async def test_another_workspace_finds_nothing(pool, store):
    await add(pool, store, "d", NEAR)
    assert await found(store, rows.scope_of(EVERYONE, team="T2")) == []


async def test_only_the_active_version(pool, store):
    await add(pool, store, "d", NEAR)
    newer = await rows.add_version(pool, "d", ["newer"], number=2, publish=False)
    await write(store, newer, NEAR)
    scope = rows.scope_of(EVERYONE)
    assert await found(store, scope) == ["d-v1-1"]
    await rows.publish_version(pool, "d-v2")
    assert await found(store, scope) == ["d-v2-1"]


async def test_a_deleted_document_is_gone_at_once(pool, store):
    await add(pool, store, "d", NEAR)
    await rows.mark_deleted(pool, "d")
    assert await found(store, rows.scope_of(EVERYONE)) == []


async def test_rights_count_as_they_are_now(pool, store):
    await add(pool, store, "d", NEAR, principals=[PRIVATE])
    assert await found(store, rows.scope_of(EVERYONE)) == []
    async with pool.connection() as connection:
        await rows.set_grants(connection, "d", [EVERYONE])
    assert await found(store, rows.scope_of(EVERYONE)) == ["d-v1-1"]


async def test_vectors_of_another_encoder_are_not_compared(pool, store):
    chunks = await rows.add_document(pool, "d", ["text"], principals=[EVERYONE])
    await write(store, chunks, (1.0, 0.0), encoder="another")
    assert await found(store, rows.scope_of(EVERYONE)) == []


async def test_equals_are_ordered_by_id(pool, store):
    for name in ("c", "a", "b"):
        await add(pool, store, name, NEAR)
    assert await found(store, rows.scope_of(EVERYONE)) == ["a-v1-1", "b-v1-1", "c-v1-1"]


async def test_writing_again_replaces(pool, store):
    chunks = await add(pool, store, "d", NEAR, FAIR, FAR)
    await write(store, chunks[:1], FAR)
    assert await found(store, rows.scope_of(EVERYONE)) == ["d-v1-1"]


async def test_a_failed_write_leaves_what_was_there(pool, store):
    chunks = await add(pool, store, "d", NEAR, FAIR)
    with pytest.raises(ChannelFailed):
        await write(store, [chunks[0], chunks[0]], FAR, FAR)
    assert await found(store, rows.scope_of(EVERYONE)) == ["d-v1-1", "d-v1-2"]


async def test_stored_vectors_can_be_used_again(pool, store):
    chunks = await add(pool, store, "d", NEAR, FAR)
    stored = await store.vectors(version="d-v1", encoder="test")
    for chunk, written in zip(chunks, rows.vectors_of(chunks, [NEAR, FAR]), strict=True):
        text, vectors = stored[chunk.ordinal]
        assert text == chunk.text
        assert vectors.whole == pytest.approx(written.whole, abs=1e-3)
        assert vectors.sentences == pytest.approx(written.sentences, abs=1e-3)
    assert await store.vectors(version="d-v1", encoder="another") == {}


async def test_each_sentence_needs_its_vector(pool, store):
    chunks = await rows.add_document(pool, "d", ["One. Two."], principals=[EVERYONE])
    vectors = rows.vectors_of(chunks, [NEAR])
    short = [type(vectors[0])(vectors[0].whole, vectors[0].sentences[:1])]
    with pytest.raises(ChannelFailed, match="1 vectors for 2 sentences"):
        await store.replace(version="d-v1", chunks=chunks, vectors=short, encoder="test")


async def test_a_closed_database_is_a_failed_channel(pool, store):
    await pool.close()
    with pytest.raises(ChannelFailed):
        await found(store, rows.scope_of(EVERYONE))
