"""Logs go to stderr, one event a line: for people on a terminal, JSON elsewhere. Results alone go to stdout."""

from __future__ import annotations

import logging
import sys

import structlog


def configure(*, level: int = logging.INFO) -> None:
    """Set up structlog and let warnings of libraries pass through it."""
    is_terminal = sys.stderr.isatty()
    shared: list[structlog.typing.Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    renderer: structlog.typing.Processor
    if is_terminal:
        # The default shows the values of local variables with a traceback: people's words and documents' text.
        renderer = structlog.dev.ConsoleRenderer(exception_formatter=structlog.dev.plain_traceback)
    else:
        shared.append(structlog.processors.format_exc_info)
        renderer = structlog.processors.JSONRenderer(ensure_ascii=False)
    structlog.configure(
        processors=[*shared, renderer],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(structlog.stdlib.ProcessorFormatter(foreign_pre_chain=shared, processor=renderer))
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
