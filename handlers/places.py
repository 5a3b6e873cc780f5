"""Places, ages and versions in words."""

from __future__ import annotations

from datetime import datetime

from handlers import texts
from retrieval.model import Place

_STEPS = (
    (60, None, None),
    (3600, 60, texts.MINUTES_AGO),
    (86_400, 3600, texts.HOURS_AGO),
    (60 * 86_400, 86_400, texts.DAYS_AGO),
    (730 * 86_400, 30 * 86_400, texts.MONTHS_AGO),
)


def place_label(place: Place, language: str) -> str:
    """Where something stands, such as ``page 3``, ``第 3 页``, ``00:12–00:40``, ``Materials › Floors``; may be empty.

    The exact place comes first, then the innermost two headings; lines only where there is nothing better.
    """
    exact = _exact(place, language)
    headings = " › ".join(place.headings[-2:])
    if exact or headings:
        return " · ".join(part for part in (exact, headings) if part)
    if place.lines is None:
        return ""
    first, last = place.lines
    return texts.LINE(language, first=first) if first == last else texts.LINES(language, first=first, last=last)


def _exact(place: Place, language: str) -> str:
    if place.start_ms is not None:
        start = clock_label(place.start_ms)
        return start if place.end_ms is None else f"{start}–{clock_label(place.end_ms)}"
    if place.page is not None:
        return texts.PAGE(language, page=place.page)
    if place.slide is not None:
        return texts.SLIDE(language, slide=place.slide)
    if place.sheet is not None and place.cells is not None:
        return texts.SHEET_CELLS(language, sheet=place.sheet, cells=place.cells)
    if place.sheet is not None:
        return texts.SHEET(language, sheet=place.sheet)
    return texts.CELLS(language, cells=place.cells) if place.cells is not None else ""


def clock_label(milliseconds: int) -> str:
    """``mm:ss``, or ``h:mm:ss`` from an hour on."""
    minutes, seconds = divmod(max(0, milliseconds) // 1000, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes:02}:{seconds:02}"


def age_label(published_at: str, now: datetime, language: str) -> str:
    """How long ago an ISO 8601 time was; empty when it is not one. A time without a zone is taken as UTC."""
    try:
        published = datetime.fromisoformat(published_at)
    except ValueError:
        return ""
    if published.tzinfo is None:
        published = published.replace(tzinfo=now.tzinfo)
    seconds = int((now - published).total_seconds())
    for below, unit, words in _STEPS:
        if seconds < below:
            return texts.JUST_NOW(language) if unit is None or words is None else words(language, seconds // unit)
    return texts.YEARS_AGO(language, seconds // (365 * 86_400))
