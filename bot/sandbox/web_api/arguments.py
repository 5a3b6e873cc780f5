"""Arguments of a Web API call, which arrive as a form, a query or JSON, and Slack's rules for reading them."""

import json
from typing import Any

from aiohttp import web

from bot.sandbox.errors import SlackError
from bot.sandbox.model import Json

NO, YES = ("false", "0", ""), ("true", "1")


class Arguments:
    """The arguments of one call, read by type; a form writes lists and objects as JSON text."""

    def __init__(self, values: Json) -> None:
        self.values = values

    @classmethod
    async def read(cls, request: web.Request) -> "Arguments":
        """Query, form or JSON body of a request. Raises invalid_form_data or json_not_object."""
        values: Json = dict(request.query)
        if request.content_type == "application/json":
            try:
                body = await request.json()
            except json.JSONDecodeError as error:
                raise SlackError("invalid_json") from error
            if not isinstance(body, dict):
                raise SlackError("json_not_object")
            values |= body
        elif request.can_read_body:
            values |= {key: value for key, value in (await request.post()).items() if isinstance(value, str)}
        return cls(values)

    def text(self, name: str, default: str = "") -> str:
        value = self.values.get(name)
        return default if value is None else str(value)

    def required(self, name: str) -> str:
        """A text that must be there. Raises invalid_arguments."""
        value = self.text(name)
        if not value:
            messages = [f"[ERROR] missing required field: {name}"]
            raise SlackError("invalid_arguments", response_metadata={"messages": messages})
        return value

    def flag(self, name: str, *, default: bool = False) -> bool:
        value = str(self.values.get(name, default)).lower()
        return value in YES if value in (*NO, *YES) else default

    def number(self, name: str, default: int) -> int:
        try:
            return int(self.values.get(name) or default)
        except ValueError as error:
            raise SlackError("invalid_arguments") from error

    def json(self, name: str, *, error: str = "invalid_arguments") -> Any:
        """A list or object, given as such or as JSON text; None when absent. Raises `error`."""
        value = self.values.get(name)
        if not isinstance(value, str):
            return value
        if not value:
            return None
        try:
            return json.loads(value)
        except json.JSONDecodeError as fault:
            raise SlackError(error) from fault

    def has(self, name: str) -> bool:
        return self.values.get(name) is not None
