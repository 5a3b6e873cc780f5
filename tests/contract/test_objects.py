"""What every store of original files must do; the server's store joins by another parameter."""

from __future__ import annotations

from pathlib import Path

import pytest
from obstore.store import LocalStore, MemoryStore

from ingest.adapters.objects import StoredObjects

KEY = "T1/0f3a"
CONTENT = bytes(range(256)) * 12_000


@pytest.fixture(params=["folder", "memory"])
def objects(request: pytest.FixtureRequest, tmp_path: Path) -> StoredObjects:
    (tmp_path / "store").mkdir()
    return StoredObjects(store=LocalStore(prefix=tmp_path / "store") if request.param == "folder" else MemoryStore())


@pytest.fixture
def original(tmp_path: Path) -> Path:
    path = tmp_path / "original.bin"
    path.write_bytes(CONTENT)
    return path


async def test_what_is_put_is_fetched_byte_for_byte(objects: StoredObjects, original: Path, tmp_path: Path) -> None:
    await objects.put(KEY, original)
    await objects.fetch(KEY, tmp_path / "fetched")
    assert (tmp_path / "fetched").read_bytes() == CONTENT


async def test_an_empty_object_is_an_object(objects: StoredObjects, tmp_path: Path) -> None:
    (tmp_path / "empty").write_bytes(b"")
    await objects.put(KEY, tmp_path / "empty")
    await objects.fetch(KEY, tmp_path / "fetched")
    assert (tmp_path / "fetched").read_bytes() == b""


async def test_the_same_key_again_replaces(objects: StoredObjects, original: Path, tmp_path: Path) -> None:
    await objects.put(KEY, original)
    (tmp_path / "other").write_bytes(b"other")
    await objects.put(KEY, tmp_path / "other")
    await objects.fetch(KEY, tmp_path / "fetched")
    assert (tmp_path / "fetched").read_bytes() == b"other"


async def test_an_unknown_key_is_not_found_and_leaves_no_file(objects: StoredObjects, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        await objects.fetch(KEY, tmp_path / "fetched")
    assert not (tmp_path / "fetched").exists()


async def test_what_is_deleted_is_gone_and_deleting_again_is_fine(
    objects: StoredObjects, original: Path, tmp_path: Path
) -> None:
    await objects.put(KEY, original)
    await objects.put("T1/other", original)
    await objects.delete(KEY)
    await objects.delete(KEY)
    with pytest.raises(FileNotFoundError):
        await objects.fetch(KEY, tmp_path / "fetched")
    await objects.fetch("T1/other", tmp_path / "other")


async def test_a_file_is_never_written_over(objects: StoredObjects, original: Path, tmp_path: Path) -> None:
    await objects.put(KEY, original)
    (tmp_path / "mine").write_bytes(b"mine")
    with pytest.raises(FileExistsError):
        await objects.fetch(KEY, tmp_path / "mine")
    assert (tmp_path / "mine").read_bytes() == b"mine"
