"""A world for each test."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from psycopg_pool import AsyncConnectionPool

from tests.integration.agent.given import Given
from tests.integration.agent.world import World, open_world


@pytest.fixture
async def world(pool: AsyncConnectionPool) -> AsyncIterator[World]:
    async with open_world(pool) as opened:
        yield opened


@pytest.fixture
async def given(pool: AsyncConnectionPool) -> AsyncIterator[Given]:
    """A world whose answers stand in Slack."""
    opened = Given(pool)
    async with open_world(pool, opened):
        yield opened
