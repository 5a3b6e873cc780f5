"""How much of a file may be read, and what reading it may cost."""

from __future__ import annotations

from dataclasses import dataclass

_MIB = 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Bounds of one file. Past ``pages``, ``cells`` or ``characters`` reading stops and the rest is named as left out;
    past the others the file is refused."""

    file_bytes: int = 256 * _MIB
    pages: int = 2_000
    """Pages of a PDF, slides of a presentation."""
    cells: int = 1_000_000
    """Cells of a workbook, of all its sheets."""
    characters: int = 10_000_000
    media_seconds: int = 4 * 3600
    archive_members: int = 20_000
    archive_bytes: int = 1024 * _MIB
    """Unpacked size of the archive that an Office file is."""
    archive_ratio: int = 200
    """Unpacked over packed, for members past one MiB: text in XML stays below 50, a bomb is past 1,000."""
    nesting: int = 200
    """Elements within elements."""
    wall_seconds: float = 900.0
    """Time from the first byte to the last chunk, whatever the file is."""
    memory_bytes: int = 3 * 1024 * _MIB
    """Data of the parsing process (RLIMIT_DATA), models included."""
