"""Text of models and documents pings nobody, links nowhere and hides nothing, and can still be read."""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from handlers.neutralise import markdown, mrkdwn, plain

HOSTILE = [
    "<!channel>", "<!here|here>", "<!everyone>", "<@U123>", "<@W1|bob>", "<!subteam^S1|@team>", "<#C1|sales>",
    "<https://evil.example|click>", "<https://evil.example>", "<javascript:alert(1)|x>", "[click](https://evil.example)",
    "![pixel](https://evil.example/p.png)", "[a]: https://evil.example", "[a][a]", "https://evil.example/a?b=c",
    "www.evil.example", "mailto:x@evil.example", "<x@evil.example>", "@channel", "@here", "&lt;!channel&gt;",
    "&#60;!here&#62;", "&amp;lt;@U1&amp;gt;", "<!chan\u200bnel>", "\u202e", "\x00", "`", "``", "```", "~~~", "\n",
    "\n\n", "> ", "- ", "    ", "|", "(", ")", "[", "]", ":", "<", ">", "!", "a", "海棠", " ", "\\", "*", "_", "[1]",
    "\r", "\u2028",
]  # fmt: skip
hostile_texts = st.lists(st.sampled_from(HOSTILE), max_size=12).map("".join) | st.text(max_size=60)
LT = r"(?:<|&(?:amp;)*(?:lt|#0*60|#x0*3c);)"


@given(hostile_texts)
def test_nothing_pings_in_any_form(text: str) -> None:
    for shown in (markdown(text), mrkdwn(text), plain(text)):
        assert not re.search(rf"{LT}[!@#]", shown, re.IGNORECASE)
        assert not re.search(r"(?<![\w.])@(?:channel|here|everyone)\b", shown, re.IGNORECASE)


@given(hostile_texts)
def test_no_markdown_reader_finds_a_link_or_a_picture(text: str) -> None:
    reader = MarkdownIt("commonmark")
    inline = [token for token in reader.parse(markdown(text)) if token.type == "inline"]
    children = [child for token in inline for child in token.children or ()]
    assert not [child.type for child in children if child.type in ("link_open", "image")]
    words = [child.content for child in children if child.type in ("text", "html_inline")]
    assert not [word for word in words if re.search(r"https?://\w|www\.\w", word, re.IGNORECASE)]


@given(hostile_texts)
def test_mrkdwn_has_none_of_the_characters_that_begin_slacks_forms(text: str) -> None:
    shown = mrkdwn(text)
    assert "<" not in shown
    assert ">" not in shown
    assert not re.search(r"&(?!amp;|lt;|gt;)", shown)


@given(hostile_texts)
def test_nothing_is_hidden(text: str) -> None:
    for shown in (markdown(text), mrkdwn(text), plain(text)):
        hidden = [c for c in shown if unicodedata.category(c) in ("Cc", "Cf") and c not in "\n\t\u200d"]
        assert not hidden


@given(
    st.text(
        alphabet=st.characters(
            categories=["L", "N", "P", "Zs"], exclude_characters="@<>&`~[]:/.\u115f\u1160\u3164\uffa0"
        )
    )
)
def test_ordinary_words_are_untouched(text: str) -> None:
    assert plain(text) == text
    assert markdown(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("<!channel> and <!subteam^S1|@ops> and <@U1|bob>", "＠channel and ＠ops and ＠bob"),
        ("<!date^1^{date}|yesterday> in <#C1|sales>", "yesterday in #sales"),
        ("see [the shop](https://a.example/b) now", "see [the shop] (`https://a.example/b`) now"),
        ("<https://a.example|the shop>", "the shop (`https://a.example`)"),
        ("资料见 https://a.example/页。请看", "资料见 `https://a.example/页`。请看"),
        ("quoted [1][2] and (see [3])", "quoted [1][2] and (see [3])"),
        ("`code` stays, ` alone goes https://a.example", "`code` stays, ‵ alone goes `https://a.example`"),
        ("> ~~~\n> x = 1\n> ~~~\nafter", "```\n> x = 1\n```\nafter"),
        ("never closed\n```\nx", "never closed\n```\nx\n```"),
        ("**M-208** costs <5 & more\n\n| a | b |\n|---|---|", "**M-208** costs <5 & more\n\n| a | b |\n|---|---|"),
        ("👨\u200d👩\u200d👧 a\u200db", "👨\u200d👩\u200d👧 ab"),
        ("write to a@channel.example", "write to a@channel.example"),
    ],
)
def test_readable_text_is_kept(text: str, shown: str) -> None:
    assert markdown(text) == shown


@pytest.mark.parametrize("piece", ["`", "` `` ", "<", "<a:", "[", "http://", "&amp;", "@", "<!", "> ", "a+", " "])
def test_long_text_takes_time_in_proportion(piece: str) -> None:
    """A quadratic pattern would take minutes here: the suite's time-out is the bound."""
    text = piece * 30_000
    assert markdown(text) or not text.strip()
