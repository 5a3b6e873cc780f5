"""The embedded index as files: rebuilt from the rows, shared with readers, and without the text of what was deleted."""

import asyncio
import shutil

import pytest

from permissions.model import Principal
from retrieval.adapters import tantivy_schema
from retrieval.adapters.index_rows import PgIndexRows
from retrieval.adapters.pgvector import PgVectorStore
from retrieval.adapters.tantivy_index import TantivyIndex
from retrieval.adapters.tantivy_writer import TantivyWriter
from retrieval.errors import ChannelFailed
from tests import rows

EVERYONE = Principal.workspace(rows.TEAM)
SCOPE = rows.scope_of(EVERYONE)


async def add_published(pool, document, *texts, title="Title"):
    chunks = await rows.add_document(pool, document, texts, principals=[EVERYONE], title=title)
    await store(pool, chunks)
    return chunks


async def store(pool, chunks):
    await PgVectorStore(pool=pool, encoder="test").replace(
        version=chunks[0].version,
        chunks=chunks,
        vectors=rows.vectors_of(chunks, [(1, 0)] * len(chunks)),
        encoder="test",
    )


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "index"


@pytest.fixture
async def opened(pool, folder):
    """Opens indices on the folder, and closes them."""
    indices = []

    async def open_index(*, read_only=False):
        index = TantivyIndex(folder=folder, rows=PgIndexRows(pool=pool))
        indices.append(index)
        await index.open(read_only=read_only)
        return index

    yield open_index
    for index in reversed(indices):
        await index.aclose()


async def add(index, chunks):
    await index.add(chunks, team=rows.TEAM, title="Title", principals=[str(EVERYONE)])


async def found(index, query="waterproof"):
    return [hit.chunk_id for hit in await index.match(SCOPE, query, limit=100)]


async def test_kept_over_a_restart(opened):
    index = await opened()
    await add(index, rows.chunks_of("d-v1", ["waterproof"], document="d"))
    await index.aclose()
    assert await found(await opened()) == ["d-v1-1"]


async def test_a_missing_index_is_rebuilt_from_the_rows(pool, opened):
    await add_published(pool, "d", "waterproof", "waterproof 防水")
    index = await opened()
    assert await found(index) == ["d-v1-1", "d-v1-2"]
    assert await found(index, "title") == ["d-v1-1", "d-v1-2"]
    assert await index.match(rows.scope_of(Principal.user(rows.TEAM, "U9")), "waterproof", limit=5) == []


async def test_rebuilt_with_what_serves_or_is_about_to(pool, opened):
    await add_published(pool, "d", "waterproof old")
    await store(pool, await rows.add_version(pool, "d", ["waterproof new"], number=2, publish=False))
    await add_published(pool, "gone", "waterproof")
    await rows.mark_deleted(pool, "gone")
    assert await found(await opened()) == ["d-v1-1", "d-v2-1"]


async def test_an_index_of_another_schema_is_rebuilt(pool, folder, opened, monkeypatch):
    index = await opened()
    await index.aclose()
    await add_published(pool, "d", "waterproof")
    monkeypatch.setattr(tantivy_schema, "VERSION", tantivy_schema.VERSION + 1)
    assert await found(await opened()) == ["d-v1-1"]
    assert [path.name for path in folder.iterdir()] == [f"v{tantivy_schema.VERSION}"]


@pytest.mark.parametrize("damage", ["meta.json", "*.term", "*.idx", "*.store", "*.fieldnorm"])
async def test_a_damaged_index_is_rebuilt(pool, folder, opened, damage):
    await add_published(pool, "d", "waterproof")
    index = await opened()
    await index.aclose()
    damaged = list(folder.rglob(damage))
    assert damaged
    for path in damaged:
        path.write_bytes(b"damaged")
    assert await found(await opened()) == ["d-v1-1"]


async def test_a_rebuild_that_broke_off_is_begun_again(pool, folder, opened):
    await add_published(pool, "d", "waterproof")
    (folder / "building").mkdir(parents=True)
    (folder / "building" / "meta.json").write_text("{}")
    assert await found(await opened()) == ["d-v1-1"]


async def test_a_reader_sees_what_the_owner_writes(opened):
    owner = await opened()
    reader = await opened(read_only=True)
    assert await found(reader) == []
    await add(owner, rows.chunks_of("d-v1", ["waterproof"], document="d"))
    assert await found(reader) == ["d-v1-1"]
    await owner.delete_document("d")
    assert await found(reader) == []


async def test_a_reader_does_not_write(opened):
    await opened()
    reader = await opened(read_only=True)
    with pytest.raises(ChannelFailed, match="for writing"):
        await reader.delete_document("d")


async def test_a_reader_without_an_index_is_told(opened):
    with pytest.raises(ChannelFailed, match="no index"):
        await opened(read_only=True)


async def test_a_second_owner_is_refused(opened):
    owner = await opened()
    await add(owner, rows.chunks_of("d-v1", ["waterproof"], document="d"))
    with pytest.raises(ChannelFailed, match="LockBusy"):
        await opened()
    assert await found(owner) == ["d-v1-1"]


async def test_a_failed_write_leaves_nothing_and_the_index_goes_on(opened):
    index = await opened()
    good = rows.chunks_of("d-v1", ["waterproof"], document="d")
    with pytest.raises(AttributeError):
        await add(index, [*good, None])
    assert await found(index) == []
    await add(index, good)
    assert await found(index) == ["d-v1-1"]


def texts_in(folder):
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


async def test_a_deleted_document_leaves_no_word_in_the_files(folder, opened):
    index = await opened()
    await add(index, rows.chunks_of("a-v1", ["waterproof alpha"], document="a"))
    both = [*rows.chunks_of("b-v1", ["zebraword"], document="b"), *rows.chunks_of("c-v1", ["camelword"], document="c")]
    await add(index, both)
    await index.set_principals("b", [str(EVERYONE), "channel:T1/C9"])
    await add(index, rows.chunks_of("b-v2", ["zebraword again"], document="b"))
    await index.delete_version("b-v1")
    assert b"zebraword" in texts_in(folder)
    await index.delete_document("b")
    assert b"zebraword" not in texts_in(folder)
    assert set(await found(index, "alpha camelword")) == {"a-v1-1", "c-v1-1"}
    assert b"camelword" in texts_in(folder)


async def test_a_deletion_is_finished_over_several_slices(folder, opened, monkeypatch):
    monkeypatch.setattr("retrieval.adapters.tantivy_index._REWRITE_SLICE", 7)
    index = await opened()
    chunks = rows.chunks_of("a-v1", [f"waterproof {number}" for number in range(40)], document="a")
    await add(index, [*chunks, *rows.chunks_of("b-v1", ["zebraword"], document="b")])
    await index.delete_document("b")
    assert b"zebraword" not in texts_in(folder)
    assert len(await found(index)) == 40


async def test_an_index_whose_files_vanish_is_rebuilt_at_the_next_write(pool, folder, opened):
    """An operator who deletes the folder under a running bot loses no document and needs no restart."""
    await add_published(pool, "d", "waterproof")
    index = await opened()
    shutil.rmtree(folder)
    more = [rows.chunks_of(f"{name}-v1", ["waterproof"], document=name) for name in ("e", "f")]
    async with asyncio.timeout(20), asyncio.TaskGroup() as group:
        for chunks in more:
            group.create_task(add(index, chunks))
    assert sorted(await found(index)) == ["d-v1-1", "e-v1-1", "f-v1-1"]
    await index.aclose()
    assert sorted(await found(await opened())) == ["d-v1-1", "e-v1-1", "f-v1-1"]


async def test_a_write_that_cannot_even_be_taken_back_is_told_and_the_next_is_tried(opened, monkeypatch):
    index = await opened()
    apply, broken = TantivyWriter._apply, [True]

    def failing(self, operations):
        if broken.pop():
            raise OSError("no space left on device")
        return apply(self, operations)

    with monkeypatch.context() as patch:
        patch.setattr(TantivyWriter, "_apply", failing)
        async with asyncio.timeout(20):
            with pytest.raises(ChannelFailed, match="no space left"):
                await add(index, rows.chunks_of("d-v1", ["waterproof"], document="d"))
    await add(index, rows.chunks_of("d-v1", ["waterproof"], document="d"))
    assert await found(index) == ["d-v1-1"]
