"""People's hands in a generated workspace: the sandbox's control API over HTTP, as its page uses it."""

from __future__ import annotations

from typing import Any

import aiohttp

Json = dict[str, Any]


class Refused(Exception):
    """The workspace does not let this person do that (now)."""


class Hands:
    """Acts as people. ``site`` is the sandbox's address."""

    def __init__(self, session: aiohttp.ClientSession, site: str) -> None:
        self._session = session
        self._site = site

    async def act(self, person: str, deed: str, **fields: object) -> Json:
        """Any deed of the control API, by its name. Raises Refused."""
        body = {"as": person, **{key: value for key, value in fields.items() if value is not None}}
        return await self._answer(f"/control/{deed}", json=body)

    async def send(self, person: str, deed: str, body: bytes, **fields: str) -> Json:
        """Any deed that takes bytes: upload, upload_version. Raises Refused."""
        return await self._answer(f"/control/{deed}", params={"as": person, **fields}, data=body)

    async def _answer(self, path: str, **request: Any) -> Json:
        async with self._session.post(self._site + path, **request) as response:
            answer: Json = await response.json()
        if not answer["ok"]:
            raise Refused(f"{answer['error']}: {answer.get('message')}")
        return answer
