"""``haitang`` as a process of its own, as people start it."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

from bot.sandbox.server import Sandbox

START_SECONDS = 60
STOP_SECONDS = 40


def environment(folder: Path, sandbox: Sandbox | None = None, **more: str) -> dict[str, str]:
    """What a process sees: its data folder, the sandbox's tokens for Slack, nothing of ours."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG", "TMPDIR") if name in os.environ}
    slack = {"SLACK_API_URL": sandbox.api_url, "SLACK_BOT_TOKEN": sandbox.bot_token} if sandbox else {}
    return kept | slack | {"HAITANG_DATA": str(folder), "HAITANG_PORT": "0"} | more


class Running:
    """A started ``haitang``; ``first_line`` is what it printed on stdout when it was ready."""

    def __init__(self, process: asyncio.subprocess.Process, first_line: str) -> None:
        self.process = process
        self.first_line = first_line

    async def stop(self, number: signal.Signals = signal.SIGTERM) -> int:
        """Send the signal and return the exit code."""
        if self.process.returncode is None:
            self.process.send_signal(number)
        async with asyncio.timeout(STOP_SECONDS):
            return await self.process.wait()


@asynccontextmanager
async def haitang(*arguments: str, env: Mapping[str, str]) -> AsyncIterator[Running]:
    """Start a command that keeps running and wait until it says that it is ready; it is killed at the end."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "bot.cli", *arguments, env=dict(env), stdout=asyncio.subprocess.PIPE, stderr=None
    )
    try:
        assert process.stdout is not None
        async with asyncio.timeout(START_SECONDS):
            line = await process.stdout.readline()
        yield Running(process, line.decode())
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


async def run(*arguments: str, env: Mapping[str, str]) -> tuple[int, str, str]:
    """Run a command to its end: exit code, stdout, stderr."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "bot.cli",
        *arguments,
        env=dict(env),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, err = await process.communicate()
    assert process.returncode is not None
    return process.returncode, out.decode(), err.decode()
