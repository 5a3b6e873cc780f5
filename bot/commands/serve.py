"""``haitang serve``: the bot against Slack, until it is stopped."""

from __future__ import annotations

from bot.bootstrap import open_core
from bot.commands.output import Console, Declined
from bot.commands.running import until_stopped
from bot.config import Settings, SettingsError, load
from bot.service import Service, open_service
from handlers.errors import SlackError


async def serve(*, port: int | None) -> int:
    """Serve by Socket Mode when there is an app token, else over HTTP."""
    console = Console(as_json=False)
    settings = load() if port is None else load(port=port)
    _require_a_way_in(settings)
    async with open_core(settings, purpose="serve") as core:
        try:
            async with open_service(core) as service:
                await _receive(service, settings, console)
        except SlackError as error:
            raise Declined(f"Slack refuses ({error}): `haitang doctor` says which setting is wrong") from error
    console.say("Stopped.")
    return 0


def _require_a_way_in(settings: Settings) -> None:
    if settings.slack_app_token is None and settings.slack_signing_secret is None:
        raise SettingsError(
            "set SLACK_APP_TOKEN (xapp-…, for Socket Mode) or SLACK_SIGNING_SECRET (for events over HTTP); "
            "`haitang manifest` prints the app to create"
        )


async def _receive(service: Service, settings: Settings, console: Console) -> None:
    endpoints = service.endpoints()
    try:
        if settings.slack_app_token is not None:
            port = await endpoints.listen(settings.host, settings.port)
            await service.app.connect()
            way = "Socket Mode"
        else:
            port = await service.app.listen(host=settings.host, port=settings.port, extra=endpoints.routes())
            way = f"HTTP at http://{settings.host}:{port}/slack/events"
    except OSError as error:
        raise Declined(f"{settings.host}:{settings.port} is taken ({error.strerror}): set HAITANG_PORT") from error
    console.result(None, [f"Haitang serves by {way}; health at http://{settings.host}:{port}/healthz"])
    endpoints.is_ready = True
    try:
        await until_stopped(service.run())
    finally:
        endpoints.is_ready = False
        await endpoints.aclose()
