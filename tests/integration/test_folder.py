"""A data folder has one owner."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from bot.stores.errors import FolderInUse, FolderUnusable
from bot.stores.folder import DataFolder

OWNER = """
import sys
from pathlib import Path
from bot.stores.folder import DataFolder

folder = DataFolder(Path(sys.argv[1]))
folder.own(purpose="serve")
print("owned", flush=True)
sys.stdin.read()
"""


def test_a_second_owner_is_told_who_the_first_is(tmp_path: Path) -> None:
    with subprocess.Popen(  # noqa: S603 - our own script
        [sys.executable, "-c", OWNER, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as owner:
        assert owner.stdout is not None
        assert owner.stdout.readline() == b"owned\n"
        folder = DataFolder(tmp_path)
        with pytest.raises(FolderInUse, match=rf"process {owner.pid} \(haitang serve\).*HAITANG_DATA") as told:
            folder.own(purpose="demo")
        assert told.value.pid == owner.pid
        owner.kill()
        owner.wait()
    folder.own(purpose="demo")
    folder.release()


def test_a_killed_owners_work_in_progress_is_cleared(tmp_path: Path) -> None:
    first = DataFolder(tmp_path)
    first.own(purpose="serve")
    (first.scratch / "half").mkdir()
    (first.objects / "kept").write_text("x")
    first.release()
    second = DataFolder(tmp_path)
    second.own(purpose="serve")
    assert list(second.scratch.iterdir()) == []
    assert (second.objects / "kept").exists()
    second.release()


def test_what_is_inside_is_for_the_owner_alone(tmp_path: Path) -> None:
    (tmp_path / "new" / "objects").mkdir(parents=True)
    folder = DataFolder(tmp_path / "new")
    folder.own(purpose="serve")
    inside = {path.name: path.stat().st_mode & 0o777 for path in folder.path.iterdir() if path.is_dir()}
    assert inside == {"index": 0o700, "objects": 0o700, "scratch": 0o700}
    assert folder.index.is_relative_to(folder.path / "index")
    folder.release()
    assert folder.owner() == (None, "")


@pytest.mark.parametrize("name", ["a-file", "a-file/below"])
def test_a_place_that_is_no_folder_is_named_with_the_remedy(tmp_path: Path, name: str) -> None:
    (tmp_path / "a-file").touch()
    with pytest.raises(FolderUnusable, match=f"{name} cannot be used.*HAITANG_DATA"):
        DataFolder(tmp_path / name).own(purpose="serve")
