"""The parsing process: reads one file after the other for its parent and dies with it."""

from __future__ import annotations

import ctypes
import faulthandler
import json
import logging
import os
import queue
import re
import resource
import signal
import sys
import threading
import traceback
import warnings
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO

from ingest import wire
from ingest.limits import Limits
from ingest.model import Cause, Unreadable
from ingest.parsers import parse, transcribe
from ingest.parsers.source import Source
from ingest.ports import Transcriber

_PR_SET_PDEATHSIG = 1
"""From Linux's prctl.h: the signal this process gets when its parent dies, even if it hangs in native code then."""

_OUR_PACKAGES = frozenset(("bot", "ingest", "retrieval"))


def main() -> None:
    """Serves requests from standard input until it ends. The first frame sets up the process."""
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # libraries that print must not write between the frames
    setup = _read_frame(sys.stdin.buffer)
    if setup is None:
        return
    _confine(setup)
    requests: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
    threading.Thread(target=_receive, args=(sys.stdin.buffer, requests), name="requests", daemon=True).start()
    worker = _Worker(out, Limits(**setup["limits"]), setup.get("transcriber"))
    while True:
        worker.serve(requests.get())


def _confine(setup: dict[str, Any]) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    os.nice(setup["nice"])
    memory = setup["limits"]["memory_bytes"]
    resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    faulthandler.enable()
    logging.disable(logging.CRITICAL)  # what libraries say about a file may quote it
    warnings.simplefilter("ignore")


def _receive(stream: BinaryIO, requests: queue.SimpleQueue[dict[str, Any]]) -> None:
    """Passes requests on; the end of the stream is the end of the parent."""
    while (request := _read_frame(stream)) is not None:
        requests.put(request)
    os._exit(0)


def _read_frame(stream: BinaryIO) -> dict[str, Any] | None:
    head = stream.read(wire.LENGTH.size)
    if len(head) < wire.LENGTH.size:
        return None
    message: dict[str, Any] = json.loads(stream.read(*wire.LENGTH.unpack(head)))
    return message


class _Worker:
    def __init__(self, out: BinaryIO, limits: Limits, transcriber: dict[str, Any] | None) -> None:
        self._out = out
        self._limits = limits
        self._factory = transcriber or {}
        self._transcriber: Transcriber | None = None

    def serve(self, request: dict[str, Any]) -> None:
        """Answers one request with frames, the last of which is no ``unit`` and no ``progress``."""
        try:
            self._read(request)
        except Unreadable as refusal:
            self._send({"kind": "unreadable", "cause": refusal.cause, "detail": refusal.detail})
        except MemoryError:
            self._send({"kind": "unreadable", "cause": Cause.OUT_OF_MEMORY, "detail": "MemoryError"})
        except RecursionError:
            self._send({"kind": "unreadable", "cause": Cause.DAMAGED, "detail": "nested too deeply"})
        except Exception as error:  # the boundary of the process: whatever a library raises becomes a cause
            self._send(_failure(error))

    def _read(self, request: dict[str, Any]) -> None:
        source = Source(
            path=Path(request["path"]),
            name=request.get("name", ""),
            mimetype=request.get("mimetype", ""),
            limits=self._limits,
            progress=self._progress,
            transcriber=self._speech if self._factory else None,
        )
        if request["task"] == "transcribe":
            self._send(wire.segments_message(transcribe(source, language=request["language"])))
            return
        parsed = parse(source)
        for unit in parsed.units:
            self._send(wire.unit_message(unit))
        self._send(wire.parsed_message(parsed))

    def _speech(self) -> Transcriber:
        """The recogniser, built when the first sound comes and kept."""
        if self._transcriber is None:
            module, _, name = self._factory["factory"].partition(":")
            self._transcriber = getattr(import_module(module), name)(**self._factory["arguments"])
        return self._transcriber

    def _progress(self, done: int, total: int, unit: str) -> None:
        self._send({"kind": "progress", "done": done, "total": total, "unit": unit})

    def _send(self, message: dict[str, Any]) -> None:
        self._out.write(wire.frame(message))
        self._out.flush()


def _failure(error: Exception) -> dict[str, Any]:
    """A library that fails met a damaged file; our own code that fails is our fault. No text of the file goes along."""
    frames = traceback.extract_tb(error.__traceback__)
    where = [f"{Path(entry.filename).name}:{entry.lineno} {entry.name}" for entry in frames[-6:]]
    innermost = Path(frames[-1].filename)
    is_ours = isinstance(error, ImportError) or not _OUR_PACKAGES.isdisjoint(innermost.parts[-3:-1])
    is_memory = isinstance(error, RuntimeError) and re.search(r"alloc|memory", str(error))  # as CTranslate2 says it
    cause = Cause.OUT_OF_MEMORY if is_memory else Cause.INTERNAL if is_ours else Cause.DAMAGED
    return {"kind": "unreadable", "cause": cause, "detail": f"{type(error).__name__} at " + " < ".join(reversed(where))}


if __name__ == "__main__":
    main()
