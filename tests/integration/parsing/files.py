"""Reads files in this process, and makes small ones of each kind."""

from __future__ import annotations

import io
import wave
import zipfile
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import pytest
from reportlab.lib import colors
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Table

from ingest.limits import Limits
from ingest.model import Block, BlockKind, Cause, Parsed, Unit, Unreadable
from ingest.parsers import parse
from ingest.parsers.source import Source

GIVEN = Path(__file__).parents[4] / "shared" / "data"
"""Files that others made; tests of them are skipped where the folder is absent."""


def read(path: Path, *, name: str | None = None, mimetype: str = "", limits: Limits | None = None) -> Parsed:
    """What the parsers make of the file."""
    return parse(Source(path=path, name=name or path.name, mimetype=mimetype, limits=limits or Limits()))


def cause_of(path: Path, *, name: str | None = None, mimetype: str = "", limits: Limits | None = None) -> Cause:
    """Why the file cannot be read."""
    with pytest.raises(Unreadable) as refusal:
        read(path, name=name, mimetype=mimetype, limits=limits)
    return refusal.value.cause


def write(folder: Path, name: str, data: bytes | str) -> Path:
    path = folder / name
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return path


def texts(unit: Unit | Parsed, kind: BlockKind | None = None) -> list[str]:
    """The texts of the blocks, of one kind or of all."""
    return [block.text for block in blocks(unit) if kind in (None, block.kind)]


def blocks(unit: Unit | Parsed) -> list[Block]:
    units = unit.units if isinstance(unit, Parsed) else (unit,)
    return [block for one in units for block in one.blocks]


def given(kind: str, name: str) -> Path:
    """A file of the given data; skips the test where that is absent."""
    path = GIVEN / kind / name
    if not path.exists():
        pytest.skip(f"needs {name} of the shared data, which is not beside the repository")
    return path


def pdf(folder: Path, name: str, pages: Iterable[Sequence[object]], *, invariant: bool = True) -> Path:
    """A PDF of the given pages, each made of (x, y, size, text), with y from the bottom, or of (x, y, rows) for a
    ruled table whose top left corner is there."""
    pdfmetrics.registerFont(UnicodeCIDFont("STSong-Light"))
    canvas = Canvas(str(folder / name), pagesize=(595, 842), invariant=invariant)
    for page in pages:
        for item in page:
            match item:
                case (x, y, float() | int() as size, str() as text):
                    canvas.setFont("STSong-Light", size)
                    canvas.drawString(x, y, text)
                case (x, y, list() as rows):
                    table = Table(
                        rows,
                        colWidths=[90] * len(rows[0]),
                        style=[
                            ("GRID", (0, 0), (-1, -1), 0.5, colors.black),
                            ("FONT", (0, 0), (-1, -1), "STSong-Light", 10),
                        ],
                    )
                    _, height = table.wrapOn(canvas, 500, 800)
                    table.drawOn(canvas, x, y - height)
        canvas.showPage()
    canvas.save()
    return folder / name


def wav(folder: Path, name: str, samples: np.ndarray, *, rate: int = 16_000) -> Path:
    """A mono WAV of samples between -1 and 1."""
    with wave.open(str(folder / name), "wb") as file:
        file.setparams((1, 2, rate, 0, "NONE", ""))
        file.writeframes((np.clip(samples, -1, 1) * 32767).astype("<i2").tobytes())
    return folder / name


def archive(folder: Path, name: str, members: dict[str, bytes | str]) -> Path:
    """A zip file of the members."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as out:
        for member, data in members.items():
            out.writestr(member, data)
    return write(folder, name, buffer.getvalue())


def member(path: Path, name: str) -> bytes:
    """One member of an archive."""
    with zipfile.ZipFile(path) as source:
        return source.read(name)


def repacked(path: Path, name: str, replaced: dict[str, bytes]) -> Path:
    """A copy of an Office file with some members replaced or added."""
    with zipfile.ZipFile(path) as source:
        members: dict[str, bytes | str] = {member: source.read(member) for member in source.namelist()}
    return archive(path.parent, name, members | replaced)
