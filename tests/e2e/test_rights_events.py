"""What happens in the workspace changes what is found, from the next question on."""

from __future__ import annotations

from tests.e2e.company import Company, citations_of, text_of

GUIDE = "# Kiln guide\n\nThe kiln K-77 is fired at 1,240 degrees for nine hours. Glaze is mixed by Hanna Berg.\n"
QUESTION = "At what temperature is the kiln K-77 fired?"


async def test_a_channel_that_becomes_private_takes_its_files_from_the_others(small: Company) -> None:
    mei, sales = small.person("mei"), small.channel("sales")
    await mei.upload(sales, "kiln-guide.md", GUIDE.encode())
    await small.published(mei, "kiln-guide.md")
    assert citations_of(await small.ask(mei, "general", QUESTION)) == []  # a guest reads there
    assert citations_of(await small.ask(mei, "sales", QUESTION))

    dm = await mei.open(small.sandbox.context.workspace.app.user)
    ts = await mei.post(dm, QUESTION)
    assert citations_of(await small.answered(mei, dm, ts, thread_ts=None))

    await mei.act("make_private", conversation=sales)
    await mei.act("kick", conversation=sales, user=small.person("tom").id)
    tom = small.person("tom")
    dm = await tom.open(small.sandbox.context.workspace.app.user)
    ts = await tom.post(dm, QUESTION)
    replies = await small.answered(tom, dm, ts, thread_ts=None)
    assert citations_of(replies) == []
    assert "1,240" not in "".join(map(text_of, replies))


async def test_a_deleted_file_is_gone_for_the_next_question(small: Company) -> None:
    mei, general = small.person("mei"), small.channel("general")
    file, _ = await mei.upload(general, "kiln-guide.md", GUIDE.encode())
    await small.published(mei, "kiln-guide.md")
    assert citations_of(await small.ask(mei, "general", QUESTION))
    await mei.act("delete_file", file=file)
    await small.deleted(mei, "kiln-guide.md")
    assert citations_of(await small.ask(mei, "general", QUESTION)) == []
