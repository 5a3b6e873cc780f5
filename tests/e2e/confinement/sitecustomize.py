"""Imported by every Python process of the confined demo: notes whatever would leave the machine or the data folder."""

import os
import sys
from pathlib import Path

_LOG = os.open(os.environ["CONFINEMENT_LOG"], os.O_WRONLY | os.O_APPEND)
_ALLOWED = (os.environ["HAITANG_DATA"], "/dev/", "/proc/self/")
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT


def _note(what: str) -> None:
    os.write(_LOG, f"{what}\n".encode())


def _watch(event: str, arguments: tuple[object, ...]) -> None:
    if event == "socket.connect":
        address = arguments[1]
        if isinstance(address, tuple) and str(address[0]) not in ("127.0.0.1", "::1", "localhost"):
            _note(f"connect {address}")
    elif event == "open":
        path, _, flags = arguments
        if isinstance(path, str | bytes) and isinstance(flags, int) and flags & _WRITING:
            name = os.fsdecode(path)
            if Path(name).is_absolute() and not name.startswith(_ALLOWED):
                _note(f"write {name}")


sys.addaudithook(_watch)
