"""The embedded server comes up whatever happened to the one before it."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing
from pathlib import Path

import psutil
import psycopg
import pytest

from bot.stores import binaries, postgres
from bot.stores.errors import FolderUnreachable, PostgresFailed, SchemaMismatch
from bot.stores.postgres import SOCKET_NOTE, EmbeddedPostgres, dsn


@pytest.fixture(scope="module")
async def cluster(short_folder: Path) -> Path:
    """A data folder whose server was stopped, with one row in it."""
    folder = short_folder / "cluster"
    own = EmbeddedPostgres(folder, durable=False)
    async with aclosing(own):
        await own.open()
        await execute(own, "CREATE TABLE kept (n int)")
        await execute(own, "INSERT INTO kept VALUES (1)")
    return folder


@pytest.fixture
async def server(cluster: Path) -> AsyncIterator[EmbeddedPostgres]:
    """The folder's server, open."""
    own = EmbeddedPostgres(cluster, durable=False)
    async with aclosing(own):
        await own.open()
        yield own


async def execute(server: EmbeddedPostgres, statement: str) -> psycopg.AsyncCursor[tuple[object, ...]]:
    async with await psycopg.AsyncConnection.connect(server.dsn()) as connection:
        return await connection.execute(statement)  # type: ignore[arg-type]  # literals of this module


async def kept(server: EmbeddedPostgres) -> int:
    return (await execute(server, "SELECT n FROM kept")).rowcount


async def test_rows_survive_a_stop_and_a_start(server: EmbeddedPostgres) -> None:
    assert await kept(server) == 1, "the row was written by another server of the folder"


async def test_no_port_is_opened_and_only_the_account_enters_the_socket(server: EmbeddedPostgres) -> None:
    assert server.pid is not None
    listening = psutil.Process(server.pid).net_connections("inet")
    assert listening == []
    socket = str(psycopg.conninfo.conninfo_to_dict(server.dsn())["host"])
    assert os.stat(socket).st_mode & 0o077 == 0  # noqa: PTH116 - quick, and no Path in async code


async def test_a_killed_server_is_brought_back_with_its_rows(server: EmbeddedPostgres) -> None:
    watcher = asyncio.create_task(server.watch())
    first = server.pid
    assert first is not None
    os.kill(first, signal.SIGKILL)
    async with asyncio.timeout(60):
        while server.pid == first:  # noqa: ASYNC110 - nobody announces the new server
            await asyncio.sleep(0.02)
        while not await answers(server):  # noqa: ASYNC110 - nor that it is ready
            await asyncio.sleep(0.05)
    assert await kept(server) == 1
    watcher.cancel()


async def answers(server: EmbeddedPostgres) -> bool:
    try:
        await execute(server, "SELECT 1")
    except psycopg.OperationalError:
        return False
    return True


async def test_a_server_that_keeps_dying_stops_the_process(
    server: EmbeddedPostgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres, "RESTARTS_ALLOWED", 1)
    watcher = asyncio.create_task(server.watch())
    async with asyncio.timeout(90):
        while not watcher.done():
            if server.pid and await answers(server):
                os.kill(server.pid, signal.SIGKILL)
            await asyncio.sleep(0.05)
    with pytest.raises(PostgresFailed, match="keeps dying"):
        await watcher


OWNER = """
    import asyncio, os, signal, sys
    from pathlib import Path
    from bot.stores.postgres import EmbeddedPostgres

    async def main() -> None:
        server = EmbeddedPostgres(Path(sys.argv[1]), durable=False)
        await server.open()
        print(server.pid, flush=True)
        await asyncio.Event().wait()

    asyncio.run(main())
"""


async def owner_process(folder: Path) -> tuple[asyncio.subprocess.Process, int]:
    """Another process that runs the server of the folder, and the server's pid."""
    owner = await asyncio.create_subprocess_exec(
        sys.executable, "-c", textwrap.dedent(OWNER), str(folder), stdout=subprocess.PIPE
    )
    assert owner.stdout is not None
    return owner, int(await owner.stdout.readline())


async def test_a_server_left_running_by_a_killed_owner_is_replaced(cluster: Path) -> None:
    owner, orphan = await owner_process(cluster)
    owner.kill()
    await owner.wait()
    assert psutil.pid_exists(orphan), "the server outlives its owner"
    again = EmbeddedPostgres(cluster, durable=False)
    async with aclosing(again):
        await again.open()
        assert again.pid != orphan
        assert await kept(again) == 1


async def until_status(pid: int, status: str) -> None:
    async with asyncio.timeout(20):
        while psutil.Process(pid).status() != status:  # noqa: ASYNC110 - a process has no event
            await asyncio.sleep(0.02)


async def test_a_killed_server_that_nobody_reaped_is_not_believed_to_run(cluster: Path) -> None:
    owner, zombie = await owner_process(cluster)
    owner.send_signal(signal.SIGSTOP)
    await until_status(owner.pid, psutil.STATUS_STOPPED)
    os.kill(zombie, signal.SIGKILL)
    await until_status(zombie, psutil.STATUS_ZOMBIE)
    again = EmbeddedPostgres(cluster, durable=False)
    async with aclosing(again):
        await again.open()
        assert await kept(again) == 1
    owner.kill()
    await owner.wait()


async def test_a_pid_file_of_another_program_is_not_believed(server: EmbeddedPostgres) -> None:
    pid_file = server._cluster / "postmaster.pid"
    assert server.pid is not None
    server_pid = server.pid
    text = pid_file.read_text()
    os.kill(server_pid, signal.SIGKILL)
    await asyncio.wait_for(server._server.wait(), 20)  # type: ignore[union-attr]  # it is running
    pid_file.write_text(text.replace(str(server_pid), str(os.getpid()), 1))
    again = EmbeddedPostgres(server._folder, durable=False)
    async with aclosing(again):
        await again.open()
        assert await kept(again) == 1


async def test_a_killed_initdb_leaves_no_half_cluster(short_folder: Path) -> None:
    folder = short_folder / "half"
    (folder / "postgres.partial").mkdir(parents=True)
    (folder / "postgres.partial" / "PG_VERSION").write_text("18\n")
    server = EmbeddedPostgres(folder, durable=False)
    async with aclosing(server):
        await server.open()
        assert await answers(server)


async def test_a_long_path_gets_a_short_socket(short_folder: Path) -> None:
    folder = short_folder / ("long" * 20) / ("path" * 10)
    folder.mkdir(parents=True)
    server = EmbeddedPostgres(folder, durable=False)
    async with aclosing(server):
        await server.open()
        assert await answers(server)
        noted = Path((folder / SOCKET_NOTE).read_text().strip())
        assert not noted.is_relative_to(folder)
        assert dsn(folder) == server.dsn()


@pytest.fixture
def spoilt(cluster: Path, request: pytest.FixtureRequest) -> Iterator[Path]:
    """The stopped cluster with other bytes in one of its files, made good afterwards."""
    name, content = request.param
    path = cluster / "postgres" / name
    good = path.read_bytes()
    path.write_bytes(content)
    yield cluster
    path.write_bytes(good)


@pytest.mark.parametrize("spoilt", [("PG_VERSION", b"15\n")], indirect=True)
async def test_a_cluster_of_another_version_is_refused(spoilt: Path) -> None:
    with pytest.raises(SchemaMismatch, match="written by PostgreSQL 15, this Haitang brings 18"):
        await EmbeddedPostgres(spoilt, durable=False).open()


@pytest.mark.parametrize("spoilt", [("global/pg_control", b"")], indirect=True)
async def test_a_broken_cluster_says_what_the_server_said(spoilt: Path) -> None:
    with pytest.raises(PostgresFailed, match=r"(?s)did not start in .*pg_control"):
        await EmbeddedPostgres(spoilt, durable=False).open()


def test_a_folder_that_never_ran_has_no_connection_string(tmp_path: Path) -> None:
    with pytest.raises(PostgresFailed, match="no PostgreSQL has run"):
        dsn(tmp_path)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root runs PostgreSQL as another account")
async def test_as_root_an_unreachable_folder_is_refused_with_the_remedy(short_folder: Path) -> None:
    closed = short_folder / "closed"
    closed.mkdir(mode=0o700)
    with pytest.raises(FolderUnreachable, match="Set HAITANG_DATA to a folder outside home folders"):
        await EmbeddedPostgres(closed / "data").open()
    assert closed.stat().st_mode & 0o777 == 0o700, "parents are not opened"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root runs PostgreSQL as another account")
async def test_as_root_unreachable_programs_are_copied(short_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def can_enter(_account: binaries.Account, folder: Path) -> bool:
        return "pginstall" not in folder.parts

    monkeypatch.setattr(binaries, "can_enter", can_enter)
    folder = short_folder / "copied"
    server = EmbeddedPostgres(folder, durable=False)
    async with aclosing(server):
        await server.open()
        assert server.pid is not None
        assert Path(psutil.Process(server.pid).exe()).is_relative_to(folder)
