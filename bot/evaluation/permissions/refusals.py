"""The reasons that the bot gives people, told by the sentences that they read."""

from __future__ import annotations

from bot.agent.texts import LIMITS
from bot.sandbox.model import Json
from handlers.citations import refused_view
from handlers.model import Completion, RefusalReason

_BY_SENTENCE = {
    refused_view(reason, language)["blocks"][0]["text"]["text"]: f"click_{reason.lower()}"
    for reason in RefusalReason
    for language in ("en", "zh")
}


def of_window(view: Json) -> str | None:
    """Why a modal shows nothing, if it does not."""
    for block in view.get("blocks", ()):
        text = block.get("text") or {}
        if isinstance(text, dict) and (reason := _BY_SENTENCE.get(str(text.get("text")))):
            return reason
    return None


def of_answer(completion: Completion, notices: tuple[str, ...]) -> str | None:
    """Why a question was not answered; None when it was."""
    if completion in (Completion.ANSWERED, Completion.PARTIAL):
        return None
    for limit, sentences in LIMITS.items():
        if any(sentence in notices for sentence in sentences.values()):
            return str(limit)
    return str(completion)
