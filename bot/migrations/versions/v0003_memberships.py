"""People, places and groups, complete."""

from __future__ import annotations

from bot.migrations.steps import run_file

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    run_file("0003_memberships.sql")
