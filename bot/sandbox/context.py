"""What the handlers of requests work with, gathered once by the server."""

from dataclasses import dataclass, field

from bot.sandbox.clock import Clock
from bot.sandbox.delivery import Delivery
from bot.sandbox.ephemeral import Ephemerals
from bot.sandbox.events import Events
from bot.sandbox.faults import Faults
from bot.sandbox.interactions import Interactions
from bot.sandbox.model import Download, Json
from bot.sandbox.rooms import Rooms
from bot.sandbox.shapes import Shapes
from bot.sandbox.socket_mode import SocketMode
from bot.sandbox.state import Workspace
from bot.sandbox.stream import Stream
from bot.sandbox.talk import Talk
from bot.sandbox.tickets import Tickets
from bot.sandbox.tiers import Tiers
from bot.sandbox.uploads import Uploads


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
    uploads: Uploads
    interactions: Interactions
    # Upload addresses (the file that is to come) and links to the second host (a Download).
    upload_tickets: Tickets[str]
    download_tickets: Tickets[Download]
    tiers: Tiers
    faults: Faults
    site: str
    second_host: str
    page_cap: int
    calls: list[Json] = field(default_factory=list)
    # Paths of the second host where the bot's token arrived, which must never happen.
    leaked_tokens: list[str] = field(default_factory=list)
