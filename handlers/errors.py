"""What can go wrong with Slack, as one tree. Adapters translate into it once; services decide by type.

SlackError
├── RateLimited      too many calls; wait ``retry_after`` seconds
├── Unreachable      no answer: network, time-out, Slack's own 5xx
├── Gone             the message, thread, file or conversation is not there (any more), or the bot is not in it
├── NotEditable      the message is there but can't be edited
├── TooLong          text or blocks are over Slack's limits
├── MissingScope     the app lacks a permission; ``needed`` names it
├── NotAuthorised    the token is wrong, revoked or the account inactive
├── HtmlInstead      a web page came in place of a file
├── TooBig           a file is over the limit that the caller gave
└── Refused          any other ``ok:false``
NotDelivered         a reply's final state could not be shown anywhere
"""

from __future__ import annotations


class SlackError(Exception):
    """A call to Slack failed; ``error`` is Slack's own word for it, ``method`` the call."""

    def __init__(self, error: str, *, method: str = "") -> None:
        super().__init__(f"{method}: {error}" if method else error)
        self.error = error
        self.method = method


class RateLimited(SlackError):
    """Slack asks to wait ``retry_after`` seconds before this method is called again."""

    def __init__(self, *, method: str, retry_after: float) -> None:
        super().__init__("ratelimited", method=method)
        self.retry_after = retry_after


class Unreachable(SlackError):
    """Slack did not answer, or answered that it is in trouble; the call may or may not have taken effect."""


class Gone(SlackError):
    """What the call names is not there for the bot."""


class NotEditable(SlackError):
    """The message can't be edited: not ours, too old, or being streamed."""


class TooLong(SlackError):
    """The text or the blocks are over Slack's limits, or a block is not accepted."""


class MissingScope(SlackError):
    """The app was installed without a permission that the call needs."""

    def __init__(self, *, method: str, needed: str) -> None:
        super().__init__(f"missing_scope ({needed})", method=method)
        self.needed = needed


class NotAuthorised(SlackError):
    """Slack does not accept the token."""


class HtmlInstead(SlackError):
    """A download gave a web page: Slack's login, which it sends with 200 when ``files:read`` is missing."""


class TooBig(SlackError):
    """A file has more than ``limit`` bytes."""

    def __init__(self, size: int, limit: int) -> None:
        super().__init__("too_large", method="download")
        self.size = size
        self.limit = limit


class Refused(SlackError):
    """Slack says no for another reason."""


class NotDelivered(Exception):
    """The final state of a reply could not be shown anywhere; the cause is the last :class:`SlackError`."""
