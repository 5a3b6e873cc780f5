"""Where files are shared."""

from __future__ import annotations

from bot.migrations.steps import run_file

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    run_file("0007_places.sql")
