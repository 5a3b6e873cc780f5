"""Which events have App Home drawn."""

from __future__ import annotations

from typing import Any

import pytest
from slack_bolt.request.async_request import AsyncBoltRequest
from slack_bolt.response import BoltResponse

from bot.app import AcceptEvents
from handlers.arrival import Identity

OURS = {"authorizations": [{"team_id": "T1"}]}
OPENED = {"type": "app_home_opened", "user": "U1", "tab": "home"}


class Accepting:
    """The intake, which has nothing to do with it."""

    async def accept(self, body: Any, identity: Identity) -> None: ...


class Drawn:
    """``handlers.home.Home`` as far as events go."""

    def __init__(self) -> None:
        self.people: list[str] = []

    def opened(self, person: str) -> None:
        self.people.append(person)


@pytest.mark.parametrize(
    ("body", "drawn"),
    [
        ({**OURS, "event": OPENED}, ["U1"]),
        ({**OURS, "event": {**OPENED, "tab": "messages"}}, []),
        ({**OURS, "event": {"type": "message", "user": "U1", "tab": "home"}}, []),
        ({"authorizations": [{"team_id": "T9"}], "event": OPENED}, []),
    ],
)
async def test_app_home_is_drawn_for_who_opens_it_in_our_workspace(body: dict[str, Any], drawn: list[str]) -> None:
    home = Drawn()
    accept = AcceptEvents(Accepting(), Identity(team="T1", user="UBOT", bot="B1"), home)  # type: ignore[arg-type]  # doubles
    request = AsyncBoltRequest(body={"type": "event_callback", **body}, mode="socket_mode")

    async def nothing() -> BoltResponse:
        raise AssertionError("events stop here")

    response = await accept.async_process(req=request, resp=BoltResponse(status=404), next=nothing)
    assert response is not None
    assert (response.status, home.people) == (200, drawn)
