"""Bytes of text files to characters: Unicode first, then the Chinese encodings by what reads as Chinese."""

from __future__ import annotations

import codecs
import re

from charset_normalizer import from_bytes

from ingest.model import Cause, Unreadable

_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_KANA = re.compile(r"[\u3040-\u30ff]")
_PUNCTUATION = re.compile(r"[\u3000-\u303f\uff01-\uff60\u2010-\u2027·×÷°]")
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")
_SAMPLE = 100_000
_WESTERN = frozenset("àáâãäåæçèéêëìíîïñòóôõöøùúûüýÿßœÀÁÂÄÅÆÇÈÉÊËÎÏÑÓÔÖØÙÚÛÜŒ’‘“”–—…•·°£€§©®«»½¼²³µ±×\u00a0")


def _characters(encoding: str, leads: range) -> frozenset[str]:
    """The characters that a two-byte encoding puts under these lead bytes."""
    pairs = (bytes((lead, trail)) for lead in leads for trail in range(0x40, 0xFF))
    return frozenset("".join(pair.decode(encoding, errors="ignore") for pair in pairs))


_COMMON = (
    ("gb18030", _characters("gb2312", range(0xB0, 0xD8))),
    ("big5hkscs", _characters("big5", range(0xA4, 0xC7))),
    ("cp932", _characters("cp932", range(0x88, 0xA0))),
)
"""By encoding the characters of its everyday level: GB 2312 level 1, Big5 level 1, JIS level 1. Text read in the
wrong encoding falls outside of it: GB 18030 accepts nearly any bytes, but makes rare characters of Big5."""


def decode(data: bytes, *, declared: str | None = None) -> str:
    """The text of ``data``; ``declared`` is an encoding the file itself names. Raises Unreadable(UNSUPPORTED) for bytes
    that are not text."""
    for bom, encoding in _BOMS:
        if data.startswith(bom):
            return _text(data.decode(encoding, errors="replace"))
    if b"\x00" in data[:_SAMPLE]:
        return _without_bom(data)
    for encoding in filter(None, ("utf-8", declared, _east_asian(data), _western(data))):
        try:
            return _text(data.decode(encoding))
        except (UnicodeDecodeError, LookupError):
            continue
    best = from_bytes(data[:_SAMPLE]).best()
    if best is None:
        raise Unreadable(Cause.UNSUPPORTED, "no encoding fits")
    return _text(data.decode(best.encoding, errors="replace"))


def _text(text: str) -> str:
    if len(_CONTROL.findall(text[:_SAMPLE])) > len(text[:_SAMPLE]) // 100:
        raise Unreadable(Cause.UNSUPPORTED, "control characters: not a text file")
    return _CONTROL.sub("", text).replace("\r\n", "\n").replace("\r", "\n")


def _without_bom(data: bytes) -> str:
    """UTF-16 whose mark is missing: its zeros all stand on one side."""
    even, odd = data[:_SAMPLE:2].count(0), data[1:_SAMPLE:2].count(0)
    if min(even, odd) * 20 > max(even, odd) or len(data) % 2:
        raise Unreadable(Cause.UNSUPPORTED, "zero bytes: not a text file")
    try:
        return _text(data.decode("utf-16-be" if even > odd else "utf-16-le"))
    except UnicodeDecodeError as error:
        raise Unreadable(Cause.UNSUPPORTED, "zero bytes: not a text file") from error


def _east_asian(data: bytes) -> str | None:
    """The East Asian encoding in which at least .85 of what is not ASCII are everyday characters, the best one."""
    scores = {encoding: _score(data[:_SAMPLE], encoding, common) for encoding, common in _COMMON}
    best = max(scores, key=lambda encoding: scores[encoding])
    return best if scores[best] >= 0.85 else None


def _western(data: bytes) -> str | None:
    """Windows-1252 when nearly all that is not ASCII are letters and marks of Western European languages."""
    foreign = [character for character in data[:_SAMPLE].decode("cp1252", errors="replace") if character > "\x7f"]
    return "cp1252" if sum(character in _WESTERN for character in foreign) >= 0.95 * len(foreign) else None


def _score(data: bytes, encoding: str, common: frozenset[str]) -> float:
    try:
        text = codecs.getincrementaldecoder(encoding)().decode(data)
    except UnicodeDecodeError:
        return 0.0
    foreign = [character for character in text if character > "\x7f"]
    kana = len(_KANA.findall(text))
    if not foreign or (encoding == "cp932") != (kana > len(foreign) // 10):
        return 0.0
    marks = len(_PUNCTUATION.findall(text))
    everyday = sum(character in common and not _PUNCTUATION.match(character) for character in foreign)
    known = kana if encoding == "cp932" else 0
    return (everyday + marks + known) / len(foreign)
