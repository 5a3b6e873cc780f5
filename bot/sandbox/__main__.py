"""`python -m bot.sandbox [--port N] [--data DIR]`: the workspace alone; addresses and tokens as JSON on stdout."""

import argparse
import asyncio
import json
import signal
import sys
from pathlib import Path

from bot.sandbox.samples import load
from bot.sandbox.seed import seed
from bot.sandbox.server import Sandbox


async def _serve(*, port: int, data: Path | None, samples: bool) -> None:
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    async with Sandbox(port=port, data=data) as sandbox:
        if samples:
            await seed(sandbox.context, load())
        names = ("page_url", "api_url", "bot_token", "app_token", "signing_secret")
        sys.stdout.write(json.dumps({name: getattr(sandbox, name) for name in names}) + "\n")
        sys.stdout.flush()
        await stop.wait()


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bot.sandbox", description="A Slack workspace on this machine.")
    parser.add_argument("--port", type=int, default=0, help="where to listen (default: any free port)")
    parser.add_argument("--data", type=Path, help="folder that keeps the workspace (default: it forgets everything)")
    parser.add_argument("--samples", action="store_true", help="fill a fresh workspace with the sample company")
    arguments = parser.parse_args()
    asyncio.run(_serve(port=arguments.port, data=arguments.data, samples=arguments.samples))


if __name__ == "__main__":
    main()
