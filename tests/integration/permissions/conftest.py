"""What tests of rights share."""

from __future__ import annotations

import pytest
from psycopg_pool import AsyncConnectionPool

from tests.integration.permissions.desk import Desk


@pytest.fixture
async def desk(pool: AsyncConnectionPool) -> Desk:
    """A workspace of five, and nothing read of it yet."""
    return Desk(pool)
