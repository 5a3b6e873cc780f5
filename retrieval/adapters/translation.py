"""Where vendors' exceptions become ours."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg

from retrieval.errors import ChannelFailed


@contextmanager
def translated(channel: str) -> Iterator[None]:
    """PostgreSQL's errors, the pool's included, become ChannelFailed of ``channel``."""
    try:
        yield
    except psycopg.Error as error:
        # The class alone: a message of PostgreSQL's can quote values, and those are people's text.
        raise ChannelFailed(channel, type(error).__name__) from error
