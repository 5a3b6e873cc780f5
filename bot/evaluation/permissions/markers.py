"""Words that occur in one generated document alone: whoever shows one of them shows that document."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

MARKER = re.compile(r"qz[a-z]{6}")
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_MANY = len(_LETTERS) ** 6
_STRIDE = 104_729 * 7_919
"""Shares no factor with the number of words, so that neighbours look unlike each other and no word comes twice."""


@dataclass(frozen=True, slots=True)
class Planted:
    """What a marker stands in: a file of a workspace; ``in_title``: its name or heading, else a sentence of it."""

    team: str
    file: str
    in_title: bool


class Markers:
    """All markers of a proof, over all its workspaces: what one workspace shows may be another's."""

    def __init__(self) -> None:
        self._numbers: Iterator[int] = itertools.count(1)
        self._planted: dict[str, Planted] = {}

    def new(self) -> str:
        """A marker that was never given out."""
        number = next(self._numbers) * _STRIDE % _MANY
        letters = []
        for _ in range(6):
            number, rest = divmod(number, len(_LETTERS))
            letters.append(_LETTERS[rest])
        return "qz" + "".join(letters)

    def plant(self, marker: str, planted: Planted) -> None:
        """Say where a marker stands."""
        self._planted[marker] = planted

    def shown_by(self, what: object) -> frozenset[Planted]:
        """What a message, modal or anything else that is written as JSON shows, wherever in it the words stand."""
        text = what if isinstance(what, str) else json.dumps(what, ensure_ascii=False)
        return frozenset(self._planted[word] for word in MARKER.findall(text.lower()) if word in self._planted)
