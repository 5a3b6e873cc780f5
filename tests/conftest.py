"""What every test gets: a real PostgreSQL, a database of its own, and no way to the network."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
import structlog
from hypothesis import HealthCheck, settings
from psycopg_pool import AsyncConnectionPool

from bot.models.e5 import E5Encoder
from bot.stores.migrations import migrate
from bot.stores.pool import ConnectionPool
from bot.stores.postgres import EmbeddedPostgres
from tests.databases import Databases

pytest_plugins = ["tests.loop_guard", "tests.sandbox_fixtures"]

# A busy machine is no failure: no example has a deadline.
settings.register_profile("haitang", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("thorough", settings.get_profile("haitang"), max_examples=2_500)
settings.load_profile("haitang")

TEMPLATE = "template_haitang"


@pytest.fixture(scope="session", autouse=True)
def _no_network() -> Iterator[None]:
    """A test that reaches out fails at once, and says where it wanted to go."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("connect", "connect_ex"):
            patch.setattr(socket.socket, name, _guarded(getattr(socket.socket, name)))
        yield


@pytest.fixture(scope="session", autouse=True)
def _plain_tracebacks() -> None:
    """The default renders each with all local variables, which takes more than a second of the loop's time."""
    renderer = structlog.dev.ConsoleRenderer(exception_formatter=structlog.dev.plain_traceback)
    structlog.configure(processors=[structlog.processors.add_log_level, structlog.dev.set_exc_info, renderer])


def _guarded(connect: Callable[..., Any]) -> Callable[..., Any]:
    def guarded(self: socket.socket, address: Any) -> Any:
        is_local = self.family == socket.AF_UNIX or str(address[0]) in ("127.0.0.1", "::1", "localhost")
        if not is_local:
            raise AssertionError(f"a test wanted to connect to {address[0]}: tests stay on this machine")
        return connect(self, address)

    return guarded


@pytest.fixture(scope="session")
def short_folder() -> Iterator[Path]:
    """A folder with a short path that every account can enter (pytest's own is closed to others)."""
    folder = Path(tempfile.mkdtemp(prefix="ht-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture(scope="session")
async def postgres(short_folder: Path) -> AsyncIterator[EmbeddedPostgres]:
    """The embedded server, once for the session, with a migrated template database."""
    server = EmbeddedPostgres(short_folder / "data", durable=False)
    await server.open()
    async with await psycopg.AsyncConnection.connect(server.dsn(), autocommit=True) as connection:
        await connection.execute(f"CREATE DATABASE {TEMPLATE}")
    await migrate(server.dsn(database=TEMPLATE))
    yield server
    assert server.pid is not None
    os.kill(server.pid, signal.SIGQUIT)  # nothing of it is kept: no need to write it all down first
    await server.aclose()


@pytest.fixture(scope="session")
def databases(postgres: EmbeddedPostgres) -> Databases:
    """Migrated databases, used again from test to test."""
    return Databases(server=postgres.dsn(), template=TEMPLATE)


@pytest.fixture
async def database_url(databases: Databases) -> AsyncIterator[str]:
    """The connection string of a migrated, empty database of the test's own."""
    url = await databases.take()
    yield url
    await databases.give_back(url)


@pytest.fixture
async def pool(database_url: str) -> AsyncIterator[AsyncConnectionPool]:
    """Connections to a migrated database of the test's own."""
    async with ConnectionPool(database_url, min_size=1, max_size=8) as connections:
        yield connections


@pytest.fixture(scope="session")
async def encoder() -> AsyncIterator[E5Encoder]:
    """The bundled encoder, loaded once: about two seconds and 500 MB."""
    async with E5Encoder() as loaded:
        yield loaded
