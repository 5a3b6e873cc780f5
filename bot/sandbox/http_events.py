"""The Events API over HTTP: signed requests, an answer within three seconds."""

import hashlib
import hmac
import json
import secrets
from urllib.parse import urlencode

import aiohttp

from bot.sandbox.clock import Clock
from bot.sandbox.delivery import ACK_WITHIN, Attempt, NotAcknowledged, PayloadKind
from bot.sandbox.model import App, Json

JSON_TYPE, FORM_TYPE = "application/json", "application/x-www-form-urlencoded"


class HttpEvents:
    """Posts payloads to the app's request URL, a Transport."""

    def __init__(self, *, url: str, app: App, clock: Clock) -> None:
        self._url = url
        self._app = app
        self._clock = clock

    async def wait_ready(self) -> None:
        """An address is always there, whether or not somebody answers."""

    async def verify(self) -> None:
        """Slack's url_verification. Raises NotAcknowledged when the app does not answer with the challenge."""
        challenge = secrets.token_hex(16)
        body = json.dumps({"type": "url_verification", "token": "", "challenge": challenge})
        answer = await self._post(body, JSON_TYPE, {})
        if challenge not in answer:
            raise NotAcknowledged("challenge_failed")

    async def deliver(self, kind: PayloadKind, payload: Json, attempt: Attempt) -> Json | None:
        if kind == "interactive":
            answer = await self._post(urlencode({"payload": json.dumps(payload)}), FORM_TYPE, {})
            return json.loads(answer) if answer.startswith("{") else None
        retry = {}
        if attempt.number:
            retry = {"X-Slack-Retry-Num": str(attempt.number), "X-Slack-Retry-Reason": attempt.reason}
        await self._post(json.dumps(payload), JSON_TYPE, retry)
        return None

    def _signed(self, body: str) -> dict[str, str]:
        """Slack's signature, version 0: HMAC-SHA256 over version, timestamp and body."""
        timestamp = str(int(self._clock.timestamp()))
        base = f"v0:{timestamp}:{body}".encode()
        signature = hmac.new(self._app.signing_secret.encode(), base, hashlib.sha256).hexdigest()
        return {"X-Slack-Request-Timestamp": timestamp, "X-Slack-Signature": f"v0={signature}"}

    async def _post(self, body: str, content_type: str, headers: dict[str, str]) -> str:
        headers = {"Content-Type": content_type, **self._signed(body), **headers}
        try:
            status, answer = await self._clock.within(ACK_WITHIN, self._exchange(body, headers))
        except TimeoutError as error:
            raise NotAcknowledged("http_timeout") from error
        except aiohttp.ClientError as error:
            raise NotAcknowledged("connection_failed") from error
        if status != 200:
            raise NotAcknowledged("http_error")
        return answer

    async def _exchange(self, body: str, headers: dict[str, str]) -> tuple[int, str]:
        async with (
            aiohttp.ClientSession() as session,
            session.post(self._url, data=body.encode(), headers=headers) as response,
        ):
            return response.status, await response.text()
