"""``haitang serve`` and the commands beside it, as processes: two ways in, kills, second owners."""

from __future__ import annotations

import json
import signal
from pathlib import Path

import pytest

from bot.sandbox.server import Sandbox
from handlers.render import RETRY_ACTION
from tests.e2e.company import text_of, until
from tests.e2e.processes import environment, haitang, run
from tests.sandbox_fixtures import Json, Person

GUIDE = "# Kiln guide\n\nThe kiln K-77 is fired at 1,240 degrees for nine hours. Glaze is mixed by Hanna Berg.\n"
QUESTION = "At what temperature is the kiln K-77 fired?"


@pytest.fixture
def folder(short_folder: Path, request: pytest.FixtureRequest) -> Path:
    return short_folder / request.node.name.split("[")[0][-24:]


class Talk:
    """Mei in #general, looking at threads."""

    def __init__(self, office: Sandbox) -> None:
        self.office = office
        self.mei = Person(office, "mei")
        channel = office.context.workspace.find_channel("general")
        assert channel is not None
        self.general = channel.id
        self.bot = f"<@{office.context.workspace.app.user}>"

    async def thread_with(self, ts: str, words: str) -> list[Json]:
        """The thread of ``ts`` once something in it says ``words``."""

        async def look() -> list[Json] | None:
            messages = await self.mei.messages(self.general, thread_ts=ts)
            return messages if any(words in text_of(message) for message in messages[1:]) else None

        return await until(self.office, self.mei, look)

    async def teach(self) -> None:
        _, ts = await self.mei.upload(self.general, "kiln-guide.md", GUIDE.encode())
        await self.thread_with(ts, "is ready")

    async def ask(self, text: str = QUESTION) -> str:
        return await self.mei.post(self.general, f"{self.bot} {text}")


@pytest.fixture
def talk(office: Sandbox) -> Talk:
    return Talk(office)


async def test_serve_by_socket_mode(talk: Talk, folder: Path) -> None:
    env = environment(folder, talk.office, SLACK_APP_TOKEN=talk.office.app_token)
    async with haitang("serve", env=env) as serving:
        assert "Socket Mode" in serving.first_line
        await talk.teach()
        await talk.thread_with(await talk.ask(), "kiln-guide.md")
        assert await serving.stop() == 0


async def test_serve_over_http(talk: Talk, folder: Path) -> None:
    env = environment(folder, talk.office, SLACK_SIGNING_SECRET=talk.office.signing_secret)
    async with haitang("serve", env=env) as serving:
        url = serving.first_line.split()[5].rstrip(";")
        await talk.mei.act("http_events", url=url)
        await talk.teach()
        await talk.thread_with(await talk.ask(), "kiln-guide.md")
        assert await serving.stop() == 0


async def test_a_killed_bot_ends_its_run_visibly_at_the_next_start(talk: Talk, folder: Path) -> None:
    """A question whose end can't be shown, because Slack refuses edits, is under way when the process is killed."""
    env = environment(folder, talk.office, SLACK_APP_TOKEN=talk.office.app_token)
    async with haitang("serve", env=env) as serving:
        await talk.teach()
        await talk.mei.act("faults", method="chat.update", retry_after=60, times=1000)
        ts = await talk.ask()
        await talk.thread_with(ts, "")
        await serving.stop(signal.SIGKILL)
    talk.office.context.faults.methods.clear()
    async with haitang("serve", env=env) as serving:
        thread = await talk.thread_with(ts, RETRY_ACTION)
        await talk.mei.click(talk.general, thread[-1], RETRY_ACTION)
        await talk.thread_with(ts, "kiln-guide.md")
        await serving.stop()


async def test_commands_beside_a_running_bot(talk: Talk, folder: Path, tmp_path: Path) -> None:
    env = environment(folder, talk.office, SLACK_APP_TOKEN=talk.office.app_token)
    guide = tmp_path / "kiln-guide.md"
    guide.write_text(GUIDE)
    async with haitang("serve", env=env) as serving:
        code, _, err = await run("serve", env=env)
        assert code == 1
        assert f"process {serving.process.pid}" in err

        code, out, _ = await run("documents", "add", str(guide), "--channel", "general", "--json", env=env)
        (row,) = json.loads(out)
        assert code == 0
        assert set(row) == {"path", "document", "version", "state", "cause", "units", "chunks", "seconds"}
        assert (row["state"], row["cause"], row["units"]) == ("PUBLISHED", None, 1)

        code, out, _ = await run("ask", QUESTION, "--as", "mei", "--in", "general", "--json", env=env)
        answer = json.loads(out)
        assert code == 0
        assert {"run", "state", "answer", "citations", "gaps"} <= set(answer)
        assert [set(item) for item in answer["citations"]] == [
            {"number", "document", "title", "version", "place", "excerpt"}
        ]

        code, out, _ = await run("documents", "delete", row["document"], "--json", env=env)
        assert code == 0
        code, out, _ = await run("ask", QUESTION, "--as", "mei", "--in", "general", "--json", env=env)
        assert (code, json.loads(out)["citations"]) == (1, [])
        await serving.stop()


async def test_commands_alone(folder: Path, tmp_path: Path) -> None:
    """Without a bot a command owns the folder itself; nobody is known there, so nobody is answered."""
    env = environment(folder)
    guide, empty = tmp_path / "kiln-guide.md", tmp_path / "empty.pdf"
    guide.write_text(GUIDE)
    empty.touch()
    code, out, _ = await run("documents", "add", str(guide), str(empty), "--workspace", "--json", env=env)
    rows = json.loads(out)
    assert code == 1
    assert [(row["state"], row["cause"]) for row in rows] == [("PUBLISHED", None), ("FAILED", "empty")]

    code, out, _ = await run("documents", "show", rows[0]["document"], "--json", env=env)
    shown = json.loads(out)
    assert code == 0
    assert {"document", "title", "versions", "units"} <= set(shown)
    assert [unit["how"] for unit in shown["units"]] == ["text_layer"]
    assert "K-77" in shown["units"][0]["text"]

    code, out, _ = await run("ask", QUESTION, "--as", "U0NOBODY", "--json", env=env)
    assert (code, json.loads(out)["citations"]) == (1, [])


@pytest.mark.parametrize(
    ("arguments", "code", "named"),
    [
        (("documents", "add", "x.txt"), 2, "--channel"),
        (("ask", "x", "--as", "nobody"), 2, "nobody"),
        (("serve",), 1, "SLACK_APP_TOKEN"),
        (("eval", "retrieval", "nowhere"), 1, "corpus.jsonl"),
    ],
)
async def test_wrong_calls_say_what_to_do(
    short_folder: Path, arguments: tuple[str, ...], code: int, named: str
) -> None:
    found, out, err = await run(*arguments, env=environment(short_folder / "wrong"))
    assert (found, out) == (code, "")
    assert named in err
    assert "Traceback" not in err
