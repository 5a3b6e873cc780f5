"""The data folder of the embedded stores and its one owner."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from bot.stores.errors import FolderInUse, FolderUnusable

LOCK_FILE = "owner.lock"
OWNER_FILE = "owner.json"


@contextmanager
def temporary_folder(prefix: str) -> Iterator[Path]:
    """A folder that is removed afterwards, and that PostgreSQL's account may pass through (bot.stores.binaries)."""
    with tempfile.TemporaryDirectory(prefix=prefix) as name:
        folder = Path(name)
        folder.chmod(0o711)
        yield folder


class DataFolder:
    """A folder that one process owns: it runs PostgreSQL and writes the full-text index.

    The lock goes with its process, however that ends; the owner file beside it only names the holder to people.
    """

    def __init__(self, path: Path) -> None:
        self.path = path.absolute()
        self._lock = FileLock(self.path / LOCK_FILE)

    @property
    def index(self) -> Path:
        """Folder of the full-text index, which may remove it and make it anew; what is around it stays closed."""
        return self.path / "index" / "full-text"

    @property
    def objects(self) -> Path:
        """Folder of the original files."""
        return self.path / "objects"

    @property
    def scratch(self) -> Path:
        """Folder for files in work, emptied by each new owner."""
        return self.path / "scratch"

    def own(self, *, purpose: str) -> None:
        """Become the owner; raises FolderInUse naming the process that is, or FolderUnusable.

        ``purpose`` is the command, such as "serve", told to people who start a second one.
        """
        try:
            self._own(purpose)
        except OSError as error:
            raise FolderUnusable(
                f"{self.path} cannot be used as data folder ({error.strerror or error}). "
                "Set HAITANG_DATA to a folder that this user may write to, on a disk with free space."
            ) from error

    def _own(self, purpose: str) -> None:
        self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
        try:
            self._lock.acquire(blocking=False)
        except Timeout:
            pid, their_purpose = self.owner()
            raise FolderInUse(
                f"{self.path} is in use by process {pid or 'unknown'} (haitang {their_purpose}). "
                "Stop that one, or set HAITANG_DATA to another folder.",
                pid=pid,
            ) from None
        owner = {"pid": os.getpid(), "purpose": purpose}
        (self.path / OWNER_FILE).write_text(json.dumps(owner))
        shutil.rmtree(self.scratch, ignore_errors=True)
        for folder in (self.index.parent, self.objects, self.scratch):
            folder.mkdir(exist_ok=True)
            folder.chmod(0o700)

    def owner(self) -> tuple[int | None, str]:
        """Process id and purpose that the last owner wrote down; (None, "") when nobody did."""
        try:
            found = json.loads((self.path / OWNER_FILE).read_text())
        except (FileNotFoundError, ValueError):
            return None, ""
        return found.get("pid"), found.get("purpose", "")

    def release(self) -> None:
        """Give the folder up."""
        if self._lock.is_locked:
            (self.path / OWNER_FILE).unlink(missing_ok=True)
            self._lock.release()
