"""What goes wrong, in Slack's words for the app and in plain words for the page."""

from bot.sandbox.model import Json


class SlackError(Exception):
    """An `ok: false` answer: `error` is Slack's name for it, `extra` the fields that come with it."""

    def __init__(self, error: str, message: str = "", **extra: object) -> None:
        super().__init__(message or error)
        self.error = error
        self.message = message or error.replace("_", " ")
        self.extra = extra

    def body(self) -> Json:
        return {"ok": False, "error": self.error, **self.extra}


def invalid_blocks(*reasons: str) -> SlackError:
    """`invalid_blocks` with its reasons, as Slack lists them in response_metadata."""
    return SlackError("invalid_blocks", response_metadata={"messages": [f"[ERROR] {reason}" for reason in reasons]})
