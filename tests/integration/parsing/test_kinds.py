"""What a file is counts by its content; what cannot be read has a clear cause."""

from __future__ import annotations

import re
import shutil
import zipfile
from pathlib import Path

import numpy as np
import pytest
from docx import Document
from openpyxl import Workbook
from pptx import Presentation

from ingest.limits import Limits
from ingest.model import Cause
from ingest.parsers.sniffing import Format, format_of
from ingest.parsers.source import Source
from tests.integration.parsing.files import archive, cause_of, member, pdf, read, repacked, texts, wav, write

_LOGIN = "<!DOCTYPE html><html><head><title>Sign in | Slack</title></head><body>Sign in</body></html>"


def _documents(folder: Path) -> dict[Format, Path]:
    document, deck, book = Document(), Presentation(), Workbook()
    document.add_paragraph("Hello")
    document.save(str(folder / "a.docx"))
    deck.slides.add_slide(deck.slide_layouts[5]).shapes.title.text = "Hello"
    deck.save(str(folder / "a.pptx"))
    book.active["A1"] = "Hello"
    book.save(folder / "a.xlsx")
    return {
        Format.PDF: pdf(folder, "a.pdf", [[(50, 700, 10, "Hello")]]),
        Format.DOCX: folder / "a.docx",
        Format.PPTX: folder / "a.pptx",
        Format.XLSX: folder / "a.xlsx",
    }


def test_documents_are_read_whatever_they_are_called(tmp_path: Path) -> None:
    for path in _documents(tmp_path).values():
        bare = tmp_path / f"object-{path.suffix[1:]}"
        shutil.copy(path, bare)
        for name in ("notes.txt", "file", "wrong.mp3"):
            assert texts(read(bare, name=name, mimetype="application/octet-stream")) == ["Hello"]


@pytest.mark.parametrize(
    ("name", "mimetype", "wanted"),
    [
        ("a.md", "", Format.MARKDOWN),
        ("a.csv", "text/plain", Format.CSV),
        ("A.TSV", "", Format.CSV),
        ("a.py", "", Format.TEXT),
        ("untitled", "text/markdown; charset=utf-8", Format.MARKDOWN),
        ("untitled", "text/csv", Format.CSV),
        ("untitled", "", Format.TEXT),
    ],
)
def test_text_is_told_apart_by_name_and_then_by_type(tmp_path: Path, name: str, mimetype: str, wanted: Format) -> None:
    path = write(tmp_path, "object", "a,b\n")
    assert format_of(Source(path=path, name=name, mimetype=mimetype)) is wanted


@pytest.mark.parametrize(
    "text", ["ID3 tags hold titles.", "caffeine", "OggS is a mark", "GIF8 and BMP", "See %PDF-1.7", "PKZIP", "RIFF"]
)
def test_text_that_begins_like_another_kind_is_text(tmp_path: Path, text: str) -> None:
    for encoding in ("utf-8", "utf-8-sig", "utf-16"):
        assert texts(read(write(tmp_path, "a.txt", text.encode(encoding)))) == [text]


def test_a_pdf_may_begin_late(tmp_path: Path) -> None:
    path = _documents(tmp_path)[Format.PDF]
    assert texts(read(write(tmp_path, "late.pdf", b"\r\njunk before\r\n" + path.read_bytes()))) == ["Hello"]


@pytest.mark.parametrize("name", ["policy.pdf", "notes.txt", "clip.m4a", "prices.xlsx", "data.csv"])
def test_a_web_page_in_place_of_a_file_is_refused(tmp_path: Path, name: str) -> None:
    for page in (
        _LOGIN,
        "\ufeff\n" + _LOGIN,
        "<?xml version='1.0'?><!-- x --><html lang='en'><body>Sign in</body></html>",
    ):
        assert cause_of(write(tmp_path, "object", page), name=name) is Cause.HTML_INSTEAD


def test_a_web_page_that_says_so_is_read(tmp_path: Path) -> None:
    path = write(tmp_path, "object", _LOGIN)
    assert texts(read(path, name="page.html")) == ["Sign in"]
    assert texts(read(path, name="page", mimetype="text/html; charset=utf-8")) == ["Sign in"]


@pytest.mark.parametrize(
    ("data", "name", "wanted"),
    [
        (b"", "a.pdf", Cause.EMPTY),
        (b"just words", "a.pdf", Cause.DAMAGED),
        (b"just words", "a.mp3", Cause.DAMAGED),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "old.doc", Cause.UNSUPPORTED),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "EncryptedPackage".encode("utf-16-le"), "a.xlsx", Cause.ENCRYPTED),
        (b"\x89PNG\r\n\x1a\n" + bytes(50), "a.png", Cause.UNSUPPORTED),
        (b"\xff\xd8\xff\xe0" + bytes(50), "photo.pdf", Cause.UNSUPPORTED),
        (b"{\\rtf1 hello}", "a.rtf", Cause.UNSUPPORTED),
        (b"\x7fELF" + bytes(range(256)) * 4, "a.txt", Cause.UNSUPPORTED),
        (b"MZ\x90\x00" + bytes(200), "setup.exe", Cause.UNSUPPORTED),
        (b"PK\x03\x04 and then nothing", "a.docx", Cause.DAMAGED),
        (b"fLaC" + bytes(100), "a.flac", Cause.DAMAGED),
    ],
)
def test_what_cannot_be_read(tmp_path: Path, data: bytes, name: str, wanted: Cause) -> None:
    assert cause_of(write(tmp_path, "object", data), name=name) is wanted


def test_archives_are_refused_also_those_that_hold_themselves(tmp_path: Path) -> None:
    inner = archive(tmp_path, "inner.zip", {"a.txt": "x"})
    assert cause_of(archive(tmp_path, "outer.zip", {"inner.zip": inner.read_bytes()})) is Cause.UNSUPPORTED


def test_a_file_past_the_limit_is_too_large(tmp_path: Path) -> None:
    assert cause_of(write(tmp_path, "a.txt", "x" * 100), limits=Limits(file_bytes=99)) is Cause.TOO_LARGE


def test_bombs_are_refused_before_they_are_unpacked(tmp_path: Path) -> None:
    path = _documents(tmp_path)[Format.DOCX]
    packed_well = repacked(path, "bomb.docx", {"word/media/a.bin": bytes(30 << 20)})
    many = repacked(path, "many.docx", {f"word/{n}.xml": b"<x/>" for n in range(60)})
    assert cause_of(packed_well) is Cause.TOO_LARGE
    assert cause_of(many, limits=Limits(archive_members=50)) is Cause.TOO_LARGE
    assert cause_of(path, limits=Limits(archive_bytes=1000)) is Cause.TOO_LARGE


def test_parts_that_declare_entities_are_refused(tmp_path: Path) -> None:
    declared = b'<!DOCTYPE x [<!ENTITY e "ha">]>'
    documents = _documents(tmp_path)
    for kind, name in (
        (Format.DOCX, "word/document.xml"),
        (Format.PPTX, "ppt/presentation.xml"),
        (Format.XLSX, "xl/workbook.xml"),
    ):
        path = documents[kind]
        body = re.sub(rb"^<\?xml[^>]*>", b"", member(path, name))
        far = b"<!--" + b" " * 9_000 + b"-->" + declared
        for number, part in enumerate((declared + body, far + body, (declared + body).decode().encode("utf-16"))):
            assert cause_of(repacked(path, f"{number}{path.suffix}", {name: part})) is Cause.DAMAGED
        assert texts(read(repacked(path, f"whole{path.suffix}", {name: body}))) == ["Hello"]


def test_an_encrypted_archive_is_encrypted(tmp_path: Path) -> None:
    path = _documents(tmp_path)[Format.DOCX]
    data = bytearray(path.read_bytes())
    with zipfile.ZipFile(path) as source:
        central = source.start_dir
    data[central + 8] |= 1
    assert cause_of(write(tmp_path, "locked.docx", bytes(data))) is Cause.ENCRYPTED


def test_sound_without_a_recogniser_is_unsupported(tmp_path: Path) -> None:
    assert cause_of(wav(tmp_path, "a.wav", np.zeros(1600))) is Cause.UNSUPPORTED
