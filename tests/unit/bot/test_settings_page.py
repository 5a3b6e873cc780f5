"""Every setting is on the settings page, and the page names no other."""

import re
from pathlib import Path

from pydantic import BaseModel

from bot.config import Settings

PAGE = Path(__file__).parents[3] / "docs" / "settings.md"


def names(model: type[BaseModel], prefix: str) -> set[str]:
    found: set[str] = set()
    for name, field in model.model_fields.items():
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            found |= names(field.annotation, f"{prefix}{name.upper()}__")
        else:
            found.add(str(field.validation_alias or f"{prefix}{name.upper()}"))
    return found


def test_the_page_lists_exactly_the_settings() -> None:
    listed = set(re.findall(r"^\| ([A-Z_]+) \|", PAGE.read_text("utf-8"), re.MULTILINE))
    assert listed == names(Settings, "HAITANG_")
