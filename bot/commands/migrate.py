"""``haitang migrate``: schemas and indices of this version."""

from __future__ import annotations

from bot.commands.output import Console
from bot.config import load
from bot.stores.database import open_database


async def migrate() -> int:
    """Start PostgreSQL, apply what it lacks, stop it. Opening the database is what migrates it."""
    settings = load()
    async with open_database(settings.data, purpose="migrate"):
        Console(as_json=False).say(f"{settings.data}: the schema is that of this version")
    return 0
