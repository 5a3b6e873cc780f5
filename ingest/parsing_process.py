"""The parent's side of parsing processes: start, talk, kill, and what an unexpected end means."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from typing import Any

import structlog

from ingest import wire
from ingest.model import Cause, Unreadable

log = structlog.get_logger()

_KEPT_ENVIRONMENT = ("PATH", "LANG", "LC_ALL", "TMPDIR", "PYTHONPATH", "LD_LIBRARY_PATH", "SYSTEMROOT")
"""What a parsing process sees of our environment: no tokens, no keys."""

_ADDED_ENVIRONMENT = {
    "HF_HUB_OFFLINE": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "ORT_DISABLE_TELEMETRY": "1",
    "OMP_WAIT_POLICY": "PASSIVE",
    "MALLOC_ARENA_MAX": "2",
}
_FILES_PER_PROCESS = 100
"""After so many files a process is replaced, so that what libraries leak stays bounded."""

_ERRORS_KEPT = 4096


class ParsingProcess:
    """One process that reads one file after the other."""

    def __init__(self, process: Process) -> None:
        if process.stdin is None or process.stdout is None or process.stderr is None:
            raise ValueError("a parsing process needs its three pipes")
        self._process = process
        self._stdin, self._stdout, self._stderr = process.stdin, process.stdout, process.stderr
        self._errors = bytearray()
        self._errors_task = asyncio.create_task(self._keep_errors(), name=f"errors of parsing process {process.pid}")
        self.files = 0
        self.is_reusable = False
        """Whether the last request left it fit for another."""

    @classmethod
    async def start(cls, setup: Mapping[str, Any]) -> ParsingProcess:
        """A process that was told its limits. Raises Unreadable when it ends at once."""
        environment = {name: os.environ[name] for name in _KEPT_ENVIRONMENT if name in os.environ}
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-P", "-m", "ingest.parsing_child"),
            stdin=PIPE,
            stdout=PIPE,
            stderr=PIPE,
            env=environment | _ADDED_ENVIRONMENT,
        )
        started = cls(process)
        try:
            await started.send(setup)
        except BaseException:  # a cancelled start must not leave the process behind
            await asyncio.shield(started.kill())
            raise
        return started

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def is_alive(self) -> bool:
        return self._process.returncode is None

    @property
    def is_worn(self) -> bool:
        return self.files >= _FILES_PER_PROCESS

    async def send(self, message: Mapping[str, Any]) -> None:
        """Raises Unreadable when the process has ended."""
        try:
            self._stdin.write(wire.frame(message))
            await self._stdin.drain()
        except (BrokenPipeError, ConnectionResetError):
            raise await self._ended() from None

    async def receive(self) -> dict[str, Any]:
        """The next message. Raises Unreadable when the process ends instead."""
        try:
            (length,) = wire.LENGTH.unpack(await self._stdout.readexactly(wire.LENGTH.size))
            message: dict[str, Any] = json.loads(await self._stdout.readexactly(length))
        except asyncio.IncompleteReadError:
            raise await self._ended() from None
        return message

    async def kill(self) -> None:
        """Ends the process at once and waits until it is gone; harmless when it already is."""
        if self.is_alive:
            with suppress(ProcessLookupError):  # it may have ended by itself meanwhile
                self._process.kill()
        await self._process.wait()
        self._errors_task.cancel()

    async def _keep_errors(self) -> None:
        """Drains standard error and keeps the end of it, which tells apart the ways to die."""
        while part := await self._stderr.read(_ERRORS_KEPT):
            self._errors = (self._errors + part)[-_ERRORS_KEPT:]

    async def _ended(self) -> Unreadable:
        code = await self._process.wait()
        await asyncio.wait({self._errors_task})
        name = signal.Signals(-code).name if code < 0 else f"exit code {code}"
        if name == "SIGKILL" or b"bad_alloc" in self._errors or b"MemoryError" in self._errors:
            return Unreadable(Cause.OUT_OF_MEMORY, f"the parsing process ended by {name}")
        log.warning("parsing_process_crashed", pid=self.pid, ended_by=name, files=self.files)
        return Unreadable(Cause.DAMAGED if code < 0 else Cause.INTERNAL, f"the parsing process ended by {name}")


class PoolClosed(Exception):
    """The pool was closed while, or before, a file was read: nothing is known about the file."""


class Lane:
    """Up to ``size`` processes for one kind of request; those that are idle stay warm."""

    def __init__(self, setup: Mapping[str, Any], size: int) -> None:
        self._setup = setup
        self._free = asyncio.Semaphore(size)
        self._idle: list[ParsingProcess] = []
        self._busy: set[ParsingProcess] = set()
        self._is_closed = False

    @asynccontextmanager
    async def process(self) -> AsyncIterator[ParsingProcess]:
        """A process for one request; afterwards it is kept if it says that it may be, else killed.

        Raises PoolClosed, also in place of what the end of the process looks like to the request.
        """
        async with self._free:
            process = await self._take()
            process.files += 1
            process.is_reusable = False
            self._busy.add(process)
            try:
                if self._is_closed:  # while the process was starting
                    raise PoolClosed
                yield process
            except Unreadable:
                if self._is_closed:
                    raise PoolClosed from None
                raise
            finally:
                self._busy.discard(process)
                if process.is_reusable and process.is_alive and not process.is_worn and not self._is_closed:
                    self._idle.append(process)
                else:
                    await asyncio.shield(process.kill())

    async def aclose(self) -> None:
        """Ends every process. Requests under way, and all later ones, raise PoolClosed."""
        self._is_closed = True
        processes = [*self._idle, *self._busy]
        self._idle.clear()
        await asyncio.gather(*(process.kill() for process in processes))

    async def _take(self) -> ParsingProcess:
        if self._is_closed:
            raise PoolClosed
        while self._idle:
            process = self._idle.pop()
            if process.is_alive:
                return process
            await process.kill()
        return await ParsingProcess.start(self._setup)
