"""Places and ages in words, in both languages."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from handlers.places import age_label, place_label
from retrieval.model import Place

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("place", "en", "zh"),
    [
        (Place(page=3), "page 3", "第 3 页"),
        (Place(slide=2, headings=("After-sales",)), "slide 2 · After-sales", "第 2 张幻灯片 · After-sales"),
        (Place(sheet="Prices", cells="A1:C9"), "sheet “Prices”, A1:C9", "工作表“Prices” A1:C9"),
        (Place(sheet="Prices"), "sheet “Prices”", "工作表“Prices”"),
        (Place(start_ms=12_000, end_ms=40_900), "00:12–00:40", "00:12–00:40"),
        (Place(start_ms=3_725_000), "1:02:05", "1:02:05"),
        (Place(headings=("A", "B", "C"), lines=(3, 9)), "B › C", "B › C"),
        (Place(lines=(3, 9)), "lines 3–9", "第 3–9 行"),
        (Place(lines=(3, 3)), "line 3", "第 3 行"),
        (Place(), "", ""),
    ],
)
def test_a_place_in_words(place: Place, en: str, zh: str) -> None:
    assert (place_label(place, "en"), place_label(place, "zh")) == (en, zh)


@pytest.mark.parametrize(
    ("ago", "en", "zh"),
    [
        (timedelta(seconds=-5), "just now", "刚刚"),
        (timedelta(seconds=59), "just now", "刚刚"),
        (timedelta(minutes=1), "1 minute ago", "1 分钟前"),
        (timedelta(hours=5), "5 hours ago", "5 小时前"),
        (timedelta(days=3), "3 days ago", "3 天前"),
        (timedelta(days=90), "3 months ago", "3 个月前"),
        (timedelta(days=800), "2 years ago", "2 年前"),
    ],
)
def test_an_age_in_words(ago: timedelta, en: str, zh: str) -> None:
    published = (NOW - ago).isoformat()
    assert (age_label(published, NOW, "en"), age_label(published, NOW, "zh")) == (en, zh)


def test_a_time_without_a_zone_is_utc_and_no_time_is_nothing() -> None:
    assert age_label("2026-11-30T11:00:00", NOW, "en") == "1 hour ago"
    assert age_label("", NOW, "en") == ""
