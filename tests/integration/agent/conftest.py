"""A world for each test."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from psycopg_pool import AsyncConnectionPool

from tests.integration.agent.world import World, open_world


@pytest.fixture
async def world(pool: AsyncConnectionPool) -> AsyncIterator[World]:
    async with open_world(pool) as opened:
        yield opened
