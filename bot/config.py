"""Settings: Slack's names from the environment, ours from ``HAITANG_…`` and ``haitang.toml``.

Secrets (the three Slack tokens) come from the environment only; a secret found in the file is an error.
The order of precedence is arguments, environment, file, default.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import platformdirs
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, SecretStr, ValidationError
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict, TomlConfigSettingsSource
from pydantic_settings.exceptions import SettingsError as UnreadableValue

from permissions.roles import Place, Role, RoleRules

SECRETS = ("slack_bot_token", "slack_app_token", "slack_signing_secret")


class SettingsError(Exception):
    """A setting is wrong; the message names it, where it came from, and what it should be."""


def default_data_folder() -> Path:
    """The user's data folder; for root one outside home folders, since PostgreSQL runs there as another user."""
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        return Path("/var/lib/haitang")
    return Path(platformdirs.user_data_dir("haitang", appauthor=False))


def _with_slash(url: str) -> str:
    return url if url.endswith("/") else url + "/"


class SearchSettings(BaseModel):
    """How passages are found; the defaults are the measured ones (docs/benchmarks.md)."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    vector_weight: float | None = Field(default=None, ge=0, description="weight of the vector list in the fusion")
    full_text_weight: float | None = Field(default=None, ge=0, description="weight of the BM25 list in the fusion")


def _people_and_groups(names: tuple[str, ...]) -> tuple[str, ...]:
    if wrong := [name for name in names if not re.fullmatch(r"[UWS][A-Z0-9]{2,}", name)]:
        raise ValueError(
            f"{', '.join(wrong)} is not the id of a person (U… or W…; in Slack: Profile, More, Copy member ID) or of a "
            "user group (S…; in Slack: the end of its page's address). Give ids, names can change"
        )
    return names


Holders = Annotated[tuple[str, ...], AfterValidator(_people_and_groups)]
UsualRole = Literal[Role.READER, Role.CONTRIBUTOR]


class RoleSettings(BaseModel):
    """Who may do what, apart from what they may read."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    administrators: Holders = ()
    curators: Holders = ()
    contributors: Holders = ()
    slack_admins: bool = True
    members: UsualRole = Role.CONTRIBUTOR
    guests: UsualRole = Role.READER
    outsiders: UsualRole = Role.READER
    guests_ask: Place = Place.OWN_CHANNELS
    outsiders_ask: Place = Place.NOWHERE

    def rules(self) -> RoleRules:
        """The same in the words of permissions."""
        return RoleRules(
            listed={
                Role.ADMINISTRATOR: frozenset(self.administrators),
                Role.CURATOR: frozenset(self.curators),
                Role.CONTRIBUTOR: frozenset(self.contributors),
            },
            members=self.members,
            guests=self.guests,
            outsiders=self.outsiders,
            slack_admins=self.slack_admins,
            guests_ask=self.guests_ask,
            outsiders_ask=self.outsiders_ask,
        )


class AuditSettings(BaseModel):
    """The audit trail."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    retention_days: int = Field(default=365, ge=1, description="days after which an entry is forgotten")


class LimitSettings(BaseModel):
    """Bounds of one run and one file."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    run_seconds: float = Field(default=120, gt=0)
    file_bytes: int = Field(default=200 * 1024 * 1024, gt=0)
    parse_seconds: float = Field(default=600, gt=0)
    parse_memory_bytes: int = Field(default=3 * 1024**3, gt=0)
    membership_max_age_hours: float = Field(default=24, gt=0)


class Settings(BaseSettings):
    """Everything that can be set. ``load`` reads it; nothing else reads the environment."""

    model_config = SettingsConfigDict(env_prefix="HAITANG_", env_nested_delimiter="__", extra="forbid", frozen=True)

    slack_bot_token: SecretStr | None = Field(default=None, validation_alias="SLACK_BOT_TOKEN")
    slack_app_token: SecretStr | None = Field(default=None, validation_alias="SLACK_APP_TOKEN")
    slack_signing_secret: SecretStr | None = Field(default=None, validation_alias="SLACK_SIGNING_SECRET")
    slack_team_id: str | None = Field(
        default=None,
        validation_alias="SLACK_TEAM_ID",
        pattern=r"^T[A-Z0-9]+$",
        description="the workspace to serve, for a token of an organisation",
    )
    slack_api_url: Annotated[str, AfterValidator(_with_slash)] = Field(
        default="https://slack.com/api/", validation_alias="SLACK_API_URL"
    )
    data: Path = Field(default_factory=default_data_folder)
    host: str = "127.0.0.1"
    port: int = Field(default=8080, ge=0, le=65535, description="for /healthz, /metrics and Slack's HTTP events")
    url: str | None = Field(default=None, pattern=r"^https?://", description="where browsers reach the port")
    search: SearchSettings = SearchSettings()
    limits: LimitSettings = LimitSettings()
    roles: RoleSettings = RoleSettings()
    audit: AuditSettings = AuditSettings()

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Leave out .env files and secret folders: two places are enough to look at."""
        file = Path(os.environ.get("HAITANG_CONFIG", "haitang.toml"))
        return init_settings, env_settings, TomlConfigSettingsSource(settings_cls, toml_file=file)


def load(**overrides: Any) -> Settings:
    """Read the settings; raises SettingsError with one line per wrong setting, never with a secret's value."""
    _refuse_secrets_in_file(Path(os.environ.get("HAITANG_CONFIG", "haitang.toml")))
    _refuse_unknown_names(os.environ)
    try:
        return Settings(**overrides)
    except ValidationError as error:
        lines = [f"{'.'.join(map(str, item['loc']))}: {item['msg']}" for item in error.errors(include_input=False)]
        raise SettingsError("wrong settings:\n  " + "\n  ".join(lines)) from None
    except UnreadableValue as error:
        # The library says which table and which source, and nothing of the value.
        example = """HAITANG_ROLES__CURATORS='["U012AB3CD"]'"""
        raise SettingsError(f"wrong settings: {error}; a list is written in JSON, such as {example}") from None


def _refuse_unknown_names(environment: Mapping[str, str]) -> None:
    """A name that nothing reads is a mistake, or wishes for something that this version has not: never passed over."""
    known = {name.upper() for name in Settings.model_fields} | {"CONFIG"}
    prefix = "HAITANG_"
    names = sorted(name for name in environment if name.startswith(prefix))
    if unknown := [name for name in names if name.removeprefix(prefix).split("__")[0] not in known]:
        raise SettingsError(
            f"there is no setting {', '.join(unknown)}: docs/settings.md lists all. "
            "This version keeps everything in the stores of HAITANG_DATA; it works with no server beside it."
        )


def _refuse_secrets_in_file(file: Path) -> None:
    if not file.is_file():
        return
    try:
        names = {name.lower() for name in tomllib.loads(file.read_text("utf-8"))}
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"{file}: not a TOML file: {error}") from None
    if found := sorted(names & set(SECRETS)):
        raise SettingsError(
            f"{file}: {', '.join(found)} must come from the environment, not from a file: "
            f"remove it there and set {found[0].upper()}"
        )
