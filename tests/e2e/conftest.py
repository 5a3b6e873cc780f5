"""The sample company with its bot, once for the session, and small workspaces for tests that break things."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest

from bot.sandbox import samples
from bot.sandbox.samples import Samples
from bot.sandbox.seed import furnish, upload
from bot.sandbox.server import Sandbox
from tests.e2e.company import Company, open_company
from tests.sandbox_fixtures import populate

OpenCompany = Callable[[], AbstractAsyncContextManager[Company]]


@pytest.fixture(scope="session")
def sample() -> Samples:
    return samples.load()


@pytest.fixture(scope="session")
async def company(short_folder: Path, sample: Samples) -> AsyncIterator[Company]:
    """The sample company; every file is published. Shared: tests leave it as they found it."""
    async with Sandbox() as sandbox:
        furnish(sandbox.context, sample)
        async with open_company(sandbox, short_folder / "company") as company:
            await upload(sandbox.context, sample)
            for file in sample.files:
                await company.published(company.person(file.by), file.name)
            yield company


@pytest.fixture
async def small(short_folder: Path, request: pytest.FixtureRequest) -> AsyncIterator[Company]:
    """A bot among mei, tom and gus (see tests.sandbox_fixtures.populate), for this test alone."""
    async with Sandbox() as sandbox:
        populate(sandbox)
        async with open_company(sandbox, short_folder / f"small-{abs(hash(request.node.nodeid))}") as company:
            yield company
