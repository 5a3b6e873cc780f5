"""Errors of the embedded stores.

StoreError
├── FolderInUse          another process owns the data folder
├── FolderUnusable       the data folder cannot be made or written to
├── FolderUnreachable    PostgreSQL's operating-system account cannot enter the data folder
├── PostgresFailed       PostgreSQL did not start, or keeps dying
└── SchemaMismatch       the database or a library is of another version than this code
"""

from __future__ import annotations


class StoreError(Exception):
    """The stores cannot serve; the message names the cause and the remedy."""


class FolderInUse(StoreError):
    """Another process owns the data folder; ``pid`` is its process id when it is known."""

    def __init__(self, message: str, *, pid: int | None) -> None:
        super().__init__(message)
        self.pid = pid


class FolderUnusable(StoreError):
    """The data folder cannot be made or written to."""


class FolderUnreachable(StoreError):
    """The account that PostgreSQL runs under cannot enter the data folder."""


class PostgresFailed(StoreError):
    """PostgreSQL did not start, or died again and again."""


class SchemaMismatch(StoreError):
    """The data or a library is of another version than this code expects."""
