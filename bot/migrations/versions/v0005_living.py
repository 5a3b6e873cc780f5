"""Answers that stay true."""

from __future__ import annotations

from bot.migrations.steps import run_file

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    run_file("0005_living.sql")
