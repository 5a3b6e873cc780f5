"""``haitang demo``: a local workspace with its page, sample documents and the bot, in one process."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from pydantic import SecretStr

from bot.bootstrap import Core, open_core
from bot.commands.output import Console, Declined
from bot.commands.running import until_stopped
from bot.config import load
from bot.sandbox import samples
from bot.sandbox.seed import furnish, seed
from bot.sandbox.server import Sandbox
from bot.service import open_service

LOOPBACK: Final = "127.0.0.1"


async def demo(*, port: int | None) -> int:
    """Open the stores, the workspace and the bot; print the address; work until Ctrl-C."""
    console = Console(as_json=False)
    settings = load()
    console.say(f"Opening the stores in {settings.data} …")
    async with open_core(settings, purpose="demo") as core:
        sandbox = Sandbox(data=settings.data / "sandbox", port=port or 0)
        try:
            await sandbox.open()
        except OSError as error:
            raise Declined(f"port {port} is taken ({error.strerror}): stop what listens there or use --port") from error
        try:
            await _run(core, sandbox, console)
        finally:
            await sandbox.aclose()
    console.say("Stopped; started again it goes on where it was.")
    return 0


async def _run(core: Core, sandbox: Sandbox, console: Console) -> None:
    sample = samples.load()
    furnish(sandbox.context, sample)
    async with open_service(_in_sandbox(core, sandbox)) as service:
        endpoints = service.endpoints()
        try:
            service.originals.address = f"http://{LOOPBACK}:{await endpoints.listen(LOOPBACK, 0)}"
            await service.app.connect()
            endpoints.is_ready = True
            console.result(None, [f"Haitang is ready: {sandbox.page_url}"])
            console.say("Press Ctrl-C to stop.")
            await seed(sandbox.context, sample)
            await until_stopped(service.run())
        finally:
            await endpoints.aclose()


def _in_sandbox(core: Core, sandbox: Sandbox) -> Core:
    """The same core with the sandbox as its Slack."""
    slack = {
        "slack_api_url": sandbox.api_url,
        "slack_bot_token": SecretStr(sandbox.bot_token),
        "slack_app_token": SecretStr(sandbox.app_token),
    }
    return replace(core, settings=core.settings.model_copy(update=slack))
