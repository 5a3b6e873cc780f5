"""Slack refuses, or its workspace is administered: the asker is told why, and all is well again afterwards."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.sandbox.server import Sandbox
from tests.e2e.company import Company, citations_of, open_company, text_of
from tests.e2e.test_rights_events import GUIDE, QUESTION
from tests.sandbox_fixtures import populate


@pytest.fixture(scope="module")
async def office(short_folder: Path) -> AsyncIterator[Company]:
    """One bot for all of them, with a file in #sales, and a token for all of the organisation's workspaces."""
    async with Sandbox(enterprise="E0ORG") as sandbox:
        populate(sandbox)
        async with open_company(sandbox, short_folder / "office") as company:
            mei = company.person("mei")
            await mei.upload(company.channel("sales"), "kiln-guide.md", GUIDE.encode())
            await company.published(mei, "kiln-guide.md")
            yield company


async def happened(company: Company, deed: str, method: str, **fields: object) -> None:
    """Mei administers, and what it means has reached the rows of rights through ``method``."""
    mei, reached = company.person("mei"), []
    original = getattr(company.service.sync, method)

    async def observed(*arguments: object, **options: object) -> None:
        await original(*arguments, **options)
        reached.append(method)

    setattr(company.service.sync, method, observed)
    company._observe(company.service.sync, method)
    await mei.act(deed, **fields)

    async def look() -> bool | None:
        return True if reached else None

    await company.until(mei, look)


async def test_a_missing_scope_is_named_to_the_asker_and_heals_by_itself(office: Company) -> None:
    mei = office.person("mei")
    await mei.act("faults", revoke_scope="users:read")
    await happened(office, "change_person", "person_changed", user="mei", is_guest=False)
    told = text_of((await office.ask(mei, "sales", QUESTION))[0])
    assert "I could not confirm your membership" in told
    assert "`users:read`" in told
    await mei.act("faults", grant_scope="users:read")
    assert "could not confirm" not in text_of((await office.ask(mei, "sales", QUESTION))[0])


async def test_an_app_that_comes_back_answers_again_without_a_restart(office: Company) -> None:
    mei = office.person("mei")
    await happened(office, "uninstall", "app_removed")
    scope = await office.core.scopes.scope(team=office.service.app.identity.team, asker=mei.id, conversation=None)
    assert not scope.principals
    await mei.act("reinstall")
    assert citations_of(await office.ask(mei, "sales", QUESTION))


async def test_a_channel_under_another_id_is_answered_in_as_before(office: Company) -> None:
    mei, sales = office.person("mei"), office.channel("sales")
    asked = await mei.post(sales, f"{office.mention} {QUESTION}")
    await office.answered(mei, sales, asked, thread_ts=asked)
    await happened(office, "change_channel_id", "conversation_moved", conversation=sales)
    moved = office.channel("sales")
    assert moved != sales
    replies = await office.answered(mei, moved, asked, thread_ts=asked)
    answer = next(message for message in replies if "open_citation" in text_of(message))
    modal = await office.modal_after(mei, moved, answer, "open_citation")
    assert "1,240 degrees" in text_of(modal)
    assert citations_of(await office.ask(mei, "sales", QUESTION))


async def test_an_event_of_another_workspace_is_left_alone(office: Company) -> None:
    """Not answered, and acknowledged: Slack would only deliver it again."""
    mei, sales = office.person("mei"), office.channel("sales")
    words = {"user": mei.id, "text": f"{office.mention} {QUESTION}", "ts": "9.0", "event_ts": "9.0"}
    event = {"type": "app_mention", "channel": sales, **words}
    await mei.act("faults", foreign_event={"team": "T0OTHER", "event": event})
    await office.ask(mei, "sales", QUESTION)
    assert await office.core.records.find("T0OTHER", sales, "9.0") is None
