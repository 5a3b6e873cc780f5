"""What the handlers of requests work with, gathered once by the server."""

from dataclasses import dataclass, field

from bot.sandbox.clock import Clock
from bot.sandbox.delivery import Delivery
from bot.sandbox.ephemeral import Ephemerals
from bot.sandbox.events import Events
from bot.sandbox.faults import Faults
from bot.sandbox.model import Json
from bot.sandbox.rooms import Rooms
from bot.sandbox.shapes import Shapes
from bot.sandbox.socket_mode import SocketMode
from bot.sandbox.state import Workspace
from bot.sandbox.stream import Stream
from bot.sandbox.talk import Talk
from bot.sandbox.tiers import Tiers


@dataclass(slots=True, kw_only=True)
class Context:
    """The parts of one running sandbox."""

    clock: Clock
    workspace: Workspace
    shapes: Shapes
    stream: Stream
    socket_mode: SocketMode
    delivery: Delivery
    events: Events
    ephemerals: Ephemerals
    talk: Talk
    rooms: Rooms
    tiers: Tiers
    faults: Faults
    site: str
    page_cap: int
    calls: list[Json] = field(default_factory=list)
