"""A command owns the data folder's database, or works beside its owner."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import psycopg
import pytest

from bot.commands.doctor import _stores
from bot.config import load
from bot.stores import database
from bot.stores.database import Database, open_database
from bot.stores.errors import FolderInUse
from bot.stores.migrations import NotCurrent, require_current


@pytest.fixture(scope="module")
async def owner(short_folder: Path) -> AsyncIterator[Database]:
    async with open_database(short_folder / "owned", purpose="serve") as opened:
        yield opened


async def test_the_first_command_becomes_the_owner(owner: Database) -> None:
    assert owner.is_owner
    await require_current(owner.dsn)


async def test_a_command_beside_the_owner_uses_its_database(owner: Database) -> None:
    async with open_database(owner.folder.path, purpose="ask") as beside:
        assert (beside.is_owner, beside.dsn) == (False, owner.dsn)


async def test_doctor_looks_beside_the_owner(owner: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HAITANG_DATA", str(owner.folder.path))
    (found,) = await _stores(load())
    assert found.is_ok
    assert found.found.endswith("(of the running serve)")


@pytest.mark.parametrize("purpose", ["serve", "demo", "migrate"])
async def test_a_second_owner_is_refused(owner: Database, purpose: str) -> None:
    with pytest.raises(FolderInUse, match=r"haitang serve"):
        async with open_database(owner.folder.path, purpose=purpose):
            pass


async def test_a_command_waits_for_an_owner_that_is_starting(owner: Database) -> None:
    note = owner.folder.path / "postgres-socket"
    text = note.read_text()
    note.unlink()
    opening = asyncio.create_task(until_opened(owner.folder.path))
    await asyncio.sleep(0)
    note.write_text(text)
    assert await opening == owner.dsn


async def until_opened(path: Path) -> str:
    async with open_database(path, purpose="ask") as beside:
        return beside.dsn


async def test_beside_an_owner_of_another_version_nothing_is_done(
    owner: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "OWNER_SECONDS", 0.0)
    async with await psycopg.AsyncConnection.connect(owner.dsn, autocommit=True) as connection:
        (needed,) = await (await connection.execute("SELECT version_num FROM alembic_version")).fetchone() or ("",)
        await connection.execute("UPDATE alembic_version SET version_num = '0001'")
        with pytest.raises(NotCurrent, match=f"at step 0001, this Haitang needs {needed}"):
            await until_opened(owner.folder.path)
        await connection.execute("UPDATE alembic_version SET version_num = %s", (needed,))
