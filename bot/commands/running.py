"""Runs a service until somebody stops it, and lets every command close what it has opened."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import Coroutine
from typing import Any


async def closing_on_sigterm(work: Coroutine[Any, Any, int]) -> int:
    """Run a command to its exit code. SIGTERM cancels it (143): killed at once, it would leave its PostgreSQL running.

    A service that runs has handlers of its own; this one is for the time until it does.
    """
    task, is_stopped = asyncio.current_task(), False

    def stop() -> None:
        nonlocal is_stopped
        is_stopped = True
        if task is not None:
            task.cancel()

    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop)
    try:
        return await work
    except asyncio.CancelledError:
        if not is_stopped:
            raise
        return 128 + signal.SIGTERM


async def until_stopped(work: Coroutine[Any, Any, None]) -> None:
    """Run ``work`` until SIGINT or SIGTERM, then cancel it and return when it has ended; its own error is raised."""
    task = asyncio.create_task(work, name="service")
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, task.cancel)
    try:
        with contextlib.suppress(asyncio.CancelledError):
            await task
    finally:
        task.cancel()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(number)
