"""Channel, thread, direct message, group direct message, upload and citation, as people use them."""

from __future__ import annotations

from handlers.citations import OPEN_ACTION
from tests.e2e.company import Company, answer_text, citations_of, text_of

GUIDE = "# Kiln guide\n\nThe kiln K-77 is fired at 1,240 degrees for nine hours. Glaze is mixed by Hanna Berg.\n"
LEAVE = "How many days of paid annual leave does everyone have?"


async def test_a_mention_in_a_channel_is_answered_once_in_its_thread(company: Company) -> None:
    emma = company.person("emma.clark")
    replies = await company.ask(emma, "general", LEAVE)
    answers = [message for message in replies if not message.get("attachments")]
    assert len(answers) == 1
    assert "employee-handbook.md" in text_of(replies[-1])
    assert "[1]" in answer_text(replies)


async def test_a_follow_up_in_the_thread_needs_no_mention(company: Company) -> None:
    emma, general = company.person("emma.clark"), company.channel("general")
    root = await emma.post(general, f"{company.mention} {LEAVE}")
    await company.answered(emma, general, root, thread_ts=root)
    ts = await emma.post(general, "And what are meals on business trips refunded up to?", thread_ts=root)
    replies = await company.answered(emma, general, ts, thread_ts=root)
    assert "120 yuan a day" in answer_text(replies)


async def test_a_direct_message_is_answered(company: Company) -> None:
    emma = company.person("emma.clark")
    dm = await emma.open(company.sandbox.context.workspace.app.user)
    ts = await emma.post(dm, LEAVE)
    replies = await company.answered(emma, dm, ts, thread_ts=None)
    assert citations_of(replies)


async def test_a_group_direct_message_with_a_mention_is_answered_once(company: Company) -> None:
    emma = company.person("emma.clark")
    group = await emma.open(company.person("david.ng").id, company.sandbox.context.workspace.app.user)
    ts = await emma.post(group, f"{company.mention} {LEAVE}")
    replies = await company.answered(emma, group, ts, thread_ts=ts)
    assert len([message for message in replies if not message.get("attachments")]) == 1


async def test_what_is_uploaded_is_learned_and_cited(company: Company) -> None:
    emma, general = company.person("emma.clark"), company.channel("general")
    await emma.upload(general, "kiln-guide.md", GUIDE.encode(), text="for everyone")
    await company.published(emma, "kiln-guide.md")
    replies = await company.ask(emma, "general", "At what temperature is the kiln K-77 fired?")
    assert "1,240" in answer_text(replies)
    assert "kiln-guide.md" in text_of(citations_of(replies)[0])


async def test_nothing_is_claimed_where_nothing_is_known(company: Company) -> None:
    replies = await company.ask(company.person("emma.clark"), "general", "What is the tensile strength of titanium?")
    assert not citations_of(replies)
    assert "found nothing" in text_of(replies[0])


async def test_a_citation_opens_for_who_may_read_it(company: Company) -> None:
    emma, general = company.person("emma.clark"), company.channel("general")
    replies = await company.ask(emma, "general", LEAVE)
    view = await company.modal_after(emma, general, replies[-1], OPEN_ACTION)
    assert "12 days of paid annual leave" in text_of(view)


async def test_an_answer_that_quotes_a_price_stays_with_its_readers(company: Company) -> None:
    david = company.person("david.ng")
    replies = await company.ask(david, "price-office", "GC-208 防水涂料的内部单价是多少？")
    assert "内部价格表2026.xlsx" in text_of(replies[-1])
    chen = company.person("chen.yu")
    seen = await company.ask(chen, "sales", "GC-208 防水涂料的内部单价是多少？")
    assert "内部价格表2026.xlsx" not in text_of(seen[-1])
