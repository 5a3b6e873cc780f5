"""Answers that were given stay true: before one's eyes, and through everything that Slack and a process can do."""

from __future__ import annotations

from tests.e2e.company import Company, answer_text, citations_of, text_of
from tests.sandbox_fixtures import Json, Person

GUIDE = "# Kiln guide\n\nThe kiln K-77 is fired at 1,240 degrees for nine hours. Glaze is mixed by Hanna Berg.\n"
QUESTION = "At what temperature is the kiln K-77 fired?"


async def shown(company: Company, who: Person, conversation: str, thread_ts: str | None, *, has: str) -> list[Json]:
    """The bot's messages there, once one of them says ``has``."""

    async def look() -> list[Json] | None:
        messages = await who.messages(conversation, thread_ts=thread_ts)
        ours = [message for message in messages if message.get("bot_id")]
        return ours if has in "".join(map(text_of, ours)) else None

    return await company.until(who, look)


async def test_a_deleted_file_takes_its_answers_with_it(small: Company) -> None:
    mei, sales = small.person("mei"), small.channel("sales")
    file, _ = await mei.upload(sales, "kiln-guide.md", GUIDE.encode())
    await small.published(mei, "kiln-guide.md")
    ts = await mei.post(sales, f"{small.mention} {QUESTION}")
    answer = await small.answered(mei, sales, ts, thread_ts=ts)
    assert citations_of(answer)
    assert "1,240" in answer_text(answer)
    await mei.act("delete_file", file=file)
    left = await shown(small, mei, sales, ts, has="withdrawn")
    assert "1,240" not in "".join(map(text_of, left))
