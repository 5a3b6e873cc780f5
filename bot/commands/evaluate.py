"""``haitang eval``: measure the real pipeline on data with right outcomes."""

from __future__ import annotations

import logging
import sys
from pathlib import Path

import typer

from bot import logs
from bot.commands.output import Console, Declined
from bot.evaluation.permissions.proof import Figures, described, prove
from bot.evaluation.permissions.stage import open_stage
from bot.evaluation.retrieval import DatasetError, evaluate
from bot.stores.folder import temporary_folder
from bot.stores.migrations import migrate
from bot.stores.postgres import EmbeddedPostgres


async def retrieval(directory: Path, *, as_json: bool) -> int:
    """Index the set in stores of its own, which are removed afterwards, and print the figures."""
    console = Console(as_json=as_json)
    with temporary_folder("haitang-eval-") as folder:
        server = EmbeddedPostgres(folder / "data")
        await server.open()
        try:
            await migrate(server.dsn())
            figures = await evaluate(directory, dsn=server.dsn(), folder=folder, say=console.say)
        except DatasetError as error:
            raise Declined(str(error)) from error
        finally:
            await server.aclose()
    console.result(figures, [f"{name:>16}  {value:g}" for name, value in figures.items()])
    return 0


async def permissions(*, checks: int, seed: int, workspace: int | None, as_json: bool) -> int:
    """Let generated workspaces happen to bots on stores of their own, and say who was shown what they may not read."""
    console = Console(as_json=as_json)
    # Refusals and lost channels are what it is about, not what an operator has to hear of.
    logs.configure(level=logging.CRITICAL)
    with (
        temporary_folder("haitang-eval-") as folder,
        typer.progressbar(length=checks, label="checks", file=sys.stderr) as bar,
    ):
        async with open_stage(folder / "data") as stage:

            def done(figures: Figures) -> None:
                bar.update(min(figures.checks, checks) - bar.pos)

            figures = await prove(stage, checks=checks, seed=seed, only=workspace, done=done)
    for line in described(figures):
        console.say(line)
    shortcomings = figures.shortcomings()
    for shortcoming in shortcomings:
        console.say(f"haitang: {shortcoming}")
    document = figures.to_json()
    console.result(document, [f"{name:>20}  {value}" for name, value in document.items()])
    return 1 if shortcomings else 0
