"""``haitang doctor``: what is wrong, and what to do, most important first."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass
from importlib import resources

import aiohttp
from psycopg_pool import AsyncConnectionPool

from bot.commands.output import Console
from bot.config import Settings, SettingsError, load
from bot.models.e5 import E5Encoder
from bot.models.e5_file import WeightsError
from bot.models.speech import bundled_files
from bot.stores.database import open_database
from bot.stores.errors import StoreError
from handlers.adapters.slack import web_client
from permissions.adapters.sweeps import PgSweeps
from permissions.ports import Progress, Stage
from permissions.reading import REMEDIES

NEEDED_BYTES = 2 * 1024**3
"""Free space below which learning files will soon fail."""

SWEPT_TEAMS = "SELECT team FROM sweeps ORDER BY team"
VERSIONS = "SELECT current_setting('server_version'), (SELECT extversion FROM pg_extension WHERE extname = 'vector')"


@dataclass(frozen=True, slots=True)
class Finding:
    """One check. ``is_fatal``: the bot cannot serve until ``remedy`` is done; empty when nothing is to do."""

    check: str
    is_ok: bool
    is_fatal: bool
    found: str
    remedy: str = ""


async def doctor(*, as_json: bool) -> int:
    """Run every check; exit code 1 when the bot cannot serve."""
    console = Console(as_json=as_json)
    findings = sorted(await _examine(), key=lambda item: (item.is_ok, not item.is_fatal))
    can_serve = not any(item.is_fatal and not item.is_ok for item in findings)
    console.result({"can_serve": can_serve, "findings": [asdict(item) for item in findings]}, _lines(findings))
    return 0 if can_serve else 1


def _lines(findings: list[Finding]) -> list[str]:
    lines = []
    for item in findings:
        mark = "ok  " if item.is_ok else "FAIL" if item.is_fatal else "warn"
        lines.append(f"{mark}  {item.check}: {item.found}")
        if item.remedy:
            lines.append(f"      → {item.remedy}")
    return lines


async def _examine() -> list[Finding]:
    try:
        settings = load()
    except SettingsError as error:
        return [Finding("settings", False, True, str(error), "correct them and run this again")]
    checks: tuple[Callable[[Settings], Awaitable[list[Finding]]], ...] = (_space, _stores, _encoder, _speech, _slack)
    findings = [Finding("settings", True, True, f"data in {settings.data}")]
    for check in checks:
        findings += await check(settings)
    return findings


async def _space(settings: Settings) -> list[Finding]:
    existing = next(folder for folder in (settings.data, *settings.data.parents) if folder.exists())
    free = shutil.disk_usage(existing).free
    if not os.access(existing, os.W_OK):
        remedy = "set HAITANG_DATA to a folder that this user may write to"
        return [Finding("data folder", False, True, f"{existing} cannot be written to", remedy)]
    remedy = "" if free >= NEEDED_BYTES else "free some space, or set HAITANG_DATA to a larger disk"
    return [Finding("data folder", not remedy, False, f"{free / 1024**3:.1f} GiB free", remedy)]


async def _stores(settings: Settings) -> list[Finding]:
    try:
        async with (
            open_database(settings.data, purpose="doctor") as database,
            AsyncConnectionPool(database.dsn, min_size=1, open=False) as pool,
        ):
            # Given back before people are looked up: the pool has this one connection.
            async with pool.connection() as connection:
                row = await (await connection.execute(VERSIONS)).fetchone()
            people = await _people(pool)
    except StoreError as error:
        return [Finding("PostgreSQL", False, True, "it does not start", str(error))]
    postgres, vector = row or ("?", "?")
    whose = "ours" if database.is_owner else f"of the running {database.folder.owner()[1] or 'bot'}"
    return [Finding("PostgreSQL", True, True, f"{postgres} with pgvector {vector} ({whose})"), *people]


async def _people(pool: AsyncConnectionPool) -> list[Finding]:
    """How well it is known who is where, for each workspace that was ever read."""
    async with pool.connection() as connection:
        teams = [team for (team,) in await (await connection.execute(SWEPT_TEAMS)).fetchall()]
    sweeps = PgSweeps(pool=pool)
    return [
        finding
        for team in teams
        if (progress := await sweeps.progress(team)) is not None
        for finding in _how_well_known(team, progress)
    ]


def _how_well_known(team: str, progress: Progress) -> list[Finding]:
    """A sweep that does not go on makes answers smaller, and then there are none: worth a warning, nothing fatal."""
    if progress.stage is Stage.DONE:
        found = f"all {progress.places} conversations were read by {progress.ended_at:%Y-%m-%d %H:%M} UTC"
    elif progress.stage is Stage.MEMBERS:
        found = f"being read: {progress.read} of {progress.places} conversations"
    else:
        found = f"being read: {progress.stage}"
    trouble, name = progress.trouble, f"people and places of {team}"
    findings = [Finding(name, True, False, found)]
    if trouble is not None:
        findings = [Finding(name, False, False, f"{found}; stopped by: {trouble}", REMEDIES[trouble.kind])]
    if (trouble := progress.groups_trouble) is not None:
        found = f"they grant nobody anything: {trouble}"
        findings.append(Finding(f"user groups of {team}", False, False, found, REMEDIES[trouble.kind]))
    return findings


async def _encoder(_: Settings) -> list[Finding]:
    encoder = E5Encoder()
    try:
        await encoder.open()
    except WeightsError as error:
        return [Finding("encoder", False, True, str(error), "install Haitang again")]
    await encoder.aclose()
    return [Finding("encoder", True, True, encoder.name)]


async def _speech(_: Settings) -> list[Finding]:
    try:
        await asyncio.to_thread(bundled_files)
    except ValueError as error:
        return [Finding("speech", False, False, str(error), "install Haitang again; until then voice is not heard")]
    return [Finding("speech", True, False, "the bundled recogniser is whole")]


async def _slack(settings: Settings) -> list[Finding]:
    if settings.slack_bot_token is None:
        remedy = "create the app with `haitang manifest`, install it, set SLACK_BOT_TOKEN (or try `haitang demo`)"
        return [Finding("Slack", False, True, "SLACK_BOT_TOKEN is not set", remedy)]
    findings = [_way_in(settings)]
    client = web_client(token=settings.slack_bot_token.get_secret_value(), base_url=settings.slack_api_url)
    async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=10)) as session:
        headers = {"Authorization": f"Bearer {client.token}"}
        try:
            async with session.post(f"{settings.slack_api_url}auth.test", headers=headers) as response:
                data, scopes = await response.json(), response.headers.get("x-oauth-scopes", "")
        except (aiohttp.ClientError, TimeoutError) as error:
            remedy = f"check the network's way to {settings.slack_api_url}"
            return [*findings, Finding("Slack", False, True, f"no answer ({type(error).__name__})", remedy)]
    if not data.get("ok"):
        remedy = "copy the bot token (xoxb-…) of the installed app into SLACK_BOT_TOKEN"
        return [*findings, Finding("Slack", False, True, f"the token is refused: {data.get('error')}", remedy)]
    findings.append(Finding("Slack", True, True, f"{data.get('team')} as {data.get('user')}"))
    return [*findings, _scopes({scope.strip() for scope in scopes.split(",") if scope.strip()})]


def _way_in(settings: Settings) -> Finding:
    if settings.slack_app_token is not None:
        return Finding("events", True, True, "by Socket Mode")
    if settings.slack_signing_secret is not None:
        return Finding("events", True, True, f"over HTTP on {settings.host}:{settings.port}")
    remedy = "set SLACK_APP_TOKEN (Socket Mode) or SLACK_SIGNING_SECRET (HTTP)"
    return Finding("events", False, True, "no way for events to reach the bot", remedy)


def _scopes(granted: set[str]) -> Finding:
    manifest = json.loads((resources.files("bot") / "manifest.json").read_text("utf-8"))
    missing = sorted(set(manifest["oauth_config"]["scopes"]["bot"]) - granted)
    if missing:
        remedy = "add them to the app (`haitang manifest` has them all) and install it again"
        return Finding("scopes", False, False, f"missing: {', '.join(missing)}", remedy)
    return Finding("scopes", True, False, "all that are used are granted")
