"""What a Web API method is made of."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from bot.sandbox.context import Context
from bot.sandbox.model import Json
from bot.sandbox.tiers import TIER_3
from bot.sandbox.web_api.arguments import Arguments


@dataclass(frozen=True, slots=True, kw_only=True)
class Method:
    """One method: what it does, which scopes let it (any one of them), how often it may be called a minute."""

    run: Callable[[Context, Arguments], Awaitable[Json]]
    scopes: tuple[str, ...] = ()
    per_minute: int = TIER_3
    # The field that each allowance is kept for, beside the method: chat.postMessage counts per channel.
    per: str | None = None
    app_token: bool = False
