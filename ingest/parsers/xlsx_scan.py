"""What a workbook's XML tells before it is read: how many cells, which are merged, which formulas hold no value."""

from __future__ import annotations

import re
import zipfile
from dataclasses import dataclass, field
from pathlib import Path

from ingest.model import Cause, Unreadable

_CELL = re.compile(rb"<c[ />]")
_MERGED = re.compile(rb"<mergeCell [^>]*?ref=\"([A-Z]+\d+:[A-Z]+\d+)\"")
_FORMULA_WITHOUT_VALUE = re.compile(rb"(?:</f>|<f[^<>]*/>)\s*(?:<v\s*/>|<v>\s*</v>)?\s*</c>")
_PIECE = 1 << 20


@dataclass
class Scan:
    """Of all worksheets. ``merged`` has the merged ranges by the path of the sheet's part."""

    cells: int = 0
    uncomputed: int = 0
    merged: dict[str, list[str]] = field(default_factory=dict)


def scan(path: Path, *, most_cells: int) -> Scan:
    """Reads the worksheets as bytes, in pieces that end with a row.

    openpyxl itself keeps half a kilobyte for each cell and, outside of its read-only mode, makes a cell for each place
    of a merged range, of which one column has a million. Raises Unreadable: TOO_LARGE past ``most_cells``.
    """
    found = Scan()
    with zipfile.ZipFile(path) as archive:
        for name in archive.namelist():
            if not name.startswith("xl/worksheets/") or not name.endswith(".xml"):
                continue
            with archive.open(name) as part:
                rest = b""
                while piece := part.read(_PIECE):
                    rest += piece
                    end = rest.rfind(b"</row>") + 1
                    found.cells += len(_CELL.findall(rest, 0, end))
                    found.uncomputed += len(_FORMULA_WITHOUT_VALUE.findall(rest, 0, end))
                    rest = rest[end:]
                    if found.cells > most_cells:
                        raise Unreadable(Cause.TOO_LARGE, f"{found.cells} cells and more")
            found.merged[name] = [reference.decode() for reference in _MERGED.findall(rest)]
    return found
