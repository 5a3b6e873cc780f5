"""The run's own sentences in the asker's language, before the question is understood."""

from __future__ import annotations

from bot.agent.model import Language
from bot.agent.texts import TextByLanguage, in_both
from handlers.model import Inquiry
from retrieval.language import detect


def language_of(inquiry: Inquiry) -> Language:
    """The language to speak before the question is understood."""
    return detect(_words_of(inquiry))


def say(text: TextByLanguage, inquiry: Inquiry) -> str:
    """A sentence in the asker's language; in both when a voice clip is all they sent."""
    return text[language_of(inquiry)] if _words_of(inquiry) else in_both(text, "en")


def _words_of(inquiry: Inquiry) -> str:
    return inquiry.text.strip() or (inquiry.voice.transcript if inquiry.voice else None) or ""
