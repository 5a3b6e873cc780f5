"""``haitang eval``: measure the real pipeline on data with right outcomes."""

from __future__ import annotations

from pathlib import Path

from bot.commands.output import Console, Declined
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
