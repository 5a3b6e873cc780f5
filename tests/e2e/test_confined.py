"""Nothing is written outside the data folder, nothing is sent out: the demo with an empty home and no network."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import sys
from pathlib import Path

from bot.sandbox.samples import Samples

TOOLS = Path(__file__).parent / "confinement"
READY_SECONDS, WORK_SECONDS = 60, 100


async def without_network() -> list[str]:
    """The words before a command that take the network away; none where the system has no way for this user."""
    for words in (["unshare", "-n"], ["unshare", "-rn"]):
        if shutil.which(words[0]) is None:
            continue
        alone = [*words, sys.executable, str(TOOLS / "alone.py")]
        process = await asyncio.create_subprocess_exec(*alone, "true", stderr=asyncio.subprocess.DEVNULL)
        # A namespace that makes us root would change whom PostgreSQL runs as.
        if await process.wait() == 0 and (words[1] == "-n" or os.geteuid() != 0):
            return alone if words[1] == "-n" else []
    return []


async def test_the_demo_keeps_to_its_data_folder(short_folder: Path, tmp_path: Path, sample: Samples) -> None:
    data = short_folder / "confined"
    home, work, temporary = (tmp_path / name for name in ("home", "work", "tmp"))
    for folder in (home, work, temporary):
        folder.mkdir()
    log = tmp_path / "confinement.log"
    log.touch()
    env = {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "TMPDIR": str(temporary),
        "HAITANG_DATA": str(data),
        "PYTHONPATH": str(TOOLS),
        "PYTHONDONTWRITEBYTECODE": "1",
        "CONFINEMENT_LOG": str(log),
    }
    command = [*await without_network(), sys.executable, "-m", "bot.cli", "demo", "--port", "0"]
    process = await asyncio.create_subprocess_exec(
        *command, env=env, cwd=work, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    assert process.stdout is not None
    assert process.stderr is not None
    try:
        async with asyncio.timeout(READY_SECONDS):
            assert b"http://127.0.0.1:" in await process.stdout.readline()
        async with asyncio.timeout(WORK_SECONDS):
            await _all_published(process.stderr, len(sample.files))
        process.send_signal(signal.SIGINT)
        async with asyncio.timeout(READY_SECONDS):
            await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
            await process.communicate()
    assert process.returncode == 0
    assert log.read_text() == ""
    assert [path for folder in (home, work, temporary) for path in folder.rglob("*")] == []
    assert any(data.iterdir())


async def _all_published(lines: asyncio.StreamReader, count: int) -> None:
    """Read the demo's log until every sample file is published."""
    while count:
        line = await lines.readline()
        assert line, "the demo ended"
        if line.startswith(b"{"):
            event = json.loads(line)["event"]
            assert event != "version_unreadable", line.decode()
            count -= event == "version_published"
