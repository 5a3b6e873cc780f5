"""Settings: precedence, secrets from the environment alone, and messages that name the setting."""

from pathlib import Path

import pytest

from bot.config import SettingsError, load
from permissions.roles import Place, Role


@pytest.fixture(autouse=True)
def _clean(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("SLACK_BOT_TOKEN", "SLACK_API_URL", "HAITANG_DATA", "HAITANG_PORT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HAITANG_CONFIG", str(tmp_path / "haitang.toml"))


def test_the_environment_wins_over_the_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "haitang.toml").write_text("port = 9001\n[limits]\nrun_seconds = 60\n")
    monkeypatch.setenv("HAITANG_PORT", "9002")
    settings = load()
    assert (settings.port, settings.limits.run_seconds) == (9002, 60)


def test_nested_settings_can_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HAITANG_LIMITS__RUN_SECONDS", "7")
    assert load().limits.run_seconds == 7


def test_a_list_in_the_environment_is_json(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HAITANG_ROLES__CURATORS", '["U012AB3CD"]')
    assert load().roles.curators == ("U012AB3CD",)
    monkeypatch.setenv("HAITANG_ROLES__CURATORS", "U012AB3CD,U012AB3CE")
    with pytest.raises(SettingsError, match=r'"roles".*a list is written in JSON'):
        load()


@pytest.mark.parametrize("name", ["HAITANG_DATABASE_URL", "HAITANG_DATTA", "HAITANG_"])
def test_a_name_that_is_no_setting_is_refused(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(name, "postgresql://db.example.com")
    with pytest.raises(SettingsError, match=name) as error:
        load()
    assert "example.com" not in str(error.value)


def test_the_api_url_ends_with_a_slash(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLACK_API_URL", "http://127.0.0.1:1/api")
    assert load().slack_api_url == "http://127.0.0.1:1/api/"


def test_a_secret_in_the_file_is_refused_without_showing_it(tmp_path: Path) -> None:
    (tmp_path / "haitang.toml").write_text('slack_bot_token = "xoxb-planted"\n')
    with pytest.raises(SettingsError, match="SLACK_BOT_TOKEN") as error:
        load()
    assert "planted" not in str(error.value)


def test_a_secret_is_not_in_the_representation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLACK_BOT_TOKEN", "xoxb-planted")
    assert "planted" not in repr(load())


@pytest.mark.parametrize(("content", "named"), [("prot = 1\n", "prot"), ("port = 'x'\n", "port"), ("[[", "TOML")])
def test_a_wrong_setting_is_named(tmp_path: Path, content: str, named: str) -> None:
    (tmp_path / "haitang.toml").write_text(content)
    with pytest.raises(SettingsError, match=named):
        load()


def test_roles_and_retention_are_set_in_the_file(tmp_path: Path) -> None:
    (tmp_path / "haitang.toml").write_text(
        '[roles]\nadministrators = ["U012AB3CD", "S0614TZR7"]\nguests_ask = "nowhere"\n[audit]\nretention_days = 30\n'
    )
    settings = load()
    rules = settings.roles.rules()
    assert rules.listed[Role.ADMINISTRATOR] == {"U012AB3CD", "S0614TZR7"}
    assert rules.guests_ask is Place.NOWHERE
    assert settings.audit.retention_days == 30


@pytest.mark.parametrize(
    ("content", "cause", "remedy"),
    [
        ('administrators = ["lin.mei"]', "lin.mei", "Copy member ID"),
        ('members = "curator"', "roles.members", "'contributor'"),
        ('guests_ask = "here"', "roles.guests_ask", "'own_channels'"),
        ('admins = ["U012AB3CD"]', "roles.admins", "not permitted"),
    ],
)
def test_a_wrong_role_is_named_with_what_is_right(tmp_path: Path, content: str, cause: str, remedy: str) -> None:
    (tmp_path / "haitang.toml").write_text(f"[roles]\n{content}\n")
    with pytest.raises(SettingsError, match=cause) as error:
        load()
    assert remedy in str(error.value)
