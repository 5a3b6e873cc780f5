"""Errors of Slack in words for people: the cause, and what to do."""

from __future__ import annotations

from handlers import texts
from handlers.errors import Gone, HtmlInstead, MissingScope, SlackError, TooBig


def explain(error: SlackError, language: str) -> str:
    """A sentence for the one who asked or clicked."""
    if isinstance(error, MissingScope):
        return texts.MISSING_SCOPE(language, needed=error.needed)
    if isinstance(error, HtmlInstead):
        return texts.MISSING_SCOPE(language, needed="files:read")
    if isinstance(error, Gone):
        return texts.GONE(language)
    return texts.TOO_BIG(language) if isinstance(error, TooBig) else texts.SLACK_FAILED(language)
