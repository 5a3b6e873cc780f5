"""From an event to what was accepted: decided by the surfaces, accepted durably by the ports, before Slack's ack."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

import structlog

from handlers import membership, texts
from handlers.arrival import (
    Arrival,
    Decision,
    FileDeleted,
    FileMoved,
    FileShown,
    FilesUnshown,
    Identity,
    PlaceChanged,
    Question,
    QuestionDeleted,
    QuestionEdited,
    Upload,
)
from handlers.errors import SlackError
from handlers.files import FILE_EVENTS, read_file_event, read_place_event
from handlers.mentions import read_mention
from handlers.messages import read_message
from handlers.model import Outgoing
from handlers.ports import Contributions, Memberships, Messages, Questions, Uploads
from retrieval.language import detect

log = structlog.get_logger()

TELL_AGAIN_S = 600.0
"""Seconds after which a conversation is told again that nothing can be accepted."""


def decide(arrival: Arrival) -> list[Decision]:
    """What an event asks of us; nothing for our own words, bots, notices, unfurls and everything unknown."""
    kind = arrival.event.get("type")
    if kind == "app_mention":
        return read_mention(arrival)
    if kind == "message":
        return [*read_message(arrival), *read_place_event(arrival)]
    return read_file_event(arrival) if kind in FILE_EVENTS else read_place_event(arrival)


class Intake:
    """Accepts events. ``clock`` is monotonic seconds."""

    def __init__(
        self,
        *,
        questions: Questions,
        contributions: Contributions,
        uploads: Uploads,
        memberships: Memberships,
        messages: Messages,
        clock: Callable[[], float],
    ) -> None:
        self._questions = questions
        self._contributions = contributions
        self._uploads = uploads
        self._memberships = memberships
        self._messages = messages
        self._clock = clock
        self._told: dict[str, float] = {}
        self._telling: set[asyncio.Task[None]] = set()

    async def accept(self, body: Mapping[str, Any], identity: Identity) -> None:
        """Accept an ``event_callback`` durably; when this returns it may be acknowledged.

        Raises whatever the ports raise: then it must not be acknowledged, and Slack delivers it again.
        """
        arrival = Arrival.of(body, identity)
        if not arrival.is_ours:
            # Nothing is known of that workspace and nobody there is answered: no error that a redelivery would mend.
            log.warning("event_of_another_workspace", event_id=arrival.event_id, team=arrival.team)
            return
        await membership.apply(arrival, self._memberships)
        decisions = decide(arrival)
        try:
            for decision in decisions:
                await self._carry_out(decision, arrival)
        except Exception as error:
            # Whatever broke, people are told, and the event stays unacknowledged; bolt logs the traceback.
            log.warning("event_not_accepted", event_id=arrival.event_id, error=type(error).__name__)
            self._tell_not_accepted(decisions, arrival)
            raise

    async def aclose(self) -> None:
        """Wait for what is still being told."""
        await asyncio.gather(*self._telling)

    async def _carry_out(self, decision: Decision, arrival: Arrival) -> None:
        team, event_id = arrival.team, arrival.event_id
        match decision:
            case Question():
                await self._ask(decision, arrival)
            case Upload(conversation=conversation, upload_ts=ts, user=user, file=file):
                await self._contributions.register(
                    team=team, conversation=conversation, thread_ts=ts, user=user, file=file, event_id=event_id
                )
            case QuestionEdited(inquiry=inquiry):
                await self._questions.question_edited(inquiry)
            case QuestionDeleted(conversation=conversation, message_ts=ts):
                await self._questions.question_deleted(team, conversation, ts)
            case _:
                await self._follow_files(decision, arrival)

    async def _follow_files(
        self, decision: FileDeleted | FileMoved | FileShown | FilesUnshown | PlaceChanged, arrival: Arrival
    ) -> None:
        team, uploads = arrival.team, self._uploads
        match decision:
            case FileDeleted(file_id=file_id):
                await uploads.deleted(team=team, file_id=file_id)
            case FileMoved(file_id=file_id, new_content=True):
                await uploads.content_changed(team=team, file_id=file_id, event_id=arrival.event_id)
            case FileMoved(file_id=file_id):
                await uploads.places_changed(team=team, file_id=file_id)
            case FileShown(conversation=conversation, ts=ts, file_id=file_id):
                await uploads.shown(team=team, conversation=conversation, ts=ts, file_id=file_id)
            case FilesUnshown(conversation=conversation, ts=ts, files=files, is_gone=is_gone):
                await uploads.unshown(team=team, conversation=conversation, ts=ts, files=files, is_gone=is_gone)
            case PlaceChanged(conversation=conversation, is_gone=is_gone):
                await uploads.place_changed(team=team, conversation=conversation, is_gone=is_gone)

    async def _ask(self, question: Question, arrival: Arrival) -> None:
        inquiry = question.inquiry
        if question.only_if_engaged and not await self._questions.is_engaged(
            inquiry.team, inquiry.conversation, inquiry.thread_ts or inquiry.message_ts
        ):
            return
        accepted = await self._questions.ask(inquiry, event_id=arrival.event_id)
        log.info("question_arrived", accepted=accepted, conversation=inquiry.conversation, ts=inquiry.message_ts)

    def _tell_not_accepted(self, decisions: list[Decision], arrival: Arrival) -> None:
        """Once per conversation and TELL_AGAIN_S, in the background: Slack waits for no answer here."""
        if not any(isinstance(decision, Upload | Question) for decision in decisions):
            return
        event = arrival.event
        conversation, now = str(event["channel"]), self._clock()
        if now - self._told.get(conversation, float("-inf")) < TELL_AGAIN_S:
            return
        self._told[conversation] = now
        message = Outgoing(text=texts.NOT_ACCEPTED(detect(str(event.get("text") or ""))))
        thread = None if event.get("channel_type") == "im" else event.get("thread_ts") or event.get("ts")
        task = asyncio.create_task(self._tell(conversation, message, thread), name="tell that nothing is accepted")
        self._telling.add(task)
        task.add_done_callback(self._telling.discard)

    async def _tell(self, conversation: str, message: Outgoing, thread_ts: str | None) -> None:
        try:
            await self._messages.post(conversation, message, thread_ts=thread_ts)
        except SlackError as error:
            log.warning("not_accepted_not_told", error=error.error)
