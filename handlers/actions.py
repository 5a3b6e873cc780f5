"""Clicks: open a citation, stop a run, try one again, ask anew what an answer no longer tells."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, Protocol

import structlog

from handlers import texts
from handlers.citations import failed_view, opening_view, refused_view, source_view
from handlers.clicks import Clicks, language_of_click, tell
from handlers.errors import SlackError
from handlers.model import CitationRefused
from handlers.ports import Citations, Messages, PrivateAnswers, Questions
from handlers.trouble import explain

log = structlog.get_logger()


class RunRequest(Protocol):
    """What a click asks of a run; False when it is refused."""

    async def __call__(self, run_id: str, *, by: str) -> bool: ...


class Actions:
    """What clicks do. Each method takes Slack's ``block_actions`` payload, which was acknowledged already (Slack does
    not deliver it again), and ends in something that the person sees.

    ``team`` is our workspace; ``now`` is aware UTC.
    """

    def __init__(
        self,
        *,
        questions: Questions,
        private: PrivateAnswers,
        citations: Citations,
        messages: Messages,
        clicks: Clicks,
        team: str,
        now: Callable[[], datetime],
    ) -> None:
        self._clicks = clicks
        self._questions = questions
        self._private = private
        self._citations = citations
        self._messages = messages
        self._team = team
        self._now = now

    async def open_citation(self, body: Mapping[str, Any]) -> None:
        """A modal at once (the trigger lives 3 s), then the passage under the reader's rights of now, or why not."""
        action, language = body["actions"][0], language_of_click(body)
        try:
            view_id = await self._messages.open_view(str(body["trigger_id"]), opening_view(language))
        except SlackError as error:
            log.warning("modal_not_opened", error=error.error)
            await self._tell(body, explain(error, language))
            return
        view = await self._view(body, str(action["value"]), language)
        try:
            await self._messages.update_view(view_id, view)
        except SlackError as error:
            # The person closed the modal, or Slack is out of reach: nobody is waiting for it any more.
            log.info("modal_not_updated", error=error.error)

    async def stop(self, body: Mapping[str, Any]) -> None:
        """Only the asker stops a run; anybody else is told so, alone."""
        await self._ask_of_run(body, self._questions.cancel, texts.NOT_YOURS_TO_STOP)

    async def retry(self, body: Mapping[str, Any]) -> None:
        """Ask an ended run's question again."""
        await self._ask_of_run(body, self._questions.retry, texts.NOT_YOURS_TO_RETRY)

    async def ask_again(self, body: Mapping[str, Any]) -> None:
        """Ask the question of an answer that was withdrawn or marked again; whoever reads it there may."""
        await self._ask_of_run(body, self._questions.ask_again, texts.NOT_TO_ASK_AGAIN)

    async def answer_privately(self, body: Mapping[str, Any]) -> None:
        """Answer the asker of a run more fully, in their direct messages."""
        await self._ask_of_run(body, self._private.answer, texts.NOT_TO_ANSWER_PRIVATELY)

    async def _ask_of_run(self, body: Mapping[str, Any], ask: RunRequest, otherwise: texts.Sentence) -> None:
        try:
            done = await ask(str(body["actions"][0]["value"]), by=str(body["user"]["id"]))
            if not done:
                await self._clicks.refused(body, reason="not_theirs_or_not_now")
        except Exception:
            # The boundary to a person who has clicked: they must see that it came to nothing.
            log.exception("click_failed", action_id=body["actions"][0]["action_id"])
            await self._tell(body, texts.CLICK_FAILED(language_of_click(body)))
            return
        if not done:
            await self._tell(body, otherwise(language_of_click(body)))

    async def _view(self, body: Mapping[str, Any], evidence_id: str, language: str) -> dict[str, Any]:
        reader = str(body["user"]["id"])
        try:
            try:
                found = await self._citations.open(
                    team=self._team, reader=reader, evidence_id=evidence_id, language=language
                )
            except CitationRefused as refusal:
                await self._clicks.refused(body, reason=refusal.reason)
                return refused_view(refusal.reason, language)
        except Exception:
            # The boundary to a person who looks at "opening…": they must see an end.
            log.exception("citation_not_opened", evidence_id=evidence_id)
            return failed_view(language)
        return source_view(found, self._now(), language)

    async def _tell(self, body: Mapping[str, Any], text: str) -> None:
        await tell(self._messages, body, text)
