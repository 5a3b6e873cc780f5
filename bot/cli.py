"""The command line: ``haitang COMMAND``. Results go to stdout, everything else to stderr.

Exit codes: 0 fine, 1 the answer is no (or the command failed), 2 wrong usage.
"""

from __future__ import annotations

import asyncio
import importlib
import logging
from collections.abc import Coroutine
from pathlib import Path
from typing import Annotated, Any

import typer

from bot import logs, quiet
from bot.commands.output import Console, Declined, Misused
from bot.commands.running import closing_on_sigterm

app = typer.Typer(
    name="haitang",
    help="Haitang answers a company's questions from its own files, within what every reader may see.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
documents = typer.Typer(help="The files that the bot has learned.", no_args_is_help=True)
audit = typer.Typer(help="Who asked, saw, clicked and changed what.", no_args_is_help=True)
evaluate = typer.Typer(help="Measure on data with right outcomes.", no_args_is_help=True)
app.add_typer(documents, name="documents")
app.add_typer(audit, name="audit")
app.add_typer(evaluate, name="eval")

SERVERS = frozenset({"demo", "serve"})
"""Commands that keep a log; the others report on their own work alone, and log what goes wrong."""

Json = Annotated[bool, typer.Option("--json", help="Print one JSON document on stdout.")]
As = Annotated[
    str | None, typer.Option("--as", help="In the name of this person (id or name), who must be allowed to.")
]
Port = Annotated[int | None, typer.Option(min=0, max=65535, help="Port on this machine; 0 takes a free one.")]


def _run(coroutine: Coroutine[Any, Any, int]) -> None:
    """Run a command to its exit code; errors that people can act on are printed as one message."""
    import psycopg  # noqa: PLC0415

    from bot.config import SettingsError  # noqa: PLC0415 - commands import what they need, so that --help is quick
    from bot.stores.errors import StoreError  # noqa: PLC0415
    from retrieval.errors import RetrievalError  # noqa: PLC0415

    console = Console(as_json=False)
    try:
        code = asyncio.run(closing_on_sigterm(coroutine))
    except Misused as error:
        console.say(f"haitang: {error}")
        code = 2
    except (Declined, SettingsError, StoreError) as error:
        console.say(f"haitang: {error}")
        code = 1
    except (psycopg.Error, RetrievalError) as error:
        # Their words may hold people's; the kind says enough, and whoever runs the stores has logged the rest.
        console.say(f"haitang: the stores broke off ({type(error).__name__}); nothing is lost, try again in a moment")
        code = 1
    except ExceptionGroup as group:
        # A service ends by what ended its parts; without its stores all of them do.
        stores = group.subgroup(StoreError)
        if stores is None:
            raise
        console.say("\n".join(f"haitang: {error}" for error in stores.exceptions))
        code = 1
    except KeyboardInterrupt:
        code = 130
    raise typer.Exit(code)


def _command(name: str) -> Any:
    """Import a command's module only when it is asked for: models and stores take seconds to import."""
    quiet.before_imports()
    logs.configure(level=logging.INFO if name in SERVERS else logging.WARNING)
    return importlib.import_module(f"bot.commands.{name}")


@app.command()
def demo(port: Port = 8765) -> None:
    """A local workspace with its page, sample documents and the bot, in one process."""
    _run(_command("demo").demo(port=port))


@app.command()
def serve(port: Port = None) -> None:
    """The bot against Slack: Socket Mode when SLACK_APP_TOKEN is set, else HTTP (SLACK_SIGNING_SECRET)."""
    _run(_command("serve").serve(port=port))


@app.command()
def ask(
    text: Annotated[str, typer.Argument(help="The question.")],
    asker: Annotated[str, typer.Option("--as", help="User id, or the name of exactly one person.")],
    channel: Annotated[
        str | None, typer.Option("--in", help="Channel id or name; without it only the asker reads.")
    ] = (None),
    as_json: Json = False,
) -> None:
    """One answer on the terminal, under that person's rights and for the readers of that channel."""
    _run(_command("ask").ask(text, asker=asker, channel=channel, as_json=as_json))


@app.command()
def migrate() -> None:
    """Bring the schemas and indices to this version."""
    _run(_command("migrate").migrate())


@app.command()
def manifest() -> None:
    """The Slack app manifest to paste."""
    _run(_command("manifest").manifest())


@app.command()
def doctor(as_json: Json = False) -> None:
    """Settings, tokens, scopes, stores, models: what is wrong and what to do; exit 1 if it cannot serve."""
    _run(_command("doctor").doctor(as_json=as_json))


@documents.command("add")
def add(
    paths: Annotated[list[Path], typer.Argument(help="Files to learn.", resolve_path=True)],
    channel: Annotated[str | None, typer.Option(help="Whoever may read this channel (id or name) may read them.")] = (
        None
    ),
    group: Annotated[str | None, typer.Option(help="The members of this user group may read them.")] = None,
    workspace: Annotated[bool, typer.Option("--workspace", help="Every full member may read them.")] = False,
    as_json: Json = False,
) -> None:
    """Learn files from this machine; waits until each is published or has failed."""
    _run(
        _command("documents").add(paths, channel=channel, group=group, workspace=workspace, as_json=as_json),
    )


@documents.command("list")
def list_(asker: As = None, as_json: Json = False) -> None:
    """All documents with their state."""
    _run(_command("library").list_all(asker=asker, as_json=as_json))


@documents.command("show")
def show(
    document: Annotated[str, typer.Argument(help="The document's id.")], asker: As = None, as_json: Json = False
) -> None:
    """One document: its versions, and the text of its units with their places."""
    _run(_command("library").show(document, asker=asker, as_json=as_json))


@documents.command("publish")
def publish(
    document: Annotated[str, typer.Argument(help="The document's id.")],
    number: Annotated[int, typer.Argument(min=1, help="The number of a version that was published before.")],
    asker: As = None,
    as_json: Json = False,
) -> None:
    """Publish an earlier version again; it becomes the newest."""
    _run(_command("curating").restore(document, number=number, asker=asker, as_json=as_json))


@documents.command("rollback")
def rollback(
    document: Annotated[str, typer.Argument(help="The document's id.")], asker: As = None, as_json: Json = False
) -> None:
    """Publish the version before the present one again."""
    _run(_command("curating").restore(document, number=None, asker=asker, as_json=as_json))


@documents.command("delete")
def delete(
    document: Annotated[str, typer.Argument(help="The document's id.")], asker: As = None, as_json: Json = False
) -> None:
    """Remove a document from every store."""
    _run(_command("curating").delete(document, asker=asker, as_json=as_json))


@audit.command("export")
def export(
    since: Annotated[str | None, typer.Option(help="From this time on, such as 2026-11-30.")] = None,
    until: Annotated[str | None, typer.Option(help="Before this time.")] = None,
    asker: Annotated[str | None, typer.Option("--as", help="In the name of this administrator.")] = None,
) -> None:
    """The audit trail as JSON lines, oldest first."""
    _run(_command("audit").export(since=since, until=until, asker=asker))


@evaluate.command("retrieval")
def retrieval(
    directory: Annotated[Path, typer.Argument(help="Folder with corpus.jsonl, queries.jsonl and qrels.tsv.")],
    as_json: Json = False,
) -> None:
    """Measure search on a set of passages, questions and labels, through the real pipeline."""
    _run(_command("evaluate").retrieval(directory, as_json=as_json))


@evaluate.command("permissions")
def permissions(
    checks: Annotated[int, typer.Option(min=1, help="How many (message, reader, file) to judge.")] = 20_000,
    seed: Annotated[int, typer.Option(help="Another seed makes other workspaces.")] = 1,
    workspace: Annotated[int | None, typer.Option(min=0, help="Replay the workspace of this number alone.")] = None,
    as_json: Json = False,
) -> None:
    """Prove on generated workspaces, against an independent oracle, that nobody is shown what they may not read."""
    _run(_command("evaluate").permissions(checks=checks, seed=seed, workspace=workspace, as_json=as_json))


def main() -> None:
    """Entry point of the ``haitang`` program."""
    app()


if __name__ == "__main__":
    main()
