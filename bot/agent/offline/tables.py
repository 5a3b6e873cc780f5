"""Rows of Markdown tables within a passage: what they mean stands in their header."""

from __future__ import annotations

import re
from typing import Final

from retrieval.model import Passage, Span

_RULE: Final = re.compile(r"^\s*\|[\s:|-]+\|\s*$", re.MULTILINE)


def is_row(text: str) -> bool:
    """Whether a sentence is a table row, a header included."""
    return text.lstrip().startswith("|")


def is_header(text: str) -> bool:
    """Whether a sentence is a header: it ends with the rule under it."""
    return is_row(text) and _RULE.search(text) is not None


def header_of(passage: Passage, span: Span) -> str:
    """The header of the table that the row at ``span`` belongs to; empty for anything but a row."""
    if not is_row(passage.text[span.start : span.end]):
        return ""
    before = (passage.text[item.start : item.end] for item in passage.sentences if item.start < span.start)
    return next((sentence for sentence in reversed(list(before)) if is_header(sentence)), "")
