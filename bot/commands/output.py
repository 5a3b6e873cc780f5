"""How commands speak: one JSON document or plain lines on stdout, everything else on stderr."""

from __future__ import annotations

import json
import sys
from typing import Any


class Misused(Exception):
    """The command was called wrongly; exit code 2."""


class Declined(Exception):
    """The command understood and can't do it; exit code 1. The message names the cause and the remedy."""


class Console:
    """Where a command's result and its remarks go."""

    def __init__(self, *, as_json: bool) -> None:
        self.as_json = as_json

    def result(self, document: Any, lines: list[str]) -> None:
        """Print the result: ``document`` as JSON when that was asked for, else ``lines``."""
        text = json.dumps(document, ensure_ascii=False, indent=2) if self.as_json else "\n".join(lines)
        sys.stdout.write(text + "\n")
        sys.stdout.flush()

    def say(self, remark: str) -> None:
        """Print a remark or a step of progress on stderr."""
        sys.stderr.write(remark + "\n")
        sys.stderr.flush()
