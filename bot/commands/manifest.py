"""``haitang manifest``: what to paste when creating the Slack app."""

from __future__ import annotations

import sys
from importlib import resources


async def manifest() -> int:
    """Print the app manifest: only the scopes and events that the bot uses."""
    sys.stdout.write((resources.files("bot") / "manifest.json").read_text("utf-8"))
    return 0
