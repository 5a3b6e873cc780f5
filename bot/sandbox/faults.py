"""Trouble on demand: what tests ask the sandbox to do wrong."""

from dataclasses import dataclass, field

from bot.sandbox.model import Json


@dataclass(slots=True)
class MethodFault:
    """The next `times` calls of a method (`*`: of any) fail: with Slack's `error`, an HTTP status, 429 and
    `retry_after`, an `html` page in place of JSON, or no answer at all (`hang`). `loop`: a list begins anew."""

    method: str
    times: int = 1
    error: str | None = None
    http: int | None = None
    retry_after: int | None = None
    html: bool = False
    hang: bool = False
    loop: bool = False


@dataclass(slots=True)
class Faults:
    """The trouble that waits to happen, and the scopes the bot token still has."""

    scopes: set[str]
    methods: list[MethodFault] = field(default_factory=list)

    def next(self, method: str) -> MethodFault | None:
        """The fault for this call of a method, used up by it."""
        fault = next((one for one in self.methods if one.method in (method, "*")), None)
        if fault is not None:
            fault.times -= 1
            if fault.times <= 0:
                self.methods.remove(fault)
        return fault

    def clear(self) -> None:
        """All trouble is over, but scopes that were revoked stay so."""
        self.methods.clear()

    def ask(self, wanted: Json) -> None:
        """Take up a method fault as the control API writes it."""
        self.methods.append(MethodFault(**wanted))
