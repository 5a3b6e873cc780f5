"""A recogniser that does what broken libraries do, by the name of the clip. Parsing processes import it by name."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from ingest.ports import Segment


class Misbehaving:
    """Each public way to behave is a method; ``transcribe`` calls the one that the file is named after."""

    def transcribe(
        self, media: Path, *, language: str | None = None, progress: Callable[[int], None] | None = None
    ) -> Sequence[Segment]:
        if progress:
            progress(0)
        return [Segment(0, 1000, str(getattr(self, media.stem)()))]

    def behave(self) -> str:
        return f"process {os.getpid()}"

    def hang(self) -> None:
        threading.Event().wait()

    def eat(self) -> None:
        eaten = []
        while True:
            eaten.append(bytearray(32 << 20))

    def crash(self) -> None:
        ctypes.string_at(0)

    def abort(self) -> None:
        sys.stderr.write("terminate called after throwing an instance of 'std::bad_alloc'\n")
        sys.stderr.flush()
        os.abort()

    def be_killed(self) -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    def leave(self) -> None:
        os._exit(3)

    def print(self) -> str:
        print("noise that would break the frames")
        os.write(1, b"more of it\n")
        return "printed"

    def environment(self) -> str:
        return " ".join(sorted(os.environ))

    def overflow(self) -> int:
        return self.overflow() + 1

    def lack_memory(self) -> None:
        raise RuntimeError("mkl_malloc: failed to allocate memory")

    def fail(self) -> None:
        raise OSError("the words of the file")


def build() -> Misbehaving:
    return Misbehaving()


def build_nothing() -> Misbehaving:
    raise ImportError("a model that is not installed")
