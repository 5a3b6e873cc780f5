"""What scopes are computed from."""

from __future__ import annotations

from bot.migrations.steps import run_file

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    run_file("0004_coverage.sql")
