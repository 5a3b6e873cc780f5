"""Pure parts of the local workspace: what people type, rates, markdown that expands, types of files."""

import html
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.sandbox.clock import Clock
from bot.sandbox.errors import SlackError
from bot.sandbox.rules import checked_blocks
from bot.sandbox.talk import SPECIAL, escape
from bot.sandbox.tiers import BURST, TIER_3, Tiers
from bot.sandbox.uploads import TYPES

typed = st.lists(st.sampled_from(["<", ">", "&", "a", "&amp;", "<@U1>", "<!here>", "<https://a.b/c>", "@", "U1", "水"]))


@given(typed.map("".join))
def test_escaping_twice_is_escaping_once(text: str) -> None:
    assert escape(escape(text)) == escape(text)


@given(typed.map("".join))
def test_nothing_typed_is_lost(text: str) -> None:
    assert html.unescape(escape(text)) == html.unescape(text)


@given(st.text(alphabet="<>&!@#abcU |/:", max_size=30))
def test_no_bare_bracket_is_left(text: str) -> None:
    """slack.md, Markdown: outside Slack's own forms no angle bracket stands."""
    rest = SPECIAL.sub("", escape(text))
    assert "<" not in rest
    assert ">" not in rest


@given(st.lists(st.floats(min_value=0, max_value=30), min_size=1, max_size=300))
def test_a_tier_is_never_exceeded(waits: list[float]) -> None:
    """slack.md, Limits: in no minute more calls than the tier allows, and the burst that may have been saved up."""
    now = datetime(2026, 11, 30, tzinfo=UTC)
    tiers = Tiers(Clock(now=lambda: now))
    allowed: list[datetime] = []
    for wait in waits:
        now += timedelta(seconds=wait)
        if tiers.take("chat.update", per_minute=TIER_3) == 0:
            allowed.append(now)
    for start in allowed:
        in_a_minute = [one for one in allowed if start <= one < start + timedelta(minutes=1)]
        assert len(in_a_minute) <= TIER_3 * (1 + BURST)


@given(st.integers(min_value=1, max_value=200))
def test_who_waits_as_told_is_let_in(calls: int) -> None:
    now = datetime(2026, 11, 30, tzinfo=UTC)
    tiers = Tiers(Clock(now=lambda: now))
    for _ in range(calls):
        wait = tiers.take("chat.update", per_minute=TIER_3)
        if wait:
            now += timedelta(seconds=wait)
            assert tiers.take("chat.update", per_minute=TIER_3) == 0


@pytest.mark.parametrize(
    ("part", "fits"),
    [("# head\n\n", 50), ("text\n\n# head\n\n", 25), ("---\n\n", 50), ("|a|b|\n|-|-|\n|1|2|\n\nx\n\n", 25)],
    ids=["headings", "headings and text", "rules", "tables"],
)
def test_markdown_expands(part: str, fits: int) -> None:
    """slack.md, Limits: headings, rules, tables expand into blocks that count toward 50."""
    checked_blocks([{"type": "markdown", "text": part * fits}])
    with pytest.raises(SlackError, match="invalid_blocks"):
        checked_blocks([{"type": "markdown", "text": part * (fits + 1)}])


def test_paragraphs_do_not_expand() -> None:
    checked_blocks([{"type": "markdown", "text": "plain\n\n" * 1_000}])


def test_blocks_get_their_ids() -> None:
    """Slack gives a block_id and action_ids to those that come without, each another one."""
    button = {"type": "button", "text": {"type": "plain_text", "text": "x"}}
    text = {"type": "mrkdwn", "text": "x"}
    named, unnamed, section = checked_blocks(
        [
            {"type": "actions", "block_id": "mine", "elements": [button]},
            {"type": "actions", "elements": [button, button]},
            {"type": "section", "text": text, "accessory": button},
        ]
    )
    assert named["block_id"] == "mine"
    actions = [*named["elements"], *unnamed["elements"], section["accessory"]]
    assert len({"mine", unnamed["block_id"], section["block_id"]}) == 3
    assert len({one["action_id"] for one in actions}) == 4


@pytest.mark.parametrize(
    ("name", "mimetype"),
    [
        ("a.docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
        ("a.pdf", "application/pdf"),
        ("a.csv", "text/csv"),
        ("a.mp4", "video/mp4"),
        ("a.m4a", "audio/mp4"),
        ("a.unheard-of", None),
    ],
)
def test_types_do_not_depend_on_the_machine(name: str, mimetype: str | None) -> None:
    assert TYPES.guess_type(name)[0] == mimetype
