"""Ingestion's bench for each test."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from psycopg_pool import AsyncConnectionPool

from tests.integration.ingest.bench import Bench, bench


@pytest.fixture
async def ingestion(pool: AsyncConnectionPool, tmp_path: Path) -> AsyncIterator[Bench]:
    async with bench(pool, tmp_path) as made:
        yield made
