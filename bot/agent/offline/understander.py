"""Understands a message by rules: its language, its parts, and what a follow-up refers to."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from bot.agent.model import Language, Part, SourceKind, Turn, Understanding
from bot.agent.offline.clean import cut, is_courtesy, is_empty, plain
from bot.agent.offline.split import Piece, asks, split
from bot.agent.offline.terms import about, content_terms
from bot.agent.offline.words import (
    CONTINUES_EN,
    CONTINUES_ZH,
    INSTEAD,
    LEAD_IN,
    PRONOUN_EN,
    PRONOUN_ZH,
    SOURCE_WANTED,
)
from retrieval.language import detect

_SOURCES: Final = (
    (SourceKind.VIDEO, re.compile(r"视频|录像|影片|\bvideos?\b|\brecordings?\b", re.IGNORECASE)),
    (SourceKind.AUDIO, re.compile(r"录音|音频|语音|\baudio\b|\bpodcasts?\b|\bvoice (?:note|memo)s?\b", re.IGNORECASE)),
    (SourceKind.SLIDES, re.compile(r"幻灯片|演示文稿|\bPPTX?\b|\bslides?\b|\bslide deck\b", re.IGNORECASE)),
    (SourceKind.SHEET, re.compile(r"表格|电子表|\bExcel\b|\bXLSX?\b|\bspreadsheets?\b", re.IGNORECASE)),
    (SourceKind.PAGES, re.compile(r"\bPDFs?\b", re.IGNORECASE)),
    (SourceKind.IMAGE, re.compile(r"图片|照片|\bpictures?\b|\bphotos?\b|\bimages?\b", re.IGNORECASE)),
)

_CODE: Final = re.compile(r"[A-Za-z_.-]*\d[\w.-]*", re.ASCII)

_FEW_TERMS: Final = 2
"""A message with no more content terms than this has its subject elsewhere."""

_ENDS: Final = " ?？!！.。,，~～"

_MAX_TOPIC: Final = 80
"""Characters of topic that are carried: a name and a thing, not a whole story."""


@dataclass(frozen=True, slots=True)
class Topic:
    """What is being talked about: the last whole question, and the subject that "what about X?" has put in its place.

    A further "what about Y?" asks the same of Y; everything else is asked of X.
    """

    question: str = ""
    subject: str = ""

    def before(self, *, instead: bool) -> str:
        """What a follow-up carries."""
        return self.question if instead else self.subject or self.question


class RuleUnderstander:
    """The offline Understander. Pure computation of well under a millisecond."""

    async def understand(self, text: str, history: Sequence[Turn]) -> Understanding:
        """Parts of the message; one that refers back carries the topic of the part or the message before it."""
        words, is_cut = cut(plain(text))
        if is_empty(words):
            return Understanding(language=_language(text, history), parts=(), is_courtesy=is_courtesy(words))
        topic = _topic_of_thread(history)
        parts: list[Part] = []
        for piece in split(words):
            part = _part(piece, topic, is_first=not parts)
            if part is None:
                continue
            parts.append(part)
            topic = Topic(topic.question, part.own) if part.instead else Topic(_topic(part.query))
        return Understanding(language=_language(text, history), parts=tuple(parts) or _whole(words), is_cut=is_cut)


def _whole(words: str) -> tuple[Part, ...]:
    return (Part(text=words, query=words),)


def _part(piece: Piece, topic: Topic, *, is_first: bool) -> Part | None:
    """The part of a piece; None for a mere wish for sources, which every answer shows anyway."""
    source = named_source(piece.text)
    wants_source = SOURCE_WANTED.search(piece.text) is not None
    own_terms = content_terms(_without_source_words(piece.text))
    instead = _another_subject(piece.text) if own_terms and not wants_source else ""
    carried = topic.before(instead=bool(instead))
    if wants_source and source is None and not own_terms:
        return None if not is_first or not carried else Part(text=piece.text, query=carried)
    surely = piece.continues or (wants_source and not is_first) or _refers_back(piece.text)
    maybe = not surely and len(own_terms) <= _FEW_TERMS and _is_bare(piece.text)
    before = carried if surely or maybe or instead or not own_terms else ""
    core = instead or _request_core(piece.text, wants_source)
    query = " ".join(text for text in (piece.context, before, LEAD_IN.sub("", core) if before else core) if text)
    return Part(
        text=piece.text,
        query=query or piece.text,
        alone=core if before and (maybe or instead) else "",
        own=LEAD_IN.sub("", core) if before else "",
        instead=bool(before and instead),
        source=source,
        wants_source=wants_source and source is not None,
    )


def named_source(text: str) -> SourceKind | None:
    """The first kind of source that the text names, if any."""
    return next((kind for kind, pattern in _SOURCES if pattern.search(text)), None)


def _request_core(text: str, wants_source: bool) -> str:
    """A question as it is; a wish for a source without the words of wishing, which no document holds."""
    return about(SOURCE_WANTED.sub(" ", text)).strip() if wants_source else text


def _without_source_words(text: str) -> str:
    for _, pattern in _SOURCES:
        text = pattern.sub(" ", text)
    return SOURCE_WANTED.sub(" ", text)


def _refers_back(text: str) -> bool:
    patterns = (CONTINUES_ZH, CONTINUES_EN, PRONOUN_ZH)
    if any(pattern.search(text) for pattern in patterns):
        return True
    return PRONOUN_EN.search(text) is not None and len(content_terms(text)) <= _FEW_TERMS


def _is_bare(text: str) -> bool:
    """Only a predicate is asked, as in 保修几年: no Latin name, number or code stands in it."""
    return not re.search("[A-Z0-9]", text[1:])


def _topic(query: str) -> str:
    return about(query)[:_MAX_TOPIC].strip(" ?？,，.。")


def _another_subject(text: str) -> str:
    """X of "what about X?" and "那 X 呢"; empty when the text asks something of its own."""
    found = INSTEAD.match(text.strip(_ENDS))
    subject = (found["zh"] or found["en"]).strip(_ENDS) if found else ""
    return "" if asks(subject) else subject


def _topic_of_thread(history: Sequence[Turn]) -> Topic:
    """What the thread's people have been asking about, the last question first to count; empty when nobody asked."""
    topic = Topic()
    for turn in history:
        words = plain(turn.text)[:500]
        if turn.by_bot or is_empty(words) or not asks(words):
            continue
        for piece in split(words):
            topic = _topic_after(topic, piece)
    return topic


def _topic_after(topic: Topic, piece: Piece) -> Topic:
    own = content_terms(_without_source_words(piece.text))
    if topic.question and own and (subject := _another_subject(piece.text)):
        return Topic(topic.question, subject)
    is_bare = len(own) <= _FEW_TERMS and _is_bare(piece.text)
    carries = piece.continues or _refers_back(piece.text) or is_bare
    return Topic(_topic(f"{topic.before(instead=False)} {piece.text}" if carries else f"{piece.context} {piece.text}"))


def _language(text: str, history: Sequence[Turn]) -> Language:
    """The language of the words themselves, else of the thread's latest words, else English. A code has none."""
    for words in (plain(text), *(plain(turn.text) for turn in reversed(history))):
        if any(character.isalpha() for character in _CODE.sub(" ", words)):
            return detect(words)
    return "en"
