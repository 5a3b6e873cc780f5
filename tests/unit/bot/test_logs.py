"""What is logged, and what is not."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator

import pytest
import structlog

from bot import logs


@pytest.fixture
def _restored() -> Iterator[None]:
    """Logging as the other tests know it, afterwards."""
    root, before = logging.getLogger(), structlog.get_config()
    handlers, level = list(root.handlers), root.level
    yield
    structlog.configure(**before)
    root.handlers[:] = handlers
    root.setLevel(level)


@pytest.mark.usefixtures("_restored")
@pytest.mark.parametrize("is_terminal", [True, False])
def test_a_traceback_shows_no_values_of_variables(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], is_terminal: bool
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: is_terminal)
    logs.configure()
    question = "what does Lin " + "earn?"
    try:
        raise ValueError(len(question))  # noqa: TRY301 - the place is the point
    except ValueError:
        structlog.get_logger().exception("run_failed")
    shown = capsys.readouterr().err
    assert "run_failed" in shown
    assert "test_logs.py" in shown
    assert question not in shown
