"""The first schema: rights, content, answers, intake."""

from __future__ import annotations

from bot.migrations.steps import run_file

revision = "0001"
down_revision = None


def upgrade() -> None:
    run_file("0001_first.sql")
