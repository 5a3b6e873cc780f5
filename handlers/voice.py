"""Voice clips: a clip is a question that is spoken."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def is_voice_clip(file: Mapping[str, Any]) -> bool:
    """Whether Slack's recorder made it. Slack labels clips video/mp4 or video/webm at times, so the type says nothing;
    a video clip of Slack's recorder has a subtype of its own."""
    if file.get("subtype") == "slack_audio":
        return True
    return not file.get("subtype") and str(file.get("name") or "").startswith("audio_message")


def complete_transcript(file: Mapping[str, Any]) -> str | None:
    """Slack's own transcript when the file object holds all of it, None when it must be heard by ourselves."""
    transcription = file.get("transcription") or {}
    preview = transcription.get("preview") or {}
    if transcription.get("status") != "complete" or preview.get("has_more"):
        return None
    return str(preview.get("content") or "").strip() or None
