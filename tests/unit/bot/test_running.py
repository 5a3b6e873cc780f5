"""A command that is told to end closes what it has opened."""

from __future__ import annotations

import asyncio
import os
import signal

from bot.commands.running import closing_on_sigterm


async def test_sigterm_while_a_command_starts_closes_what_is_open() -> None:
    closed: list[str] = []

    async def starting() -> int:
        try:
            os.kill(os.getpid(), signal.SIGTERM)
            await asyncio.Event().wait()
        finally:
            closed.append("postgres")
        return 0

    task = asyncio.create_task(closing_on_sigterm(starting()))
    assert await asyncio.wait_for(task, 20) == 143
    assert closed == ["postgres"]
    asyncio.get_running_loop().remove_signal_handler(signal.SIGTERM)


async def test_a_command_that_ends_by_itself_has_its_own_exit_code() -> None:
    async def ask() -> int:
        return 1

    assert await asyncio.create_task(closing_on_sigterm(ask())) == 1
    asyncio.get_running_loop().remove_signal_handler(signal.SIGTERM)
