"""Calls keep within the tier of their method, questions go before sweeps, and nobody waits for ever."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from bot.sandbox.clock import Clock
from bot.sandbox.tiers import Tiers
from handlers.reading_pace import PER_MINUTE, ReadPace


class Time:
    """Time that passes when somebody sleeps."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        assert seconds > 0
        self.now += seconds


@pytest.fixture
def time() -> Time:
    return Time()


@pytest.fixture
def pace(time: Time) -> ReadPace:
    return ReadPace(clock=time, sleep=time.sleep)


@pytest.mark.parametrize("method", ["users.list", "users.conversations", "conversations.members"])
@pytest.mark.parametrize("in_background", [True, False])
async def test_nobody_trips_a_limit(pace: ReadPace, time: Time, method: str, in_background: bool) -> None:
    """Against the local Slack's own counting, from the first call on."""
    began = datetime(2026, 11, 30, tzinfo=UTC)
    tiers = Tiers(Clock(now=lambda: began + timedelta(seconds=time.now)))
    for _ in range(600):
        await pace.turn(method, in_background=in_background)
        assert tiers.take(method, per_minute=PER_MINUTE[method]) == 0
    assert time.now == pytest.approx(600 * 60 / (0.9 * PER_MINUTE[method]), rel=0.05)


async def test_a_small_workspace_is_read_at_once(pace: ReadPace, time: Time) -> None:
    for method, calls in (("users.list", 2), ("usergroups.list", 1), ("conversations.members", 12)):
        for _ in range(calls):
            await pace.turn(method, in_background=True)
    assert time.now == 0


async def test_a_question_finds_turns_that_a_sweep_has_left(pace: ReadPace, time: Time) -> None:
    for _ in range(100):
        await pace.turn("conversations.members", in_background=True)
    before = time.now
    for _ in range(12):
        await pace.turn("conversations.members", in_background=False)
    assert time.now == before


async def test_a_sweep_waits_until_questions_have_had_their_turns(pace: ReadPace, time: Time) -> None:
    for _ in range(33):
        await pace.turn("users.info", in_background=False)
    before = time.now
    await pace.turn("users.info", in_background=True)
    assert time.now - before >= 12 / 1.5


async def test_methods_are_counted_apart(pace: ReadPace, time: Time) -> None:
    for _ in range(6):
        await pace.turn("users.info", in_background=False)
        await pace.turn("conversations.info", in_background=False)
    assert time.now == 0


async def test_slacks_wait_is_kept(pace: ReadPace, time: Time) -> None:
    await pace.turn("users.info", in_background=False)
    pace.hold("users.info", 30)
    await pace.turn("users.info", in_background=False)
    assert time.now == pytest.approx(30)
    await pace.turn("users.info", in_background=False)
    assert time.now == pytest.approx(30 + 1 / 1.5)


async def test_who_gives_up_waiting_hands_the_turn_back(time: Time) -> None:
    async def never(_: float) -> None:
        raise asyncio.CancelledError

    pace = ReadPace(clock=time, sleep=never)
    for _ in range(5):
        await pace.turn("users.list", in_background=False)
    for _ in range(50):
        with pytest.raises(asyncio.CancelledError):
            await pace.turn("users.list", in_background=False)
    time.now += 4
    await pace.turn("users.list", in_background=False)
