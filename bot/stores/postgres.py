"""PostgreSQL with pgvector from a wheel, run by us: no server to install, no network port, no root.

The server is our child process in a session of its own (Ctrl-C in the terminal must not reach it before we have
finished), listens on a Unix socket alone, and is brought back by :meth:`EmbeddedPostgres.watch` when it dies.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import os
import shutil
import signal
import stat
import tempfile
import time
from collections import deque
from pathlib import Path

import psutil
import psycopg
import structlog
from psycopg.conninfo import make_conninfo

from bot.stores import binaries
from bot.stores.errors import FolderUnreachable, PostgresFailed, SchemaMismatch

log = structlog.get_logger()

ROLE = "haitang"
DATABASE = "haitang"
SOCKET_NOTE = "postgres-socket"
"""File in the data folder that holds the folder of the server's socket."""

SOCKET = ".s.PGSQL.5432"
"""The name that libpq looks for; 5432 is its default port, though none is opened."""

SOCKET_LIMIT = 103
"""Longest path of a Unix socket that every system takes: 104 bytes with the closing zero on BSD, 108 on Linux."""

START_SECONDS = 90.0
"""Recovery after a crash replays at most ``max_wal_size`` of log; seconds on a slow disk."""

STOP_SECONDS = 20.0
RESTARTS_ALLOWED = 5
RESTARTS_WINDOW_SECONDS = 60.0

SETTINGS = {
    "listen_addresses": "",
    "unix_socket_permissions": "0700",
    "max_connections": "60",
    "shared_buffers": "96MB",
    "work_mem": "8MB",
    "maintenance_work_mem": "64MB",
    "effective_cache_size": "512MB",
    "max_wal_size": "256MB",
    "io_method": "sync",
    "autovacuum_max_workers": "2",
    "max_parallel_workers_per_gather": "0",
    "jit": "off",
    "TimeZone": "UTC",
    # Messages, details and statements of errors can hold people's words: only the server's own events are logged.
    "log_min_messages": "log",
    "log_error_verbosity": "terse",
    "log_min_error_statement": "panic",
    "log_checkpoints": "off",
}
NOT_DURABLE = {"fsync": "off", "full_page_writes": "off"}
"""For tests alone: a power cut may then lose the database. A killed process loses nothing as long as
``synchronous_commit`` stays on: what is committed has been handed to the operating system."""


def dsn(folder: Path, *, database: str = DATABASE) -> str:
    """The connection string of the server of a data folder; raises PostgresFailed when it never ran."""
    try:
        socket = (folder / SOCKET_NOTE).read_text().strip()
    except FileNotFoundError:
        raise PostgresFailed(f"no PostgreSQL has run in {folder} yet") from None
    return make_conninfo(host=socket, dbname=database, user=ROLE)


class EmbeddedPostgres:
    """The server of one data folder. The caller owns the folder (see :class:`bot.stores.folder.DataFolder`)."""

    def __init__(self, folder: Path, *, durable: bool = True) -> None:
        self._folder = folder.absolute()
        self._cluster = self._folder / "postgres"
        self._settings = SETTINGS | ({} if durable else NOT_DURABLE)
        self._account = binaries.Account(os.geteuid(), os.getegid(), "", False)
        self._programs = Path()
        self._server: asyncio.subprocess.Process | None = None
        self._closing = False

    def dsn(self, *, database: str = DATABASE) -> str:
        """The connection string for psycopg."""
        return dsn(self._folder, database=database)

    @property
    def pid(self) -> int | None:
        """Process id of the running server."""
        return None if self._server is None else self._server.pid

    async def open(self) -> None:
        """Create the cluster if there is none, end what a killed owner left running, start, and wait for an answer.

        Raises FolderUnreachable, PostgresFailed or SchemaMismatch.
        """
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._account = binaries.Account.choose()
        await binaries.require_reachable(self._account, self._folder)
        self._programs = await binaries.programs(self._account, self._folder)
        if not self._cluster.exists():
            await self._create_cluster()
        await self._require_version()
        await self._start()
        await self._create_database()

    async def aclose(self) -> None:
        """Fast shutdown: running statements are cancelled, committed work is kept."""
        self._closing = True
        server = self._server
        if server is None:
            return
        for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGKILL):
            with contextlib.suppress(ProcessLookupError):
                server.send_signal(number)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(server.wait(), STOP_SECONDS)
                break
        self._server = None

    async def watch(self) -> None:
        """Bring the server back whenever it dies; runs until cancelled.

        Raises PostgresFailed when it dies more than 5 times within a minute.
        """
        deaths: deque[float] = deque(maxlen=RESTARTS_ALLOWED + 1)
        while self._server is not None:
            code = await self._server.wait()
            if self._closing:
                return
            deaths.append(time.monotonic())
            log.error("postgres_died", exit_code=code, deaths=len(deaths))
            if len(deaths) > RESTARTS_ALLOWED and deaths[-1] - deaths[0] < RESTARTS_WINDOW_SECONDS:
                raise PostgresFailed(f"PostgreSQL keeps dying. Its last words:\n{self._last_words()}")
            await self._start()

    async def _create_cluster(self) -> None:
        """Run initdb in a side folder that is renamed when it is complete: a killed initdb leaves no half cluster."""
        partial = self._folder / "postgres.partial"
        await asyncio.to_thread(shutil.rmtree, partial, ignore_errors=True)
        partial.mkdir(mode=0o700)
        self._account.own(partial)
        arguments = ["-D", str(partial), "-U", ROLE, "--auth=trust", "--encoding=UTF8", "--no-instructions"]
        arguments += ["--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C"]
        if self._settings.get("fsync") == "off":
            arguments.append("--no-sync")
        initdb = await asyncio.create_subprocess_exec(
            str(self._programs / "initdb"),
            *arguments,
            cwd="/",
            env=_environment(),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            **self._account.options(),
        )
        output, _ = await initdb.communicate()
        if initdb.returncode != 0:
            raise PostgresFailed(f"initdb failed in {self._folder}:\n{output.decode(errors='replace').strip()}")
        partial.rename(self._cluster)

    async def _require_version(self) -> None:
        """The cluster must be of the major version of the programs."""
        asked = await asyncio.create_subprocess_exec(
            str(self._programs / "postgres"), "--version", stdout=asyncio.subprocess.PIPE, env=_environment()
        )
        output, _ = await asked.communicate()
        program = output.decode().rsplit(" ", 1)[-1].split(".")[0].strip()
        cluster = (self._cluster / "PG_VERSION").read_text().strip()
        if cluster != program:
            raise SchemaMismatch(
                f"{self._folder} was written by PostgreSQL {cluster}, this Haitang brings {program}. "
                "Use the Haitang that wrote it, or another HAITANG_DATA."
            )

    async def _start(self) -> None:
        """Start the server and wait until a real connection works.

        A start is tried again while backends of a killed server still hold its memory, and when the new server itself
        is killed from outside.
        """
        deadline = time.monotonic() + START_SECONDS
        while True:
            await self._end_leftover()
            server = self._server = await self._spawn(self._clean_socket_folder())
            if await self._answers(server, deadline):
                return
            was_killed = server.returncode == -signal.SIGKILL
            if time.monotonic() > deadline or not (was_killed or self._waits_for_old_backends()):
                await self.aclose()
                raise PostgresFailed(f"PostgreSQL did not start in {self._folder}:\n{self._last_words()}")
            await asyncio.sleep(0.2)

    def _clean_socket_folder(self) -> Path:
        """The socket's folder without a socket: that has a pid file of its own, which a zombie's pid keeps in force."""
        folder = self._socket_folder()
        for name in (SOCKET, f"{SOCKET}.lock"):
            (folder / name).unlink(missing_ok=True)
        return folder

    async def _spawn(self, socket: Path) -> asyncio.subprocess.Process:
        settings = self._settings | {"unix_socket_directories": str(socket)}
        arguments = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        with self._log_path().open("wb") as output:
            return await asyncio.create_subprocess_exec(
                str(self._programs / "postgres"),
                "-D",
                str(self._cluster),
                *arguments,
                cwd="/",
                env=_environment(),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
                **self._account.options(),
            )

    async def _answers(self, server: asyncio.subprocess.Process, deadline: float) -> bool:
        """True once the server takes a connection; False when it ended or the deadline passed."""
        while server.returncode is None and time.monotonic() < deadline:
            try:
                connection = await psycopg.AsyncConnection.connect(
                    self.dsn(database="postgres"), connect_timeout=5, autocommit=True
                )
            except psycopg.OperationalError:
                await asyncio.sleep(0.03)
            else:
                await connection.close()
                return True
        return False

    async def _create_database(self) -> None:
        async with await psycopg.AsyncConnection.connect(self.dsn(database="postgres"), autocommit=True) as connection:
            found = await connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [DATABASE])
            if await found.fetchone() is None:
                await connection.execute(f'CREATE DATABASE "{DATABASE}"')

    async def _end_leftover(self) -> None:
        """Stop a server that a killed owner left behind, and take away the pid file of one that is gone.

        PostgreSQL itself believes a pid file as long as the process exists, even as a zombie that nobody reaps.
        Backends that outlive their server are still caught: they hold its shared memory, and the start is retried.
        """
        pid_file = self._cluster / "postmaster.pid"
        try:
            pid = int(pid_file.read_text().split("\n", 1)[0])
        except (FileNotFoundError, ValueError):
            pid = 0
        if pid and self._is_our_server(pid):
            log.warning("postgres_left_running", pid=pid)
            await asyncio.to_thread(_end_process, pid)
        pid_file.unlink(missing_ok=True)

    def _is_our_server(self, pid: int) -> bool:
        """Whether ``pid`` is a living server of this cluster: pids are used again, and a zombie has no command line."""
        try:
            return str(self._cluster) in psutil.Process(pid).cmdline()
        except psutil.NoSuchProcess:
            return False

    def _socket_folder(self) -> Path:
        """A folder for the socket that only the server's account can enter, noted for commands beside us."""
        folder = self._folder / "run"
        if len(os.fsencode(folder / SOCKET)) > SOCKET_LIMIT:
            name = hashlib.sha256(os.fsencode(self._folder)).hexdigest()[:12]
            parent = Path(tempfile.gettempdir())
            if len(os.fsencode(parent)) > SOCKET_LIMIT // 2:
                parent = Path("/tmp")  # noqa: S108 - a folder of our own inside it, checked below
            folder = parent / f"haitang-{self._account.uid}-{name}"
        folder.mkdir(mode=0o700, exist_ok=True)
        found = folder.lstat()
        if not stat.S_ISDIR(found.st_mode) or found.st_uid not in (os.geteuid(), self._account.uid):
            raise FolderUnreachable(f"{folder} belongs to somebody else; remove it or choose another HAITANG_DATA")
        folder.chmod(0o700)
        self._account.own(folder)
        (self._folder / SOCKET_NOTE).write_text(f"{folder}\n")
        return folder

    def _log_path(self) -> Path:
        return self._folder / "postgres.log"

    def _last_words(self) -> str:
        with contextlib.suppress(FileNotFoundError):
            return "\n".join(self._log_path().read_text(errors="replace").splitlines()[-12:])
        return "(no log)"

    def _waits_for_old_backends(self) -> bool:
        return "shared memory block" in self._last_words()


def _environment() -> dict[str, str]:
    """Nothing of ours but the search path: PG* variables would change what the programs do."""
    return {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C"}


def _end_process(pid: int) -> None:
    """Fast shutdown, then immediate shutdown, then kill."""
    for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGKILL):
        with contextlib.suppress(psutil.NoSuchProcess):
            process = psutil.Process(pid)
            process.send_signal(number)
            with contextlib.suppress(psutil.TimeoutExpired):
                process.wait(STOP_SECONDS)
                return
