"""The job queue's tables, as the pinned procrastinate ships them."""

from __future__ import annotations

import hashlib
import importlib.metadata

from procrastinate.schema import SchemaManager

from bot.migrations.steps import run_sql
from bot.stores.errors import SchemaMismatch

revision = "0002"
down_revision = "0001"

VERSION = "3.10.0"
SHA256 = "c70ec4b400a60ad9592787653aae5ae77ae41bf801d56b5bd2712751a07f2009"
"""Of the schema's text in that version: an upgrade of the library needs a step of its own here."""


def upgrade() -> None:
    text = SchemaManager.get_schema()
    installed = importlib.metadata.version("procrastinate")
    if installed != VERSION or hashlib.sha256(text.encode()).hexdigest() != SHA256:
        raise SchemaMismatch(
            f"this step needs procrastinate {VERSION} as released, {installed} is installed. "
            "Install with the versions of constraints.txt."
        )
    run_sql(text)
