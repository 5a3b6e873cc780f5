"""Which of the two languages a text is in."""

from __future__ import annotations

import re
from typing import Literal

from retrieval.analysis import HAN

_HAN = re.compile(f"[{HAN}]")
# Words that only an English sentence has; names, codes and units stand in Chinese sentences too.
_ENGLISH = re.compile(
    r"\b(?:a|an|and|any|are|can|did|do|does|for|from|had|has|have|how|in|is|it|many|much|of|on|or|our|should|the|their"
    r"|there|this|to|was|we|were|what|when|where|which|who|whom|whose|why|will|with|you)\b",
    re.IGNORECASE,
)


def detect(text: str) -> Literal["zh", "en"]:
    """The language to answer in: Chinese unless there is no Han character or English grammar outweighs them.

    A Chinese word has two characters, so two of them weigh as much as one English function word.
    """
    han = len(_HAN.findall(text))
    return "zh" if han > 2 * len(_ENGLISH.findall(text)) else "en"
