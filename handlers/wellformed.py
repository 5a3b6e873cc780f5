"""What JSON can carry and no database keeps: NUL characters and lone surrogates."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

_UNSTORABLE = re.compile(r"[\x00\ud800-\udfff]")


def wellformed(value: Any) -> Any:
    """JSON with U+FFFD in the place of every such character, at whatever depth."""
    if isinstance(value, str):
        return _UNSTORABLE.sub("\ufffd", value)
    if isinstance(value, Mapping):
        return {wellformed(key): wellformed(item) for key, item in value.items()}
    return [wellformed(item) for item in value] if isinstance(value, list) else value
