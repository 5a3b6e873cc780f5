"""Times on the command line of the audit trail."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from bot.commands.audit import _time
from bot.commands.output import Misused


@pytest.mark.parametrize(
    ("text", "time"),
    [
        (None, None),
        ("2026-11-30", datetime(2026, 11, 30, tzinfo=UTC)),
        ("2026-11-30T09:00:00Z", datetime(2026, 11, 30, 9, tzinfo=UTC)),
        ("2026-11-30T09:00:00+08:00", datetime(2026, 11, 30, 9, tzinfo=timezone(timedelta(hours=8)))),
    ],
)
def test_a_day_or_a_time_of_utc_unless_it_says_otherwise(text: str | None, time: datetime | None) -> None:
    assert _time(text, "--since") == time


def test_anything_else_is_wrong_usage_with_an_example() -> None:
    with pytest.raises(Misused, match=r"--since 'yesterday' is no time: give one such as 2026-11-30"):
        _time("yesterday", "--since")
