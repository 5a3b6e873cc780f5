"""Runs mutants in copies of the tree, a few at a time, each against its own tests."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import signal
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from tests.mutations.model import Misplaced, Mutant

ROOT = Path(__file__).parents[2]
PACKAGES = ("bot", "handlers", "ingest", "permissions", "retrieval", "tests")
SECONDS = 300
PASSED, FAILED = 0, 1
"""pytest's exit codes; every other one means that the tests did not run."""


class HostDied(Exception):
    """The process that runs the tests is gone."""


class Fate(StrEnum):
    """What became of a mutant."""

    KILLED = "killed"
    SURVIVED = "SURVIVED"
    BROKEN = "BROKEN"


@dataclass(frozen=True, slots=True)
class Outcome:
    """``told`` is what pytest said last, or why the mutant could not be made."""

    mutant: Mutant
    fate: Fate
    seconds: float
    told: str = ""


def copy_tree(to: Path, *, of: Path = ROOT) -> None:
    """What is under test, and its tests."""
    ignored = shutil.ignore_patterns("__pycache__")
    for name in PACKAGES:
        shutil.copytree(of / name, to / name, ignore=ignored)
    shutil.copy(of / "pyproject.toml", to)


class Host:
    """A process that runs tests in copies of the tree, one after the other; see :mod:`tests.mutations.host`."""

    def __init__(self, clean: Path) -> None:
        """``clean`` is a copy that nobody changes."""
        self._clean = clean
        self._process: asyncio.subprocess.Process | None = None

    async def pytest(self, root: Path, killers: Sequence[str]) -> tuple[int, str]:
        """The exit code of pytest over these tests in ``root``, and the end of what it said. Raises TimeoutError."""
        log = root.parent / f"{root.name}.log"
        request = {"root": str(root), "killers": list(killers), "log": str(log)}
        process = self._process or await self._start()
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(f"{json.dumps(request)}\n".encode())
        try:
            async with asyncio.timeout(SECONDS):
                answer = await process.stdout.readline()
        except TimeoutError:
            await self.aclose()
            raise
        if not answer:
            raise HostDied(f"exit code {await process.wait()}")
        told = await asyncio.to_thread(log.read_text, errors="replace")
        return int(json.loads(answer)), told[-2_000:]

    async def aclose(self) -> None:
        """End the process, and the tests that hang in it."""
        if self._process is not None:
            os.killpg(self._process.pid, signal.SIGKILL)
            await self._process.wait()
            self._process = None

    async def _start(self) -> asyncio.subprocess.Process:
        temporary = self._clean.parent / "tmp"
        temporary.mkdir(exist_ok=True)
        self._process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "tests.mutations.host",
            cwd=self._clean,
            env={**os.environ, "PYTHONPATH": str(self._clean), "TMPDIR": str(temporary)},
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            start_new_session=True,
        )
        return self._process


async def judge(host: Host, root: Path, mutant: Mutant) -> Outcome:
    """Take the check away in the copy, run its tests, put it back."""
    began = time.monotonic()
    try:
        source = mutant.apply(root)
    except Misplaced as problem:
        return Outcome(mutant, Fate.BROKEN, 0.0, str(problem))
    try:
        code, told = await host.pytest(root, mutant.killers)
    except TimeoutError:
        code, told = -1, f"no end after {SECONDS} s"
    finally:
        (root / mutant.file).write_text(source, encoding="utf-8")
    return Outcome(mutant, _fate(code, told), time.monotonic() - began, told)


def _fate(code: int, told: str) -> Fate:
    """A test that could not even begin has noticed nothing."""
    if code == PASSED:
        return Fate.SURVIVED
    has_failed = code == FAILED and re.search(r"\b[1-9]\d* failed\b", told)
    return Fate.KILLED if has_failed else Fate.BROKEN
