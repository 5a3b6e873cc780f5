"""Socket Mode: WebSocket connections that the app opens, each payload to one of them, each acknowledged."""

import asyncio
import json
import secrets
from collections import deque
from dataclasses import dataclass, field

from aiohttp import WSMsgType, web

from bot.sandbox.clock import Clock
from bot.sandbox.delivery import ACK_WITHIN, Attempt, NotAcknowledged, PayloadKind
from bot.sandbox.errors import SlackError
from bot.sandbox.model import App, Json
from bot.sandbox.tickets import Tickets

MAX_CONNECTIONS = 10
# Seconds within which an address of apps.connections.open must be used.
ADDRESS_LASTS = 30.0


@dataclass(eq=False, slots=True)
class Connection:
    """One socket and the payloads on it that wait for their acknowledgement."""

    socket: web.WebSocketResponse
    transport: asyncio.WriteTransport
    waiting: dict[str, asyncio.Future[Json | None]] = field(default_factory=dict)


class SocketMode:
    """The server side of Socket Mode, a Transport."""

    def __init__(self, *, app: App, clock: Clock) -> None:
        self._app = app
        self._clock = clock
        self._tickets: Tickets[None] = Tickets(clock=clock, lasts=ADDRESS_LASTS, uses=1)
        # The next payload goes to the connection at the left, which then moves to the right.
        self._connections: deque[Connection] = deque()
        self._ready = asyncio.Event()

    def ticket(self) -> str:
        """A secret for one connection, part of the address that apps.connections.open gives."""
        return self._tickets.issue(None)

    async def wait_ready(self) -> None:
        await self._ready.wait()

    async def deliver(self, kind: PayloadKind, payload: Json, attempt: Attempt) -> Json | None:
        if not self._connections:
            raise NotAcknowledged("timeout")
        connection = self._connections[0]
        self._connections.rotate(-1)
        envelope: Json = {
            "envelope_id": secrets.token_hex(16),
            "type": kind,
            "payload": payload,
            "accepts_response_payload": kind == "interactive",
        }
        if kind == "events_api":
            envelope |= {"retry_attempt": attempt.number, "retry_reason": attempt.reason}
        return await self._exchange(connection, envelope)

    async def _exchange(self, connection: Connection, envelope: Json) -> Json | None:
        answer: asyncio.Future[Json | None] = asyncio.get_running_loop().create_future()
        connection.waiting[envelope["envelope_id"]] = answer
        try:
            await connection.socket.send_json(envelope)
            return await self._clock.within(ACK_WITHIN, answer)
        except (TimeoutError, ConnectionError) as error:
            raise NotAcknowledged("timeout") from error
        finally:
            connection.waiting.pop(envelope["envelope_id"], None)

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """The WebSocket endpoint: hello, then payloads out and acknowledgements in, until either side leaves."""
        if len(self._connections) >= MAX_CONNECTIONS:
            return web.Response(status=429)
        try:
            self._tickets.redeem(request.query.get("ticket", ""), name="ticket")
        except SlackError:
            return web.Response(status=403)
        socket = web.WebSocketResponse(heartbeat=30)
        await socket.prepare(request)
        if request.transport is None:
            return socket
        connection = Connection(socket, request.transport)
        self._connections.append(connection)
        try:
            await socket.send_json(self._hello())
            # Ready only now: an envelope before the hello would break the protocol.
            self._ready.set()
            async for message in socket:
                if message.type is WSMsgType.TEXT:
                    _acknowledge(connection, message.data)
        finally:
            self._forget(connection)
        return socket

    async def refresh(self, *, reason: str = "refresh_requested") -> None:
        """Ask every connection to be replaced, as Slack does from time to time."""
        for connection in list(self._connections):
            await connection.socket.send_json({"type": "disconnect", "reason": reason, "debug_info": {}})

    def drop(self) -> None:
        """Cut every connection without a word."""
        for connection in list(self._connections):
            self._forget(connection)
            connection.transport.abort()

    def _hello(self) -> Json:
        return {
            "type": "hello",
            "num_connections": len(self._connections),
            "connection_info": {"app_id": self._app.id},
            "debug_info": {"host": "sandbox", "approximate_connection_time": 18060},
        }

    def _forget(self, connection: Connection) -> None:
        if connection in self._connections:
            self._connections.remove(connection)
        if not self._connections:
            self._ready.clear()
        for answer in connection.waiting.values():
            if not answer.done():
                answer.set_exception(ConnectionError("the socket closed"))


def _acknowledge(connection: Connection, text: str) -> None:
    message = json.loads(text)
    answer = connection.waiting.get(message.get("envelope_id", ""))
    if answer is not None and not answer.done():
        answer.set_result(message.get("payload") or None)
