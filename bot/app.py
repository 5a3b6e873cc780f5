"""The bot's side of Slack: one bolt app, fed by Socket Mode or by signed HTTP requests."""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping
from datetime import datetime
from functools import partial
from typing import Any

import aiohttp
import structlog
from aiohttp import web
from slack_bolt.adapter.aiohttp import to_aiohttp_response, to_bolt_request
from slack_bolt.adapter.socket_mode.aiohttp import AsyncSocketModeHandler
from slack_bolt.async_app import AsyncApp
from slack_bolt.authorization import AuthorizeResult
from slack_bolt.context.ack.async_ack import AsyncAck
from slack_bolt.middleware.async_middleware import AsyncMiddleware
from slack_bolt.request.async_request import AsyncBoltRequest
from slack_bolt.response import BoltResponse
from slack_sdk.web.async_client import AsyncWebClient

from bot.config import SettingsError
from handlers.access import FORGET_ACTION, WHO_ACTION, WHO_SHORTCUT, AccessActions
from handlers.actions import Actions
from handlers.adapters.slack import CALL_TIMEOUT_S, bypasses_proxy, patient_call
from handlers.arrival import Arrival, Identity
from handlers.citations import LINK_ACTION, OPEN_ACTION
from handlers.clicks import KINDS, Clicks
from handlers.home import PAGE_ACTION, Home
from handlers.intake import Intake
from handlers.ports import (
    Citations,
    Contributions,
    Library,
    Memberships,
    Messages,
    PrivateAnswers,
    Questions,
    Uploads,
)
from handlers.render import AGAIN_ACTION, PRIVATE_ACTION, RETRY_ACTION, STOP_ACTION
from permissions.audit import Audit

log = structlog.get_logger()

EVENTS_PATH = "/slack/events"
START_PATIENCE_S = 20.0
PING_S = 5.0
"""Seconds between Socket Mode pings; a dropped socket is replaced within about as long."""
LARGEST_REQUEST = 2**20


class SlackApp:
    """Receives what Slack sends: ``open()``, then ``connect()`` (Socket Mode) or ``listen()`` (HTTP), ``aclose()``."""

    def __init__(
        self,
        *,
        client: AsyncWebClient,
        questions: Questions,
        private: PrivateAnswers,
        contributions: Contributions,
        uploads: Uploads,
        citations: Citations,
        library: Library,
        memberships: Memberships,
        messages: Messages,
        audit: Audit,
        now: Callable[[], datetime],
        team: str | None = None,
        app_token: str | None = None,
        signing_secret: str | None = None,
        ping_s: float = PING_S,
    ) -> None:
        """``now`` is aware UTC. Socket Mode needs ``app_token``, HTTP ``signing_secret``.

        ``team`` is the workspace to serve, which an organisation's token does not name.
        """
        self._client = client
        self._team = team
        self._app_token = app_token
        self._signing_secret = signing_secret
        self._ping_s = ping_s
        self._intake = Intake(
            questions=questions,
            contributions=contributions,
            uploads=uploads,
            memberships=memberships,
            messages=messages,
            clock=time.monotonic,
        )
        self._library = library
        self._messages = messages
        self._now = now
        self._home: Home | None = None
        self._clicks_in = partial(Clicks, audit=audit, messages=messages)
        self._actions_in = partial(
            Actions, questions=questions, private=private, citations=citations, messages=messages, now=now
        )
        self._session: aiohttp.ClientSession | None = None
        self._identity: Identity | None = None
        self._bolt: AsyncApp | None = None
        self._socket: AsyncSocketModeHandler | None = None
        self._runner: web.AppRunner | None = None
        self._acting = 0

    @property
    def is_acting(self) -> bool:
        """Whether a click that was acknowledged is still being acted on."""
        return self._acting > 0 or (self._home is not None and self._home.is_drawing)

    @property
    def identity(self) -> Identity:
        """Who the bot is; known after ``open()``."""
        if self._identity is None:
            raise RuntimeError("open() comes first")
        return self._identity

    async def open(self) -> None:
        """Ask Slack who we are, before any event.

        Raises a SlackError (NotAuthorised: the token is not accepted), and SettingsError when nobody says which
        workspace of an organisation is to be served.
        """
        if self._client.session is None:
            # slack_sdk opens a connection for every call unless it is given a session.
            self._session = aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=CALL_TIMEOUT_S))
            self._client.session = self._session
        try:
            data = await patient_call("auth.test", self._client.auth_test, patience_s=START_PATIENCE_S)
            team = self._served(data)
        except BaseException:
            await self._close_session()
            raise
        self._identity = Identity(
            team=team,
            user=str(data["user_id"]),
            bot=str(data.get("bot_id") or ""),
            name=str(data.get("user") or ""),
        )
        self._bolt = self._build(self._identity)
        log.info("slack_known", team=self._identity.team, bot=self._identity.user)

    def _served(self, data: Mapping[str, Any]) -> str:
        if data.get("is_enterprise_install") and self._team is None:
            raise SettingsError("the token is an organisation's: set SLACK_TEAM_ID to the workspace (T…) to be served")
        return self._team or str(data["team_id"])

    async def connect(self) -> None:
        """Receive by Socket Mode from now on; returns when connected, and reconnects by itself.

        Raises a SlackError when the app token is not accepted.
        """
        if self._app_token is None:
            raise ValueError("Socket Mode needs SLACK_APP_TOKEN")
        token = self._app_token
        opened = await patient_call(
            "apps.connections.open",
            lambda: self._client.apps_connections_open(app_token=token),
            patience_s=START_PATIENCE_S,
        )
        socket = AsyncSocketModeHandler(
            self._opened(), token, web_client=self._client, ping_interval=self._ping_s, logger=_quiet()
        )
        if bypasses_proxy(self._client.base_url):
            socket.client.proxy = None
        socket.client.wss_uri = str(opened["url"])
        self._socket = socket
        await socket.connect_async()  # type: ignore[no-untyped-call]  # bolt has no annotation here

    async def listen(self, *, host: str, port: int, extra: Iterable[web.AbstractRouteDef] = ()) -> int:
        """Receive signed requests at EVENTS_PATH, and serve ``extra`` routes beside; returns the port (0 picks one).

        Raises OSError when the port is taken.
        """
        if not self._signing_secret:
            raise ValueError("events over HTTP need SLACK_SIGNING_SECRET")
        application = web.Application(client_max_size=LARGEST_REQUEST)
        application.router.add_post(EVENTS_PATH, self._receive)
        application.router.add_routes(extra)
        self._runner = web.AppRunner(application, access_log=None, shutdown_timeout=5)
        await self._runner.setup()
        site = web.TCPSite(self._runner, host, port)
        await site.start()
        return int(self._runner.addresses[0][1])

    async def aclose(self) -> None:
        """Take in nothing more, let what is being taken in finish, end the connections."""
        if self._socket is not None:
            await self._socket.close_async()  # type: ignore[no-untyped-call]  # bolt has no annotation here
        if self._runner is not None:
            await self._runner.cleanup()
        await self._intake.aclose()
        if self._home is not None:
            await self._home.aclose()
        await self._close_session()

    async def _receive(self, request: web.Request) -> web.Response:
        return await to_aiohttp_response(await self._opened().async_dispatch(await to_bolt_request(request)))

    def _opened(self) -> AsyncApp:
        if self._bolt is None:
            raise RuntimeError("open() comes first")
        return self._bolt

    async def _close_session(self) -> None:
        if self._session is not None:
            await self._session.close()
            self._session, self._client.session = None, None

    def _build(self, identity: Identity) -> AsyncApp:
        async def authorize(**_: object) -> AuthorizeResult:
            # From open(): bolt would ask auth.test at the first event, and answer 200 (event lost) when that fails.
            return AuthorizeResult(
                enterprise_id=None,
                team_id=identity.team,
                bot_user_id=identity.user,
                bot_id=identity.bot,
                bot_token=self._client.token,
            )

        logger = _quiet()
        # Bolt warns that it ignores the token where authorize is given: it does, and that is the intention.
        logger.setLevel(logging.ERROR)
        app = AsyncApp(
            client=self._client,
            authorize=authorize,
            signing_secret=self._signing_secret or "",
            request_verification_enabled=bool(self._signing_secret),
            ignoring_self_events_enabled=False,
            attaching_conversation_kwargs_enabled=False,
            logger=logger,
        )
        logger.setLevel(logging.WARNING)
        team, messages = identity.team, self._messages
        home = self._home = Home(library=self._library, messages=messages, team=team, now=self._now)
        access = AccessActions(library=self._library, messages=messages, team=team, redraw=home.draw)
        app.use(AcceptEvents(self._intake, identity, home))
        clicks = self._clicks_in(team=team)
        actions = self._actions_in(team=team, clicks=clicks)
        app.use(NoteClicks(clicks))
        app.action(OPEN_ACTION)(self._acknowledged(actions.open_citation))
        app.action(STOP_ACTION)(self._acknowledged(actions.stop))
        app.action(RETRY_ACTION)(self._acknowledged(actions.retry))
        app.action(AGAIN_ACTION)(self._acknowledged(actions.ask_again))
        app.action(PRIVATE_ACTION)(self._acknowledged(actions.answer_privately))
        app.action(WHO_ACTION)(self._acknowledged(access.who))
        app.shortcut(WHO_SHORTCUT)(self._acknowledged(access.who_of_message))
        app.action(FORGET_ACTION)(self._acknowledged(access.forget))
        app.action(re.compile(f"^{PAGE_ACTION}:"))(self._acknowledged(home.turn))
        app.action(LINK_ACTION)(self._acknowledged(_nothing_more))
        return app

    def _acknowledged(self, act: Callable[[Mapping[str, Any]], Awaitable[None]]) -> Callable[..., Awaitable[None]]:
        """A listener that acknowledges at once and then acts: interactive payloads are delivered once only."""

        async def listener(ack: AsyncAck, body: dict[str, Any]) -> None:
            self._acting += 1
            try:
                await ack()
                await act(body)
            finally:
                self._acting -= 1

        return listener


class AcceptEvents(AsyncMiddleware):
    """Events are accepted here and not by listeners: bolt acknowledges before a listener has finished, whereas what a
    middleware raises becomes a 500 (no acknowledgement over the socket), and Slack delivers again."""

    def __init__(self, intake: Intake, identity: Identity, home: Home) -> None:
        self._intake = intake
        self._identity = identity
        self._home = home

    async def async_process(
        self,
        *,
        req: AsyncBoltRequest,
        resp: BoltResponse,
        next: Callable[[], Awaitable[BoltResponse]],  # noqa: A002
    ) -> BoltResponse | None:
        kind = req.body.get("type")
        if kind == "app_rate_limited":
            # Over 30,000 events an hour Slack holds the rest back and says so in this way alone.
            log.warning("slack_holds_events_back", minute=req.body.get("minute_rate_limited"))
        elif kind == "event_callback":
            await self._intake.accept(req.body, self._identity)
            self._home_opened(req.body)
        else:
            return await next()
        return BoltResponse(status=200, body="")

    def _home_opened(self, body: Mapping[str, Any]) -> None:
        """Nothing has to be kept of it: whoever opens App Home again has it drawn again."""
        arrival = Arrival.of(body, self._identity)
        event = arrival.event
        if arrival.is_ours and event.get("type") == "app_home_opened" and event.get("tab") == "home":
            self._home.opened(str(event["user"]))


class NoteClicks(AsyncMiddleware):
    """Clicks are noted here, before any listener: none can be added that would not be."""

    def __init__(self, clicks: Clicks) -> None:
        self._clicks = clicks

    async def async_process(
        self,
        *,
        req: AsyncBoltRequest,
        resp: BoltResponse,
        next: Callable[[], Awaitable[BoltResponse]],  # noqa: A002
    ) -> BoltResponse | None:
        is_click = req.body.get("type") in KINDS
        if is_click and not await self._clicks.note(req.body):
            return BoltResponse(status=200, body="")
        return await next()


async def _nothing_more(_: Mapping[str, Any]) -> None:
    """A click on a link button: Slack opens the link and tells us; there is nothing to do."""


def _quiet() -> logging.Logger:
    """Bolt's and the SDK's own log, from warnings on: their debug lines hold people's words."""
    logger = logging.getLogger("haitang.slack")
    logger.setLevel(logging.WARNING)
    return logger
