"""What answers need to know of rights, each time anew."""

from __future__ import annotations

from typing import Protocol

from permissions.model import AccessScope, Trouble


class Scopes(Protocol):
    """The builder of scopes; ``conversation`` None means that the asker alone reads."""

    async def scope(self, *, team: str, asker: str, conversation: str | None) -> AccessScope: ...


class Memberships(Protocol):
    """Fetches who is where when that is missing or stale; what stays unknown makes the scope smaller."""

    async def ensure_known(self, team: str, conversation: str | None, asker: str) -> Trouble | None:
        """Returns why something could not be fetched."""
        ...
