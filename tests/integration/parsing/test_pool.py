"""Parsing processes: limits, crashes, cancellation, and their end with the parent's."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import numpy as np
import psutil
import pytest

from ingest.limits import Limits
from ingest.model import Cause, Parsed, Unreadable
from ingest.parsing import ParserPool, TranscriberFactory
from ingest.parsing_process import PoolClosed
from tests.integration.parsing.files import pdf, wav, write

_MODULE = "tests.integration.parsing.misbehaving"
_REPOSITORY = Path(__file__).parents[3]


_others: set[int] = set()


@pytest.fixture(autouse=True)
def _not_ours() -> None:
    _others.clear()
    _others.update(child.pid for child in psutil.Process().children())


@pytest.fixture(autouse=True)
def _importable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(_REPOSITORY))


def _pool(*, build: str = "build", limits: Limits | None = None, processes: int = 1) -> ParserPool:
    factory = TranscriberFactory(factory=f"{_MODULE}:{build}", arguments={})
    return ParserPool(transcriber=factory, limits=limits, processes=processes)


@pytest.fixture
async def pool() -> AsyncIterator[ParserPool]:
    async with _pool() as opened:
        yield opened


def _clip(folder: Path, behaviour: str) -> Path:
    return wav(folder, f"{behaviour}.wav", np.zeros(16_000))


async def _heard(pool: ParserPool, clip: Path) -> str:
    (segment,) = await pool.transcribe(clip)
    return segment.text


async def _cause(pool: ParserPool, clip: Path) -> Cause:
    with pytest.raises(Unreadable) as refusal:
        await pool.transcribe(clip)
    assert "words of the file" not in refusal.value.detail
    return refusal.value.cause


async def test_a_file_is_read_with_progress(pool: ParserPool, tmp_path: Path) -> None:
    path = pdf(tmp_path, "a.pdf", [[(50, 700, 10, "第一页")], [(50, 700, 10, "Two")]])
    told: list[tuple[int, int, str]] = []
    parsed = await pool.parse(path, name="a.pdf", mimetype="", progress=lambda *now: told.append(now))
    assert [unit.place.page for unit in parsed.units] == [1, 2]
    assert parsed.units[0].text == "第一页"
    assert told == [(1, 2, "pages"), (2, 2, "pages")]


async def test_a_process_stays_warm_for_the_next_file(pool: ParserPool, tmp_path: Path) -> None:
    first = await _heard(pool, _clip(tmp_path, "behave"))
    assert await _cause(pool, write(tmp_path, "bad.wav", b"RIFF\0\0\0\0WAVE")) is Cause.DAMAGED
    assert await _heard(pool, _clip(tmp_path, "behave")) == first


@pytest.mark.parametrize(
    ("behaviour", "wanted"),
    [
        ("crash", Cause.DAMAGED),
        ("abort", Cause.OUT_OF_MEMORY),
        ("be_killed", Cause.OUT_OF_MEMORY),
        ("leave", Cause.INTERNAL),
        ("overflow", Cause.DAMAGED),
        ("lack_memory", Cause.OUT_OF_MEMORY),
        ("fail", Cause.DAMAGED),
    ],
)
async def test_whatever_happens_has_a_cause_and_the_next_file_is_read(
    pool: ParserPool, tmp_path: Path, behaviour: str, wanted: Cause
) -> None:
    assert await _cause(pool, _clip(tmp_path, behaviour)) is wanted
    assert await _heard(pool, _clip(tmp_path, "behave"))


async def test_a_file_that_hangs_is_ended(tmp_path: Path) -> None:
    async with _pool(limits=Limits(wall_seconds=1.0)) as pool:
        assert await _cause(pool, _clip(tmp_path, "hang")) is Cause.TIMEOUT


async def test_a_file_that_eats_memory_is_ended(tmp_path: Path) -> None:
    async with _pool(limits=Limits(memory_bytes=512 << 20)) as pool:
        assert await _cause(pool, _clip(tmp_path, "eat")) is Cause.OUT_OF_MEMORY
        assert await _heard(pool, _clip(tmp_path, "behave"))


async def test_what_libraries_print_does_no_harm(pool: ParserPool, tmp_path: Path) -> None:
    assert await _heard(pool, _clip(tmp_path, "print")) == "printed"


async def test_a_process_sees_no_secrets(pool: ParserPool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLACK_BOT_TOKEN", "xoxb-secret")
    seen = await _heard(pool, _clip(tmp_path, "environment"))
    assert "PATH" in seen
    assert "SLACK" not in seen


async def test_a_recogniser_that_cannot_be_made_is_our_fault(tmp_path: Path) -> None:
    async with _pool(build="build_nothing") as pool:
        assert await _cause(pool, _clip(tmp_path, "behave")) is Cause.INTERNAL


async def test_a_recogniser_is_only_made_for_sound(tmp_path: Path) -> None:
    async with _pool(build="build_nothing") as pool:
        parsed = await pool.parse(write(tmp_path, "a.txt", "hello"), name="a.txt", mimetype="")
    assert parsed.units[0].text == "hello"


async def test_a_cancelled_call_ends_its_process(pool: ParserPool, tmp_path: Path) -> None:
    heard = await _hanging(pool, tmp_path)
    (process,) = _children()
    heard.cancel()
    with pytest.raises(asyncio.CancelledError):
        await heard
    assert not process.is_running()
    assert await _heard(pool, _clip(tmp_path, "behave"))


async def test_a_clip_does_not_wait_for_a_document_that_hangs(pool: ParserPool, tmp_path: Path) -> None:
    stuck = await _hanging(pool, tmp_path)
    assert await _heard(pool, _clip(tmp_path, "behave"))
    stuck.cancel()
    with pytest.raises(asyncio.CancelledError):
        await stuck


async def test_closing_ends_every_process_and_says_nothing_about_the_files(tmp_path: Path) -> None:
    pool = _pool()
    assert await _heard(pool, _clip(tmp_path, "behave"))
    stuck = await _hanging(pool, tmp_path)
    starting = asyncio.create_task(pool.transcribe(_clip(tmp_path, "hang")))
    children = _children()
    assert len(children) == 2
    await pool.aclose()
    for task in (stuck, starting):
        with pytest.raises(PoolClosed):
            await task
    with pytest.raises(PoolClosed):
        await pool.transcribe(_clip(tmp_path, "behave"))
    assert not any(child.is_running() for child in [*children, *_children()])


async def test_closing_ends_a_process_that_is_starting(tmp_path: Path) -> None:
    pool = _pool()
    starting = asyncio.create_task(pool.transcribe(_clip(tmp_path, "hang")))
    await asyncio.sleep(0)
    await pool.aclose()
    with pytest.raises(PoolClosed):
        await starting
    assert not _children()


@pytest.mark.parametrize("steps", [1, 2, 5, 20])
async def test_a_call_cancelled_while_its_process_starts_leaves_none_behind(
    pool: ParserPool, tmp_path: Path, steps: int
) -> None:
    starting = asyncio.create_task(pool.transcribe(_clip(tmp_path, "behave")))
    for _ in range(steps):
        await asyncio.sleep(0)
    starting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await starting
    assert not _children()


_PARENT = """
import asyncio, pathlib, sys
from ingest.parsing import ParserPool, TranscriberFactory

async def main():
    pool = ParserPool(transcriber=TranscriberFactory(factory=sys.argv[1], arguments={}))
    await pool.transcribe(pathlib.Path(sys.argv[2]), progress=lambda *_: print(flush=True))

asyncio.run(main())
"""


async def test_processes_die_with_a_parent_that_is_killed(tmp_path: Path) -> None:
    parent = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", _PARENT, f"{_MODULE}:build", str(_clip(tmp_path, "hang"))),
        stdout=asyncio.subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": str(_REPOSITORY)},
    )
    assert parent.stdout is not None
    await parent.stdout.readline()
    children = psutil.Process(parent.pid).children()
    assert len(children) == 1
    parent.send_signal(signal.SIGKILL)
    await parent.wait()
    _, alive = await asyncio.to_thread(psutil.wait_procs, children, timeout=20)
    assert not alive


async def test_a_file_without_an_extension_is_read(pool: ParserPool, tmp_path: Path) -> None:
    path = shutil.copy(pdf(tmp_path, "a.pdf", [[(50, 700, 10, "Hello")]]), tmp_path / "3f2a")
    assert (await pool.parse(path, name="policy.pdf", mimetype="application/pdf")).title == "policy"


async def _hanging(pool: ParserPool, folder: Path) -> asyncio.Task[Parsed]:
    """A document that hangs now."""
    started = asyncio.Event()
    clip = _clip(folder, "hang")
    parse = pool.parse(clip, name="hang.wav", mimetype="audio/wav", progress=lambda *_: started.set())
    task = asyncio.create_task(parse)
    await started.wait()
    return task


def _children() -> list[psutil.Process]:
    """The parsing processes of this test: those of a bot that other tests share are left out."""
    children = (child for child in psutil.Process().children() if child.pid not in _others)
    return [child for child in children if "ingest.parsing_child" in " ".join(child.cmdline())]
