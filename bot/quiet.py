"""Keeps libraries from writing outside the data folder and from calling home; call before importing them."""

from __future__ import annotations

import os
import warnings


def before_imports() -> None:
    """Set the switches that libraries read once, at import (docs/adr/0003-nothing-leaves-the-machine.md)."""
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    os.environ["HF_HUB_OFFLINE"] = "1"
    os.environ["LANGSMITH_TRACING"] = os.environ.get("LANGSMITH_TRACING", "false")
    # pydub looks for the ffmpeg program, which we never use: PyAV decodes.
    warnings.filterwarnings("ignore", message="Couldn't find ff", category=RuntimeWarning)
