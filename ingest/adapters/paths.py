"""Files that the command line names by their path."""

from __future__ import annotations

import asyncio
import mimetypes
from pathlib import Path

from ingest.model import Cause, Document, FetchedFile, Unreadable


class PathSource:
    """``ingest.ports.Source`` of documents whose ``source_id`` is an absolute path on this machine."""

    async def fetch(self, document: Document, *, into: Path) -> FetchedFile:
        """The file where it lies; it is read, never moved. Raises Unreadable."""
        path = Path(document.source_id)
        await asyncio.to_thread(_require_readable, path)
        return FetchedFile(path, path.name, mimetypes.guess_type(path.name)[0] or "application/octet-stream")


def _require_readable(path: Path) -> None:
    try:
        with path.open("rb"):
            return
    except (FileNotFoundError, NotADirectoryError) as error:
        raise Unreadable(Cause.NOT_FOUND, str(path)) from error
    except IsADirectoryError as error:
        raise Unreadable(Cause.UNSUPPORTED, f"{path} is a folder") from error
    except PermissionError as error:
        raise Unreadable(Cause.ACCESS_DENIED, str(path)) from error
