"""/healthz, /readyz, /metrics, and original files by their links.

Figures are read from the rows when they are asked for: nothing counts twice.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Final
from urllib.parse import quote

import psycopg
from aiohttp import web
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from psycopg_pool import AsyncConnectionPool, PoolTimeout

from bot.answers.originals import FILES_PATH, LinkOver, OriginalLinks

PING: Final = "SELECT 1"

RUNS: Final = "SELECT coalesce(completion, state), count(*) FROM runs GROUP BY 1 ORDER BY 1"

VERSIONS: Final = "SELECT state, count(*) FROM versions GROUP BY 1 ORDER BY 1"

# Seconds from a question to its end: how the latest 1,000 answered ones are spread.
ANSWER_SECONDS: Final = """
SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY seconds), percentile_disc(0.95) WITHIN GROUP (ORDER BY seconds)
  FROM (SELECT extract(epoch FROM ended_at - created_at)::float8 AS seconds FROM runs
         WHERE ended_at IS NOT NULL ORDER BY ended_at DESC LIMIT 1000) AS latest
"""

# How long the oldest waiting job of each queue has waited.
QUEUE_AGE: Final = """
SELECT job.queue_name, coalesce(max(extract(epoch FROM now() - event.at)), 0)::float8
  FROM procrastinate_jobs AS job JOIN procrastinate_events AS event ON event.job_id = job.id AND event.type = 'deferred'
 WHERE job.status = 'todo' GROUP BY 1 ORDER BY 1
"""


LINK_OVER: Final = (
    "This link has been used or is older than a minute. Open the source again in Slack.\n"
    "这个链接已用过，或已超过一分钟。请在 Slack 里重新打开来源。\n"
)

FILE_HEADERS: Final = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "sandbox; default-src 'none'",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
"""What people shared is saved and never shown by us: a page in it would run under our address."""


class Endpoints:
    """What operators and balancers ask, and files for people. ``is_ready`` says that Slack is connected.

    Files are kept in ``scratch`` only while they are sent.
    """

    def __init__(self, *, pool: AsyncConnectionPool, originals: OriginalLinks, scratch: Path) -> None:
        self._pool = pool
        self._originals = originals
        self._scratch = scratch
        self._runner: web.AppRunner | None = None
        self.is_ready = False

    def routes(self) -> list[web.RouteDef]:
        """For a server that listens anyway."""
        return [
            web.get("/healthz", self._healthz),
            web.get("/readyz", self._readyz),
            web.get("/metrics", self._metrics),
            # A HEAD of some checker must not use the link up.
            web.get(f"{FILES_PATH}/{{token}}", self._file, allow_head=False),
        ]

    async def listen(self, host: str, port: int) -> int:
        """Listen by itself; returns the port. Raises OSError when it is taken."""
        application = web.Application()
        application.router.add_routes(self.routes())
        self._runner = web.AppRunner(application, access_log=None, shutdown_timeout=1)
        await self._runner.setup()
        await web.TCPSite(self._runner, host, port).start()
        return int(self._runner.addresses[0][1])

    async def aclose(self) -> None:
        if self._runner is not None:
            await self._runner.cleanup()

    async def _healthz(self, _: web.Request) -> web.Response:
        """The event loop answers."""
        return web.json_response({"status": "ok"})

    async def _readyz(self, _: web.Request) -> web.Response:
        """Slack is connected and PostgreSQL answers."""
        try:
            async with self._pool.connection(timeout=2) as connection:
                await connection.execute(PING)
        except (psycopg.Error, PoolTimeout):
            return web.json_response({"status": "no database"}, status=503)
        if not self.is_ready:
            return web.json_response({"status": "not connected to Slack"}, status=503)
        return web.json_response({"status": "ready"})

    async def _file(self, request: web.Request) -> web.StreamResponse:
        """The original that a link leads to, to be saved by the browser."""
        with tempfile.TemporaryDirectory(prefix="original-", dir=self._scratch) as folder:
            path = Path(folder) / "original"
            try:
                name = await self._originals.redeem(request.match_info["token"], path)
            except LinkOver:
                return web.Response(text=LINK_OVER, status=404, headers=FILE_HEADERS)
            disposition = f"attachment; filename*=UTF-8''{quote(name, safe='')}"
            headers = {**FILE_HEADERS, "Content-Disposition": disposition, "Content-Type": "application/octet-stream"}
            response = web.FileResponse(path, headers=headers)
            await response.prepare(request)
            return response

    async def _metrics(self, _: web.Request) -> web.Response:
        registry = CollectorRegistry(auto_describe=False)
        registry.register(_Read(await self._figures()))
        return web.Response(body=generate_latest(registry), content_type="text/plain", charset="utf-8")

    async def _figures(self) -> list[Metric]:
        async with self._pool.connection(timeout=5) as connection:
            runs = await (await connection.execute(RUNS)).fetchall()
            versions = await (await connection.execute(VERSIONS)).fetchall()
            ages = await (await connection.execute(QUEUE_AGE)).fetchall()
            spread = await (await connection.execute(ANSWER_SECONDS)).fetchone()
        seconds = zip(("0.5", "0.95"), spread or (), strict=False)
        return [
            _family("haitang_runs", "Questions by how they ended, or where they are.", "state", runs),
            _family("haitang_versions", "Versions of documents by state.", "state", versions),
            _family("haitang_queue_age_seconds", "Wait of the oldest job of a queue.", "queue", ages),
            _family(
                "haitang_answer_seconds",
                "From question to end, latest 1,000 runs.",
                "quantile",
                [(quantile, value) for quantile, value in seconds if value is not None],
            ),
        ]


class _Read(Collector):
    """Hands over figures that were read already: the registry collects synchronously."""

    def __init__(self, metrics: list[Metric]) -> None:
        self._metrics = metrics

    def collect(self) -> Iterable[Metric]:
        return self._metrics


def _family(name: str, text: str, label: str, rows: Iterable[tuple[str, float]]) -> Metric:
    family = GaugeMetricFamily(name, text, labels=[label])
    for value, number in rows:
        family.add_metric([value], float(number))
    return family
