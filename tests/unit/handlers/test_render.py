"""What an answer, its citations, its modal and an upload look like."""

from __future__ import annotations

import re
import string
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handlers import texts
from handlers.citations import citations, opening_view, refused_view, source_view
from handlers.model import (
    CitationView,
    Completion,
    Failed,
    Outgoing,
    RefusalReason,
    UploadStage,
    UploadStatus,
)
from handlers.render import Progress, cut, failed, fallback, language_of, progress
from handlers.render import final as render_final
from handlers.upload_reply import counts_label, upload_message
from ingest.model import Cause
from retrieval.model import Place, ReadBy
from tests.unit.handlers.samples import evidence, final
from tests.unit.handlers.slack_double import words

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
HOSTILE = "<!channel> <@U1> [x](https://evil.example) \u202e@here"


def within_slacks_limits(message: Outgoing) -> bool:
    blocks = [*message.blocks, *(block for attachment in message.attachments for block in attachment["blocks"])]
    markdown = sum(len(block["text"]) for block in blocks if block["type"] == "markdown")
    sections = [block["text"]["text"] for block in blocks if block["type"] == "section"]
    return (
        len(message.text) < 4_000 and len(blocks) <= 50 and markdown <= 12_000 and all(len(s) < 3_000 for s in sections)
    )


@given(st.text(max_size=300), st.integers(1, 120), st.integers(0, 30))
def test_every_message_of_an_answer_is_within_slacks_limits(piece: str, times: int, more: int) -> None:
    event = final(piece * times, 1, gaps=("gap & " * 300,) * more, notices=("n" * 4_000,) * more)
    for message in render_final(event, transcript=piece * times):
        assert within_slacks_limits(message)
        assert words(message).strip()


def test_a_long_answer_says_that_it_goes_on_and_ends_once() -> None:
    first, *_, last = render_final(final("A paragraph [1].\n\n" * 2_000, 1))
    assert "Continued below (1/" in words(first)
    assert "Answered from 1 source" not in words(first)
    assert "Answered from 1 source" in words(last)


def test_gaps_notices_and_the_kind_of_end_are_in_words() -> None:
    event = final("One part [1].", 1, completion=Completion.PARTIAL, gaps=("the price",), notices=("A guest is here.",))
    (message,) = render_final(event)
    shown = words(message)
    assert (
        shown.index("One part") < shown.index("• the price") < shown.index("A guest is here.") < shown.index("Partly")
    )


def test_text_of_documents_is_inert_wherever_it_is_shown() -> None:
    event = final(HOSTILE, 1, gaps=(HOSTILE,), notices=(HOSTILE,))
    view = CitationView(
        number=1, title=HOSTILE, place="", before=HOSTILE, excerpt=HOSTILE, after=HOSTILE, version_number=1,
        published_at="", is_current=True, link=None,
    )  # fmt: skip
    shown = [
        *[message.text + words(message) for message in render_final(event, transcript=HOSTILE)],
        words(progress(Progress(run_id="r1", language="en", transcript=HOSTILE, draft=HOSTILE))),
        words(failed(Failed(run_id="r1", message=HOSTILE, can_retry=True), language="en")),
        words(source_view(view, NOW, "en")),
        words(upload_message(UploadStatus(title=HOSTILE, stage=UploadStage.READY, left_out=(HOSTILE,)), "en")),
    ]
    for text in shown:
        assert "＠channel" in text
        assert not re.search(r"<[!@]|@here|\u202e", text)


def test_a_number_outside_the_evidence_is_no_citation() -> None:
    event = final("Five years [1], see note [7] of the text.", 1)
    (message,) = render_final(event)
    assert "[7]" not in words(message)
    assert "［7］" in words(message)
    (sources,) = citations(event, NOW)
    assert len(sources.attachments) == 1


def test_only_what_is_cited_is_listed_once_and_in_order() -> None:
    (message,) = citations(final("b [3], a [1], b again [3].", 1, 2, 3), NOW)
    titles = [attachment["blocks"][0]["text"]["text"] for attachment in message.attachments]
    assert titles == ["[1] policy-1.pdf", "[3] policy-3.pdf"]
    details = message.attachments[0]["blocks"][1]["elements"][0]["text"]
    assert details == "page 3 · version 2 · 3 days ago"


def test_no_citation_no_message() -> None:
    assert list(citations(final("Nothing.", 1), NOW)) == []
    assert list(citations(final("Nothing [1].", evidence=None), NOW)) == []


def test_many_citations_are_spread_over_messages_within_the_limits() -> None:
    numbers = range(1, 61)
    messages = list(citations(final(" ".join(f"[{n}]" for n in numbers), *numbers), NOW))
    assert sum(len(message.attachments) for message in messages) == 60
    assert all(within_slacks_limits(message) for message in messages)


def test_a_citation_that_was_heard_says_so_and_names_the_time_in_chinese() -> None:
    heard = evidence(1, place=Place(start_ms=12_000, end_ms=40_000), read_by=ReadBy.SPEECH)
    event = final("五年 [1]。", language="zh")
    event = final("五年 [1]。", language="zh", evidence=type(event.evidence)("s1", "r1", 1, (heard,)))
    (message,) = citations(event, NOW)
    block = message.attachments[0]["blocks"][0]
    assert message.attachments[0]["blocks"][1]["elements"][0]["text"] == "00:12–00:40 · 第 2 版 · 3 天前 · 由语音识别"
    assert language_of(block["block_id"]) == "zh"
    assert block["accessory"]["text"]["text"] == "打开"


def test_the_modal_shows_the_passage_between_its_surroundings() -> None:
    view = CitationView(
        number=4, title="policy.pdf", place="page 3", before="Before.", excerpt="Five years.", after="After.",
        version_number=2, published_at="2026-11-27T12:00:00+00:00", is_current=False, link="https://x.slack.com/f",
    )  # fmt: skip
    modal = source_view(view, NOW, "en")
    shown = words(modal)
    assert shown.index("Before.") < shown.index("Five years.") < shown.index("After.")
    assert "page 3 · version 2 · 3 days ago" in shown
    assert "A newer version exists" in shown
    assert modal["blocks"][-1]["elements"][0]["url"] == "https://x.slack.com/f"
    assert len(modal["title"]["text"]) <= 24


@given(st.integers(0, 60_000), st.sampled_from(["en", "zh"]))
def test_a_modal_of_any_passage_is_within_slacks_limits(length: int, language: str) -> None:
    view = CitationView(
        number=100, title="t" * length, place="", before="b" * length, excerpt="e" * length, after="a" * length,
        version_number=1, published_at="", is_current=True, link=None,
    )  # fmt: skip
    modal = source_view(view, NOW, language)
    assert len(modal["blocks"]) <= 100
    assert all(len(text) < 3_000 for text in words(modal).split("\n"))
    assert len(modal["title"]["text"]) <= 24


@pytest.mark.parametrize("reason", RefusalReason)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_refusal_is_said_without_saying_of_what(reason: RefusalReason, language: str) -> None:
    assert words(refused_view(reason, language)) != words(opening_view(language))


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        (UploadStatus(title="a.pdf", stage=UploadStage.WAITING), "I will read “a.pdf” in a moment…"),
        (UploadStatus(title="a.pdf", stage=UploadStage.READING, percent=40), "Reading “a.pdf”… 40 %"),
        (
            UploadStatus(title="a.pdf", stage=UploadStage.READY, counts={"chunks": 40, "pages": 1, "tables": 0}),
            "“a.pdf” is ready: you can ask about it now.\n1 page · 40 passages",
        ),
        (
            UploadStatus(title="a.pdf", stage=UploadStage.READY, left_out=("Page 3 is a picture.",)),
            "“a.pdf” is ready: you can ask about it now.\nLeft out:\n• Page 3 is a picture.",
        ),
    ],
)
def test_an_upload_says_how_it_is_getting_on(status: UploadStatus, expected: str) -> None:
    assert words(upload_message(status, "en")) == expected


def test_times_are_told_in_minutes_when_long() -> None:
    assert counts_label({"seconds": 60}, "en") == "60 seconds"
    assert counts_label({"seconds": 600, "chunks": 3}, "zh") == "10 分钟 · 3 段可检索内容"


def test_every_cause_of_ingestion_has_its_sentence() -> None:
    assert set(texts.CAUSES) == {str(cause) for cause in Cause}


def test_both_languages_of_a_sentence_name_the_same_things() -> None:
    def names(text: str) -> set[str]:
        return {name for _, name, _, _ in string.Formatter().parse(text) if name}

    sentences: list[Any] = [*vars(texts).values(), *texts.CAUSES.values(), *texts.COUNTS.values()]
    for sentence in sentences:
        if isinstance(sentence, texts.Sentence):
            assert names(sentence.en) == names(sentence.zh)
        elif isinstance(sentence, texts.Counted):
            assert names(sentence.many) == names(sentence.zh) == {"n"}


@given(st.text(), st.integers(2, 50))
def test_a_cut_never_leaves_half_an_entity(text: str, limit: int) -> None:
    assert len(cut(text, limit)) <= limit
    assert not re.search(r"&[a-z]{0,4}…$", cut(fallback(text), limit))
