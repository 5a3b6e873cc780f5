"""Bytes to characters."""

from __future__ import annotations

import pytest

from ingest.model import Cause, Unreadable
from ingest.parsers.decoding import decode

_SIMPLIFIED = "海棠 A 户型：卫生间防水涂料由东方雨虹供货，价格 85 元／㎡，“质保”五年。"
_TRADITIONAL = "維基大典（Wikipedia）者，網路為礎；裝潢業務之說明，請參閱附件。"
_JAPANESE = "これは見積書です。材料はタイルと接着剤、納期は三週間です。"
_WESTERN = "Le café coûte 3 €: “déjà vu” – naïve façade, Straße für Übergrößen."


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "gb18030", "gbk"]
)
def test_simplified_chinese(encoding: str) -> None:
    text = _SIMPLIFIED.replace("㎡", "m2") if encoding == "gbk" else _SIMPLIFIED
    assert decode(text.encode(encoding)) == text


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (_TRADITIONAL, "big5"),
        (_TRADITIONAL, "cp950"),
        (_TRADITIONAL, "gb18030"),
        (_JAPANESE, "cp932"),
        (_WESTERN, "cp1252"),
        ("Привет! Это проверка того, как программа читает старые русские файлы.", "cp1251"),
        ("plain ASCII", "ascii"),
    ],
)
def test_other_encodings(text: str, encoding: str) -> None:
    assert decode(text.encode(encoding)) == text


def test_an_apostrophe_alone_makes_no_text_east_asian() -> None:
    assert decode("It doesn’t leak.".encode("cp1252")) == "It doesn’t leak."


def test_what_the_file_declares_counts_where_utf8_does_not_fit() -> None:
    assert decode("價格".encode("big5"), declared="big5") == "價格"
    assert decode("價格".encode(), declared="no-such-encoding") == "價格"


def test_line_ends_are_one_kind_and_stray_control_characters_are_gone() -> None:
    assert decode(b"one\r\ntwo\rthree\x07" + b"x" * 200) == "one\ntwo\nthree" + "x" * 200


@pytest.mark.parametrize(
    "data", [bytes(range(256)) * 4, b"\x00\x01\x02\x00" * 50, b"\x07\x08" * 50, b"a\x00\x00b" * 20 + b"x"]
)
def test_what_is_not_text_is_refused(data: bytes) -> None:
    with pytest.raises(Unreadable) as refusal:
        decode(data)
    assert refusal.value.cause is Cause.UNSUPPORTED
