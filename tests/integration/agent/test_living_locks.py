"""News of many places at once: jobs that hold each other up are added in one order everywhere."""

from __future__ import annotations

import asyncio

from tests import rows
from tests.integration.agent.given import Given

NAMES = [f"C{number}" for number in range(12)]


async def test_two_who_tell_of_the_same_places_never_wait_for_each_other_in_a_circle(given: Given) -> None:
    for _ in range(2):
        await asyncio.gather(
            *(given.living.audience_changed(rows.TEAM, names) for names in (NAMES, NAMES[::-1])),
            *(given.changed(*names) for names in (NAMES, NAMES[::-1])),
        )
