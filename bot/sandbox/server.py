"""The local Slack workspace as one server: Web API, Socket Mode, control API and page, on the loopback alone."""

import asyncio
import socket
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from urllib.parse import urlsplit

from aiohttp import web
from aiohttp.typedefs import Handler, Middleware

from bot.sandbox import downloads, responses
from bot.sandbox.clock import Clock
from bot.sandbox.context import Context
from bot.sandbox.control import administering, files, people, pressing, streaming, talking, trouble, who
from bot.sandbox.delivery import Delivery
from bot.sandbox.ephemeral import Ephemerals
from bot.sandbox.events import Events
from bot.sandbox.faults import Faults
from bot.sandbox.interactions import Interactions
from bot.sandbox.journal import Journal
from bot.sandbox.manifest import Manifest, installed
from bot.sandbox.rooms import Rooms
from bot.sandbox.shapes import MOST_SHARES, Shapes
from bot.sandbox.socket_mode import SocketMode
from bot.sandbox.state import TEAM, Workspace
from bot.sandbox.stream import Stream
from bot.sandbox.talk import Talk
from bot.sandbox.tickets import Tickets
from bot.sandbox.tiers import Tiers
from bot.sandbox.uploads import Uploads
from bot.sandbox.web_api import files as upload_api
from bot.sandbox.web_api.dispatch import WebApi

HOST = "127.0.0.1"
# How long addresses of uploads and downloads work, in seconds, and how often a download's may be used.
LINKS_LAST, DOWNLOADS = 300.0, 10
PAGE = Path(__file__).parent / "page"


class Sandbox:
    """A Slack workspace on this machine. Without `data` it forgets everything at the end.

    `manifest` is what the app was installed with, by default the one that comes with the bot. `rates` is the time that
    Slack's tiers are counted in, by default `clock`: a caller may let it run faster. `enterprise`: the app is
    installed in this organisation as a whole.
    """

    def __init__(
        self,
        *,
        data: Path | None = None,
        port: int = 0,
        clock: Clock | None = None,
        rates: Clock | None = None,
        team: str = TEAM,
        enterprise: str | None = None,
        manifest: Manifest | None = None,
        page_cap: int = 1_000,
        most_shares: int = MOST_SHARES,
    ) -> None:
        self._data = data
        self._port = port
        self._clock = clock or Clock()
        self._rates = rates or self._clock
        self._team = team
        self._enterprise = enterprise
        self._manifest = manifest
        self._page_cap = page_cap
        self._most_shares = most_shares
        self._temporary: TemporaryDirectory[str] | None = None
        self._runners: list[web.AppRunner] = []
        self._context: Context | None = None

    @property
    def context(self) -> Context:
        if self._context is None:
            raise RuntimeError("open() comes first")
        return self._context

    @property
    def site(self) -> str:
        """The server's address, without a final slash."""
        return self.context.site

    @property
    def page_url(self) -> str:
        return f"{self.context.site}/"

    @property
    def api_url(self) -> str:
        return f"{self.context.site}/api/"

    @property
    def bot_token(self) -> str:
        return self.context.workspace.app.bot_token

    @property
    def app_token(self) -> str:
        return self.context.workspace.app.app_token

    @property
    def signing_secret(self) -> str:
        return self.context.workspace.app.signing_secret

    async def __aenter__(self) -> "Sandbox":
        await self.open()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.aclose()

    async def open(self) -> None:
        """Take up the workspace and listen. Raises OSError when the port is taken."""
        folder = await asyncio.to_thread(self._make_folder)
        listening = socket.create_server((HOST, self._port))
        site = f"http://{HOST}:{listening.getsockname()[1]}"
        journal = Journal(self._data / "workspace.sqlite3" if self._data else None)
        workspace = Workspace(
            journal=journal, folder=folder, clock=self._clock, team=self._team, enterprise=self._enterprise
        )
        await workspace.open()
        # The second host differs by name and port, as Slack's CDN differs from Slack.
        second = socket.create_server((HOST, 0))
        second_host = f"http://localhost:{second.getsockname()[1]}"
        manifest = self._manifest if self._manifest is not None else await asyncio.to_thread(installed)
        self._context = _assemble(
            workspace,
            manifest=manifest,
            clock=self._clock,
            rates=self._rates,
            site=site,
            second_host=second_host,
            page_cap=self._page_cap,
            most_shares=self._most_shares,
        )
        await self._serve(_application(self._context), listening)
        await self._serve(_second_application(self._context), second)

    async def aclose(self) -> None:
        """Stop listening, end every connection, write what is unwritten."""
        self.context.stream.aclose()
        self.context.socket_mode.drop()
        await self.context.delivery.aclose()
        for runner in self._runners:
            await runner.cleanup()
        await self.context.workspace.aclose()
        if self._temporary is not None:
            await asyncio.to_thread(self._temporary.cleanup)

    async def _serve(self, application: web.Application, listening: socket.socket) -> None:
        runner = web.AppRunner(application, access_log=None, shutdown_timeout=1)
        await runner.setup()
        self._runners.append(runner)
        await web.SockSite(runner, listening).start()

    def _make_folder(self) -> Path:
        if self._data is None:
            self._temporary = TemporaryDirectory(prefix="haitang-sandbox-")
            return Path(self._temporary.name)
        folder = self._data / "files"
        folder.mkdir(parents=True, exist_ok=True)
        return folder


def _assemble(
    workspace: Workspace,
    *,
    manifest: Manifest,
    clock: Clock,
    rates: Clock,
    site: str,
    second_host: str,
    page_cap: int,
    most_shares: int,
) -> Context:
    stream = Stream(workspace.people.get)
    shapes = Shapes(workspace=workspace, site=site, most_shares=most_shares)
    socket_mode = SocketMode(app=workspace.app, clock=clock)
    delivery = Delivery(app=workspace.app, manifest=manifest, transport=socket_mode, clock=clock)
    ephemerals = Ephemerals()
    faults = Faults(set(manifest.scopes))
    events = Events(
        workspace=workspace, shapes=shapes, delivery=delivery, stream=stream, ephemerals=ephemerals, faults=faults
    )
    talk = Talk(workspace=workspace, events=events)
    return Context(
        clock=clock,
        workspace=workspace,
        shapes=shapes,
        stream=stream,
        socket_mode=socket_mode,
        delivery=delivery,
        events=events,
        ephemerals=ephemerals,
        talk=talk,
        rooms=Rooms(workspace=workspace, events=events, talk=talk),
        uploads=Uploads(workspace=workspace, events=events, talk=talk, clock=clock),
        interactions=Interactions(
            workspace=workspace, shapes=shapes, events=events, delivery=delivery, clock=clock, site=site
        ),
        upload_tickets=Tickets(clock=clock, lasts=LINKS_LAST, uses=1),
        download_tickets=Tickets(clock=clock, lasts=LINKS_LAST, uses=DOWNLOADS),
        tiers=Tiers(rates),
        faults=faults,
        site=site,
        second_host=second_host,
        page_cap=page_cap,
    )


def _application(context: Context) -> web.Application:
    application = web.Application(middlewares=[_guard(context), _keep(context)], client_max_size=2**20)
    application.on_response_prepare.append(_add_security_headers)
    api = WebApi(context)
    application.router.add_route("*", "/api/{method}", api.handle)
    application.router.add_get("/link", context.socket_mode.handle)
    application.router.add_get("/control/stream", partial(streaming.stream, context))
    for name, receive in (("upload", files.upload), ("record", files.record), ("upload_version", files.upload_version)):
        application.router.add_post(f"/control/{name}", partial(receive, context))
    application.router.add_get("/control/files/{file}", partial(downloads.for_person, context))
    application.router.add_post("/upload/{ticket}", partial(upload_api.receive, context))
    application.router.add_post("/actions/{ticket}", partial(responses.respond, context))
    for address in ("/files-pri/{team}-{file}/{name}", "/files-pri/{team}-{file}/download/{name}"):
        application.router.add_get(address, partial(downloads.private, context))
    acts = {**talking.ACTS, **people.ACTS, **administering.ACTS, **files.ACTS, **pressing.ACTS, **trouble.ACTS}
    for (verb, name), act in acts.items():
        application.router.add_route(verb, f"/control/{name}", who.answer(context, act))
    for address in ("/", "/files/{file}", "/archives/{conversation}/{message}"):
        application.router.add_get(address, _page)
    if PAGE.is_dir():
        application.router.add_static("/", PAGE)
    return application


def _second_application(context: Context) -> web.Application:
    application = web.Application()
    application.router.add_get("/{ticket}/{name}", partial(downloads.second_host, context))
    return application


async def _page(_: web.Request) -> web.StreamResponse:
    return web.FileResponse(PAGE / "index.html")


# The page may load from its own server alone, and nobody may frame it.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self' data: blob:; "
    "media-src 'self' blob:; connect-src 'self' ws://{host}; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


async def _add_security_headers(request: web.Request, response: web.StreamResponse) -> None:
    response.headers.setdefault("Content-Security-Policy", POLICY.format(host=request.host))
    response.headers.setdefault("X-Content-Type-Options", "nosniff")
    response.headers.setdefault("Cross-Origin-Resource-Policy", "same-origin")
    response.headers.setdefault("Referrer-Policy", "no-referrer")


def _guard(context: Context) -> Middleware:
    """Only this machine's own pages and programs: a foreign Host or Origin is turned away (DNS rebinding, CSRF)."""
    port = urlsplit(context.site).port
    hosts = {f"{HOST}:{port}", f"localhost:{port}"}

    @web.middleware
    async def guard(request: web.Request, handler: Handler) -> web.StreamResponse:
        origin = request.headers.get("Origin")
        if request.host not in hosts or (origin is not None and origin != f"http://{request.host}"):
            return web.json_response({"ok": False, "error": "not_allowed", "message": "Not from here."}, status=403)
        return await handler(request)

    return guard


def _keep(context: Context) -> Middleware:
    """What a call was told is done must survive: the answer waits for the journal."""

    @web.middleware
    async def keep(request: web.Request, handler: Handler) -> web.StreamResponse:
        response = await handler(request)
        if request.method == "POST":
            await context.workspace.kept()
        return response

    return keep
