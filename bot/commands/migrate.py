"""``haitang migrate``: schemas and indices of this version."""

from __future__ import annotations

from bot.bootstrap import open_core
from bot.commands.output import Console
from bot.config import load


async def migrate() -> int:
    """Open the stores and close them: opening applies missing steps and rebuilds an index of another version."""
    settings = load()
    async with open_core(settings, purpose="migrate"):
        Console(as_json=False).say(f"{settings.data}: schema and index are those of this version")
    return 0
