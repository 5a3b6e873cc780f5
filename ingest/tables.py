"""Tables as Markdown rows."""

from __future__ import annotations

import re
from collections.abc import Sequence

_SPACE = re.compile(r"\s+")
_CELL_END = re.compile(r"(?<!\\)\|")


def row_of(values: Sequence[str]) -> str:
    """One Markdown row. White space, line breaks included, becomes one space; bars are escaped."""
    return "| " + " | ".join(_SPACE.sub(" ", value).strip().replace("|", "\\|") for value in values) + " |"


def cells_of(row: str) -> list[str]:
    """The cells of a Markdown row, as :func:`row_of` was given them."""
    inner = row.strip().removeprefix("|").removesuffix("|")
    return [cell.strip().replace("\\|", "|") for cell in _CELL_END.split(inner)]


def header_of(names: Sequence[str]) -> str:
    """A header row with the rule under it."""
    return row_of(names) + "\n" + "|" + " --- |" * len(names)
