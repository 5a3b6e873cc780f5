"""GET /control/stream: the changes that a person may see, as they happen."""

import asyncio

from aiohttp import web

from bot.sandbox.context import Context
from bot.sandbox.control import who
from bot.sandbox.errors import SlackError
from bot.sandbox.stream import Listener


async def stream(context: Context, request: web.Request) -> web.StreamResponse:
    """A WebSocket that carries one JSON object per change until either side leaves."""
    try:
        reader = who.person(context, dict(request.query))
    except SlackError as error:
        return who.refused(error)
    socket = web.WebSocketResponse(heartbeat=30)
    listener = context.stream.listen(reader.id)
    await socket.prepare(request)
    sender = asyncio.create_task(_send(socket, listener), name=f"sandbox-stream-{reader.id}")
    try:
        # The page sends nothing: reading only notices that it has gone.
        async for _ in socket:
            pass
    finally:
        context.stream.leave(listener)
        sender.cancel()
        await asyncio.gather(sender, return_exceptions=True)
    return socket


async def _send(socket: web.WebSocketResponse, listener: Listener) -> None:
    while (change := await listener.queue.get()) is not None:
        await socket.send_json(change)
    await socket.close()
