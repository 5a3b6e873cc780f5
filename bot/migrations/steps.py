"""What the migration steps share."""

from __future__ import annotations

from importlib import resources
from typing import cast

import psycopg
from alembic import op


def run_sql(text: str) -> None:
    """Run a script of many statements in the transaction of the migration.

    It goes to the driver as it is: SQLAlchemy would read ``:name`` and ``%`` in it as parameters.
    """
    connection = cast("psycopg.Connection[object]", op.get_bind().connection.driver_connection)
    connection.execute(text.encode())


def run_file(name: str) -> None:
    """Run an SQL file that lies beside the steps."""
    run_sql((resources.files("bot.migrations.versions") / name).read_text(encoding="utf-8"))
