"""A world whose answers are given in Slack, by the real replies, and what becomes of them there."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from psycopg_pool import AsyncConnectionPool

from bot.answers.living import AUDIENCE_JOB, DOCUMENT_JOB, DOUBT_JOB, MARK_JOB, PLACE_JOB, WITHDRAW_JOB
from bot.answers.showing import Showing
from handlers.pace import EditBudget
from handlers.reply import Replies
from handlers.standing import Standings
from permissions.model import Principal
from tests import rows
from tests.integration.agent.world import CHANNEL, World
from tests.unit.handlers.slack_double import FakeSlack, Time, words

HERE = Principal.channel(rows.TEAM, CHANNEL)

# Jobs that wait, in the order in which they were enqueued.
TAKE = """
DELETE FROM procrastinate_jobs WHERE id = (SELECT min(id) FROM procrastinate_jobs WHERE task_name = ANY (%s))
RETURNING task_name, args
"""


class Given(World):
    """``work`` does what is enqueued about answers; ``time`` passes by waiting for Slack's turns."""

    def __init__(self, pool: AsyncConnectionPool) -> None:
        self.slack, self.time = FakeSlack(), Time()
        edits = EditBudget(clock=self.time)
        self.board = Standings(
            messages=self.slack, edits=edits, removals=EditBudget(clock=self.time), sleep=self.time.sleep
        )
        self.edits = edits
        super().__init__(pool)

    def restart(self) -> None:
        self.replies = Replies(  # type: ignore[assignment]  # the real ones in the place of the written ones
            messages=self.slack,
            journal=self.posts,
            budget=self.edits,
            now=lambda: datetime.now(UTC),
            sleep=self.time.sleep,
        )
        super().restart()
        self.shows = Showing(pool=self.pool, posts=self.posts, board=self.board)

    async def work(self, *, but: str = "") -> list[tuple[str, dict[str, Any]]]:
        """Do the waiting jobs about answers, those called ``but`` excepted, until none waits; returns what was done."""
        functions = {
            DOCUMENT_JOB: self.living.look_from,
            AUDIENCE_JOB: self.living.look_before,
            PLACE_JOB: self.living.judge,
            DOUBT_JOB: self.living.doubt,
            WITHDRAW_JOB: self.shows.show,
            MARK_JOB: self.shows.show,
        }
        done = []
        while True:
            async with self.pool.connection() as connection:
                cursor = await connection.execute(TAKE, ([name for name in functions if name != but],))
                row = await cursor.fetchone()
            if row is None:
                return done
            name, arguments = row
            await functions[name](**arguments)
            done.append((name, arguments))

    async def give(self, text: str, *, ts: str = "1.1", **changes: Any) -> str:
        """Ask and answer; the id of the run."""
        run_id = await self.ask(text, ts=ts, **changes)
        await self.worker.answer(run_id=run_id)
        return run_id

    def shown(self) -> str:
        """All that stands in Slack now."""
        return "\n".join(f"{message.text}\n{words(message)}" for message in self.slack.shown.values())

    async def close(self, document: str, *principals: Principal) -> None:
        """Only these may read it from now on, as the bot hears of it."""
        async with self.pool.connection() as connection:
            await rows.set_grants(connection, document, principals)
        await self.changed(document)

    async def changed(self, *documents: str) -> None:
        """The bot hears of a change of these."""
        async with self.pool.connection() as connection:
            await self.living.documents_changed(documents, connection=connection)

    async def standing(self, run_id: str) -> tuple[str, bool] | None:
        """What became of the answer, and whether Slack shows it."""
        async with self.pool.connection() as connection:
            cursor = await connection.execute(
                "SELECT state, shown_at IS NOT NULL FROM standings WHERE run_id = %s", (run_id,)
            )
            return await cursor.fetchone()
