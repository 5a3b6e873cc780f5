"""Errors of Slack in words for people: the cause, and what to do."""

from __future__ import annotations

import structlog

from handlers import texts
from handlers.errors import Gone, HtmlInstead, MissingScope, SlackError, TooBig

log = structlog.get_logger()


def explain(error: SlackError, language: str) -> str:
    """A sentence for the one who asked; a missing permission also goes to the log, for it needs an administrator."""
    if isinstance(error, MissingScope):
        log.error("missing_scope", method=error.method, needed=error.needed)
        return texts.MISSING_SCOPE(language, needed=error.needed)
    if isinstance(error, HtmlInstead):
        log.error("missing_scope", method=error.method, needed="files:read")
        return texts.MISSING_SCOPE(language, needed="files:read")
    log.warning("slack_call_failed", method=error.method, error=error.error)
    if isinstance(error, Gone):
        return texts.GONE(language)
    return texts.TOO_BIG(language) if isinstance(error, TooBig) else texts.SLACK_FAILED(language)
