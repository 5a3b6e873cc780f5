"""Reads files in processes of their own, each with limits of time and memory."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self

from ingest import wire
from ingest.limits import Limits
from ingest.model import Cause, Parsed, Unit, Unreadable
from ingest.parsing_process import Lane, ParsingProcess
from ingest.ports import Segment

ProgressCallback = Callable[[int, int, str], None]
"""Called on the event loop with how much is read, of how much, and the unit (pages, slides, sheets, seconds)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TranscriberFactory:
    """How a parsing process makes its speech recogniser: ``module:function`` and JSON arguments for it."""

    factory: str
    arguments: Mapping[str, Any]


class ParserPool:
    """Parsing processes, started when they are needed and kept warm.

    A file that hangs, eats memory or crashes its process costs that process alone. Voice clips have a process of their
    own, so that a question never waits behind a long document. Use with ``async with``, or call :meth:`aclose`.
    """

    def __init__(
        self, *, transcriber: TranscriberFactory | None = None, limits: Limits | None = None, processes: int = 2
    ) -> None:
        self._limits = limits or Limits()
        setup = {"limits": asdict(self._limits), "transcriber": asdict(transcriber) if transcriber else None}
        self._documents = Lane({**setup, "nice": 10}, processes)
        self._voice = Lane({**setup, "nice": 0}, 1)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_error: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Ends every process, also those that are reading; calls under way raise PoolClosed."""
        await self._documents.aclose()
        await self._voice.aclose()

    async def parse(self, path: Path, *, name: str, mimetype: str, progress: ProgressCallback | None = None) -> Parsed:
        """What the file at ``path``, called ``name``, holds.

        Raises Unreadable with the cause. A cancelled call ends its process.
        """
        request = {"task": "parse", "path": str(path), "name": name, "mimetype": mimetype}
        units, last = await self._ask(self._documents, request, progress)
        return wire.parsed_of(last, units)

    async def transcribe(
        self, path: Path, *, language: str | None = None, progress: ProgressCallback | None = None
    ) -> Sequence[Segment]:
        """What is said in a clip; ``language`` is ``zh`` or ``en``, or None to find out. Silence gives no segment.

        Raises Unreadable as :meth:`parse` does.
        """
        request = {"task": "transcribe", "path": str(path), "language": language}
        _, last = await self._ask(self._voice, request, progress)
        return wire.segments_of(last)

    async def _ask(
        self, lane: Lane, request: Mapping[str, Any], progress: ProgressCallback | None
    ) -> tuple[list[Unit], dict[str, Any]]:
        """The units and the last message that a request gives within the time of one file."""
        async with lane.process() as process:
            try:
                async with asyncio.timeout(self._limits.wall_seconds):
                    await process.send(request)
                    return await _conversation(process, progress)
            except TimeoutError:
                raise Unreadable(Cause.TIMEOUT, f"not read in {self._limits.wall_seconds} s") from None


async def _conversation(
    process: ParsingProcess, progress: ProgressCallback | None
) -> tuple[list[Unit], dict[str, Any]]:
    units: list[Unit] = []
    while True:
        message = await process.receive()
        match message["kind"]:
            case "progress":
                if progress:
                    progress(message["done"], message["total"], message["unit"])
            case "unit":
                units.append(wire.unit_of(message))
            case "unreadable":
                process.is_reusable = message["cause"] not in (Cause.OUT_OF_MEMORY, Cause.INTERNAL)
                raise Unreadable(Cause(message["cause"]), message["detail"])
            case _:
                process.is_reusable = True
                return units, message
