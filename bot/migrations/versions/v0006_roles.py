"""Roles and the audit trail."""

from __future__ import annotations

from bot.migrations.steps import run_file

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    run_file("0006_roles.sql")
