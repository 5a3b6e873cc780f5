"""The roles of a run. Each has an offline implementation; models join as further implementations."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import Protocol

from bot.agent.model import CitedPart, Findings, Language, Part, Support, Turn, Understanding
from permissions.model import AccessScope


class Understander(Protocol):
    """Makes self-contained parts of a message."""

    async def understand(self, text: str, history: Sequence[Turn]) -> Understanding:
        """``history`` holds earlier messages of the thread, oldest first."""
        ...


class Researcher(Protocol):
    """Looks for passages."""

    async def find(self, scope: AccessScope, part: Part) -> Findings:
        """Passages for one part, within the scope; raises when rights could not be checked."""
        ...


class Checker(Protocol):
    """Decides which parts have support, and by which sentences."""

    async def check(self, findings: Sequence[Findings]) -> tuple[Support, ...]:
        """One verdict for each finding, in their order."""
        ...


class Writer(Protocol):
    """Writes the answer from the frozen evidence."""

    def write(self, parts: Sequence[CitedPart], language: Language) -> AsyncIterator[str]:
        """The answer piece by piece; it carries no citation number but those of the parts."""
        ...
