"""What an answer must hold to be one: who asks what a thing costs is not answered by who supplies it."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from bot.agent.model import Findings, Quote

_MONEY: Final = re.compile(
    r"[¥￥$€£]\s*\d|\d[\d,.]*\s*(?:元|块|万|yuan|rmb|cny|usd|dollars?|euros?)|免费|free of charge|\bfree\b"
    r"|(?:价|费|金额|price|cost|fee|元|yuan)[^\n]{0,40}\n?.{0,200}?(?<![\w-])\d",
    re.IGNORECASE | re.DOTALL,
)
_NUMBER_TO_CALL: Final = re.compile(r"\d[\d\s()-]{4,}\d")

_EXPECTED: Final = (
    (
        re.compile(
            r"多少钱|[单进售]价|价格|价钱|\bprices?\b|\bhow much\b.*\bcosts?\b|\bwhat\b.*\bcosts?\b", re.IGNORECASE
        ),
        _MONEY,
    ),
    (
        re.compile(
            r"(?:电话|手机|热线)(?:号码|号)?(?:是|是多少|多少|几号)?\s*[?？。]?\s*$|电话号码|手机号"
            r"|\b(?:phone|telephone|mobile|hotline) number\b",
            re.IGNORECASE,
        ),
        _NUMBER_TO_CALL,
    ),
)


def expected_of(question: str) -> re.Pattern[str] | None:
    """What a text must hold to answer the question; None when any text may."""
    return next((held for asked, held in _EXPECTED if asked.search(question)), None)


def narrowed(found: Findings) -> Findings:
    """The finding without the passages that cannot hold the answer."""
    expected = _expected(found)
    if expected is None:
        return found
    return replace(found, ranked=tuple(item for item in found.ranked if expected.search(item.passage.text)))


def answering(found: Findings, quotes: tuple[Quote, ...]) -> tuple[Quote, ...]:
    """The quotes, when one of them holds what was asked for; else none."""
    expected = _expected(found)
    if expected is None or any(expected.search(f"{quote.header}\n{quote.text}") for quote in quotes):
        return quotes
    return ()


def _expected(found: Findings) -> re.Pattern[str] | None:
    """A wish for a source, such as a price list, is answered by the source."""
    return None if found.part.wants_source else expected_of(found.part.text)
