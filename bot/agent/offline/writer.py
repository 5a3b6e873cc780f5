"""Writes an answer from quotes: each as written, with its citation number, under the question it answers."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Sequence
from itertools import groupby
from typing import Final

from bot.agent.model import CitedPart, CitedQuote, Language, Quote
from bot.agent.texts import INTRO, SOURCE_NAMES

MAX_QUOTE: Final = 400
"""Characters of one quote; more is cut visibly, the citation shows the rest."""

_JOINED: Final[dict[Language, str]] = {"en": "; ", "zh": "；"}
_SPACES: Final = re.compile(r"\s+")
_BREAK_ZH: Final = re.compile(r"(?<=[。！？；，、：”）])\s*\n\s*(?=[㐀-鿿“（])")
"""Chinese is written without a space after its marks."""
_FOOTNOTE: Final = re.compile(r"\[(\d{1,3})\]")
"""A footnote of the document itself would read as one of our citations."""
_BAR: Final = re.compile(r"(?<!\\)\|")

_Where = tuple[str, int, int]
"""A chunk's id and the characters quoted of it."""


class QuotingWriter:
    """The offline Writer. Parts without quotes are left to the run's gaps."""

    async def write(self, parts: Sequence[CitedPart], language: Language) -> AsyncIterator[str]:
        """The introduction, then one piece of Markdown for each answered part."""
        answered = [part for part in parts if part.quotes]
        if not answered:
            return
        yield INTRO[language]
        before: set[_Where] = set()
        for where, group in groupby(answered, key=_what_is_quoted):
            yield "\n\n" + _section(list(group), language, before, with_heading=len(parts) > 1)
            before.update(where)


def _what_is_quoted(part: CitedPart) -> list[_Where]:
    return [_where(cited) for cited in part.quotes]


def _where(cited: CitedQuote) -> _Where:
    return cited.quote.passage.chunk_id, cited.quote.start, cited.quote.end


def _section(parts: Sequence[CitedPart], language: Language, before: set[_Where], *, with_heading: bool) -> str:
    """The quotes of one part, or of neighbouring parts that the same quotes answer.

    Where a source is named, words that stand ``before`` in the answer are not said again.
    """
    part = parts[-1]
    quotes = part.quotes
    lines = [f"**{_JOINED[language].join(part.part.text for part in parts)}**"] if with_heading else []
    if part.part.wants_source and part.part.source is not None:
        kind = SOURCE_NAMES[part.part.source][language]
        lines += [_source_line(kind, quote, language) for quote in _first_of_each_source(quotes)]
        quotes = tuple(cited for cited in quotes if _where(cited) not in before)
    lines += [f"> {shown(cited.quote)} [{cited.number}]" for cited in quotes]
    return "\n\n".join(lines)


def _source_line(kind: str, cited: CitedQuote, language: Language) -> str:
    title = cited.quote.passage.title
    return f"{kind}：《{title}》[{cited.number}]" if language == "zh" else f"{kind}: “{title}” [{cited.number}]"


def _first_of_each_source(quotes: Sequence[CitedQuote]) -> list[CitedQuote]:
    return list({cited.number: cited for cited in reversed(quotes)}.values())[::-1]


def shown(quote: Quote) -> str:
    """A quote on one line: a table row as its cells, each behind its column's name; long text cut visibly."""
    text = _row(quote.text, quote.header) if quote.text.lstrip().startswith("|") else _one_line(quote.text)
    text = _FOOTNOTE.sub(r"［\1］", text.strip())
    return text if len(text) <= MAX_QUOTE else text[: MAX_QUOTE - 1].rstrip() + "…"


def _one_line(text: str) -> str:
    return _SPACES.sub(" ", _BREAK_ZH.sub("", text))


def _row(row: str, header: str) -> str:
    names = _cells(header.splitlines()[0]) if header else []
    cells = _cells(row.splitlines()[0])
    names += [""] * (len(cells) - len(names))
    return " · ".join(f"{name}: {cell}" if name else cell for name, cell in zip(names, cells, strict=False) if cell)


def _cells(row: str) -> list[str]:
    return [cell.strip() for cell in _BAR.split(row.strip().strip("|"))]
