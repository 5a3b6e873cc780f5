"""What the roles of a run exchange: the question's parts, what was found for each, and the draft."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from retrieval.model import Modality, Passage, RankedPassage, Vector

Language = Literal["zh", "en"]


class SourceKind(StrEnum):
    """A kind of source that a question can name, as in "the training video" or "报价表"."""

    VIDEO = "video"
    AUDIO = "audio"
    IMAGE = "image"
    PAGES = "pages"
    SHEET = "sheet"
    SLIDES = "slides"

    def fits(self, passage: Passage) -> bool:
        """Whether the passage comes from such a source, by its modality and place."""
        place = passage.place
        match self:
            case SourceKind.VIDEO:
                return passage.modality is Modality.VIDEO
            case SourceKind.AUDIO:
                return passage.modality is Modality.AUDIO
            case SourceKind.IMAGE:
                return passage.modality is Modality.IMAGE
            case SourceKind.PAGES:
                return place.page is not None
            case SourceKind.SHEET:
                return place.sheet is not None
            case SourceKind.SLIDES:
                return place.slide is not None


@dataclass(frozen=True, slots=True)
class Turn:
    """An earlier message of the thread."""

    by_bot: bool
    text: str


@dataclass(frozen=True, slots=True)
class Part:
    """One thing that is asked. ``text`` is as the asker wrote it, ``query`` stands on its own.

    ``alone`` is another reading, for when it may or may not refer to what was said before: without that.
    ``own`` are the words of a follow-up without the topic that it carries; with ``instead`` they name another subject
    in place of the topic's, as in "what about X?". ``source`` is the kind of source that it names; with
    ``wants_source`` only such a source answers it.
    """

    text: str
    query: str
    alone: str = ""
    own: str = ""
    instead: bool = False
    source: SourceKind | None = None
    wants_source: bool = False


@dataclass(frozen=True, slots=True)
class Understanding:
    """The question's language and parts; without parts nothing was asked. ``is_cut``: only its beginning was read;
    ``is_courtesy``: it was mere thanks.
    """

    language: Language
    parts: tuple[Part, ...]
    is_cut: bool = False
    is_courtesy: bool = False


@dataclass(frozen=True, slots=True)
class Findings:
    """What the search gave for one part, best first, and the names of channels that failed.

    ``query`` is what was searched, ``vector`` its vector; ``alone`` is what the part's other reading gave.
    """

    part: Part
    query: str
    vector: Vector
    ranked: tuple[RankedPassage, ...]
    degraded: tuple[str, ...] = ()
    alone: Findings | None = None


@dataclass(frozen=True, slots=True)
class Quote:
    """Characters ``start`` to ``end`` of a passage's text; ``header`` is the table header of a quoted row, or empty."""

    passage: Passage
    start: int
    end: int
    header: str = ""

    @property
    def text(self) -> str:
        return self.passage.text[self.start : self.end]


@dataclass(frozen=True, slots=True)
class Support:
    """The verdict on one part: the quotes that answer it, none when nothing supports an answer.

    ``confidence`` is the calibrated probability that the best passage answers it.
    """

    part: Part
    quotes: tuple[Quote, ...]
    confidence: float


@dataclass(frozen=True, slots=True)
class CitedQuote:
    """A quote with the citation number that the frozen set gave its passage."""

    quote: Quote
    number: int


@dataclass(frozen=True, slots=True)
class CitedPart:
    """What the writer gets for one part; without quotes it is a gap."""

    part: Part
    quotes: tuple[CitedQuote, ...]
