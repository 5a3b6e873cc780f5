"""What a file is: by its content first, then by its name and its declared type."""

from __future__ import annotations

import re
import zipfile
import zlib
from enum import StrEnum

from ingest.limits import Limits
from ingest.model import Cause, Unreadable
from ingest.parsers.source import Source


class Format(StrEnum):
    """What we read."""

    TEXT = "text"
    MARKDOWN = "markdown"
    CSV = "csv"
    HTML = "html"
    PDF = "pdf"
    DOCX = "docx"
    PPTX = "pptx"
    XLSX = "xlsx"
    MEDIA = "media"


_HEAD = 4096
_MEDIA = re.compile(
    rb"RIFF....(?:WAVE|AVI )|fLaC\0|OggS\0|ID3[\2-\4]|\xff[\xe2\xe3\xf0-\xf3\xf8-\xfb]|\0...ftyp|\x1aE\xdf\xa3"
    rb"|FORM....AIF|\x30\x26\xb2\x75\x8e\x66\xcf\x11|#!AMR|caff\0",
    re.DOTALL,
)
_PICTURE = re.compile(
    rb"\x89PNG\r|\xff\xd8\xff|GIF8[79]a|BM....\0\0\0\0|II\*\0|MM\0\*|RIFF....WEBP|\0...ftyp(?:heic|heif|avif|mif1)",
    re.DOTALL,
)
_PDF = re.compile(rb"(?:\xef\xbb\xbf)?\s*%PDF-")
_HTML = re.compile(
    rb"\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html)[\s>]", re.IGNORECASE | re.DOTALL
)
_PROLOG = 64 * 1024
_ROOT = re.compile(rb"<[A-Za-z_]")
_UTF16 = (b"\xff\xfe", b"\xfe\xff", b"<\x00", b"\x00<")
"""XML in which a document type would not be seen; Office programs write UTF-8."""

_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_OLE_ENCRYPTED = "EncryptedPackage".encode("utf-16-le")

_BY_MEMBER = {"word/": Format.DOCX, "ppt/": Format.PPTX, "xl/": Format.XLSX}
_BY_EXTENSION = {
    **dict.fromkeys(("md", "markdown", "mdown"), Format.MARKDOWN),
    **dict.fromkeys(("csv", "tsv"), Format.CSV),
    **dict.fromkeys(("html", "htm", "xhtml"), Format.HTML),
}
_BY_TYPE = {"text/markdown": Format.MARKDOWN, "text/csv": Format.CSV, "text/html": Format.HTML}
_PROMISES = {
    **dict.fromkeys(("pdf", "docx", "docm", "pptx", "pptm", "xlsx", "xlsm"), "a document"),
    **dict.fromkeys(("m4a", "mp3", "wav", "flac", "ogg", "oga", "opus", "webm", "mp4", "mov", "m4v", "mkv"), "media"),
}
"""Extensions whose files are never plain text."""


def format_of(source: Source) -> Format:
    """The format of a file. Raises Unreadable when it is empty, too large, encrypted, of a kind that is not read, or
    not what its name promises."""
    size = source.path.stat().st_size
    if not size:
        raise Unreadable(Cause.EMPTY, "0 bytes")
    if size > source.limits.file_bytes:
        raise Unreadable(Cause.TOO_LARGE, f"{size} bytes")
    with source.path.open("rb") as file:
        head = file.read(_HEAD)
    if _PDF.match(head) or (source.extension == "pdf" and b"%PDF-" in head[:1024]):
        return Format.PDF
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return _office_format(source)
    if head.startswith(_OLE):
        raise _ole(source)
    if _PICTURE.match(head):
        raise Unreadable(Cause.UNSUPPORTED, "a picture")
    if _MEDIA.match(head):
        return Format.MEDIA
    return _text_format(source, head)


def _text_format(source: Source, head: bytes) -> Format:
    extension, declared = source.extension, source.mimetype.partition(";")[0].strip().lower()
    by_name = _BY_EXTENSION.get(extension) or (None if extension else _BY_TYPE.get(declared))
    if _HTML.match(head.removeprefix(b"\xef\xbb\xbf")):
        if by_name in (Format.HTML, Format.MARKDOWN) or declared in ("text/html", "application/xhtml+xml"):
            return by_name or Format.HTML
        raise Unreadable(Cause.HTML_INSTEAD, f"a web page under the name *.{extension}")
    if extension in _PROMISES:
        raise Unreadable(Cause.DAMAGED, f"*.{extension} without the marks of {_PROMISES[extension]}")
    if head.startswith(b"{\\rtf"):
        raise Unreadable(Cause.UNSUPPORTED, "rich text format")
    return by_name or Format.TEXT


def _ole(source: Source) -> Unreadable:
    """Old Office files, and encrypted new ones, which share their container."""
    with source.path.open("rb") as file:
        data = file.read(16 * 1024 * 1024)
    if _OLE_ENCRYPTED in data:
        return Unreadable(Cause.ENCRYPTED, "an encrypted Office file")
    return Unreadable(Cause.UNSUPPORTED, "an Office file of before 2007")


def _office_format(source: Source) -> Format:
    try:
        with zipfile.ZipFile(source.path) as archive:
            _check_archive(archive, source.limits)
            names = archive.namelist()
    except (
        zipfile.BadZipFile,
        zlib.error,
        zipfile.LargeZipFile,
        NotImplementedError,
        OSError,
        EOFError,
        ValueError,
    ) as error:
        raise Unreadable(Cause.DAMAGED, f"zip: {error}") from error
    if "[Content_Types].xml" in names:
        for prefix, found in _BY_MEMBER.items():
            if any(name.startswith(prefix) for name in names):
                return found
    raise Unreadable(Cause.UNSUPPORTED, "an archive that is no Office file")


def _check_archive(archive: zipfile.ZipFile, limits: Limits) -> None:
    """Refuses bombs before anything is unpacked."""
    members = archive.infolist()
    if len(members) > limits.archive_members or sum(m.file_size for m in members) > limits.archive_bytes:
        raise Unreadable(Cause.TOO_LARGE, f"{len(members)} members")
    for member in members:
        if member.flag_bits & 0x1:
            raise Unreadable(Cause.ENCRYPTED, "an encrypted archive")
        if member.file_size > 1024 * 1024 and member.file_size > limits.archive_ratio * max(member.compress_size, 1):
            raise Unreadable(Cause.TOO_LARGE, f"{member.file_size} bytes packed in {member.compress_size}")
        if member.filename.endswith((".xml", ".rels")):
            with archive.open(member) as part:
                prolog = part.read(_PROLOG)
            root = _ROOT.search(prolog)
            if prolog.startswith(_UTF16) or b"<!DOCTYPE" in prolog[: root.start() if root else None]:
                raise Unreadable(Cause.DAMAGED, "an XML part that may declare entities")
