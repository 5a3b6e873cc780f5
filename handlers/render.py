"""A run's state as Slack messages: what stands in the message while it works, and what the answer looks like.

Every edit sends the full state. Text of models and documents passes through :mod:`handlers.neutralise` here.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from handlers import texts
from handlers.model import (
    Cancelled,
    Completion,
    Failed,
    Final,
    Outgoing,
    Restarted,
    Status,
    Step,
    TextDelta,
    Transcript,
)
from handlers.neutralise import markdown, mrkdwn, plain
from handlers.splitting import MARKDOWN_LIMIT, split
from retrieval.language import detect
from retrieval.model import Evidence

FALLBACK_LIMIT = 3_000
"""Characters of a message's plain ``text``: chat.update refuses 4,000 and more."""
SHORT_TEXT = 2_800
"""Characters of one text object: Slack refuses 3,000 in a section."""
GAPS_SHOWN = 8
RETRY_ACTION = "retry_run"
AGAIN_ACTION = "ask_again"
STOP_ACTION = "stop_run"
PRIVATE_ACTION = "answer_privately"

Block = dict[str, Any]

_DOING = {
    Step.UNDERSTANDING: texts.UNDERSTANDING,
    Step.SEARCHING: texts.SEARCHING,
    Step.CHECKING: texts.CHECKING,
    Step.WRITING: texts.WRITING,
}
_ENDED = {
    Completion.PARTIAL: ("◐", texts.PARTIAL),
    Completion.NOTHING_FOUND: ("∅", texts.NOTHING_FOUND),
    Completion.REFUSED: ("⊘", texts.REFUSED),
    Completion.CANCELLED: ("◼", texts.CANCELLED),
    Completion.FAILED: ("⚠", texts.FAILED),
}
_INSTEAD_OF_NOTHING = {
    Completion.NOTHING_FOUND: texts.NOTHING_FOUND_TEXT,
    Completion.REFUSED: texts.REFUSED_TEXT,
    Completion.CANCELLED: texts.CANCELLED_TEXT,
}
_MARKER = re.compile(r"\[(\d{1,3})\]")


@dataclass(frozen=True, slots=True)
class Progress:
    """What is known of a run that is under way: the latest of each kind."""

    run_id: str
    language: str
    status: Status | None = None
    transcript: str = ""
    answer: tuple[str, int] = ("", 0)
    seq: int = 0
    draft: str = ""

    def after(self, event: Status | Transcript | TextDelta | Restarted) -> Progress:
        """The state after ``event``; a delta of an older revision, or one seen before, changes nothing."""
        if isinstance(event, Status):
            return replace(self, status=event)
        if isinstance(event, Restarted):
            return replace(self, status=None, draft="")
        if isinstance(event, Transcript):
            # Until it was heard nobody knew which language the asker speaks.
            return replace(self, transcript=event.text, language=detect(event.text))
        answer = (event.answer_id, event.revision)
        if answer == self.answer:
            return replace(self, seq=event.seq, draft=self.draft + event.text) if event.seq > self.seq else self
        is_newer = event.answer_id != self.answer[0] or event.revision > self.answer[1]
        return replace(self, answer=answer, seq=event.seq, draft=event.text) if is_newer else self


def progress(state: Progress) -> Outgoing:
    """The message while the run is under way: transcript, draft so far, what is being done, and a stop button."""
    doing = _doing(state)
    blocks = _heard(state.transcript, state.language)
    draft = markdown(state.draft).strip()
    if draft:
        blocks.append(_markdown(_beginning(draft, state.language)))
    blocks.append(_context(f"⏳ {doing}"))
    blocks.append(_button(STOP_ACTION, texts.STOP, state.language, state.run_id))
    return Outgoing(text=fallback(draft or doing), blocks=tuple(blocks))


def final(event: Final, *, transcript: str = "", limit: int = MARKDOWN_LIMIT) -> list[Outgoing]:
    """The answer as one message or more, of at most ``limit`` characters each; the last says how the run ended."""
    language = event.language
    body = event.text.strip() or _INSTEAD_OF_NOTHING.get(event.completion, texts.FAILED_TEXT)(language)
    pieces = split(markdown(only_known_numbers(body, event)), limit=limit)
    messages = []
    for part, piece in enumerate(pieces, start=1):
        blocks = _heard(transcript, language) if part == 1 else []
        blocks.append(_markdown(piece))
        if part < len(pieces):
            blocks.append(_context(texts.CONTINUED(language, part=part, parts=len(pieces))))
        else:
            blocks += _below(event)
        messages.append(Outgoing(text=fallback(piece), blocks=tuple(blocks)))
    return messages


def failed(event: Failed, *, language: str, transcript: str = "") -> Outgoing:
    """The end of a run without an answer, with the try-again button when it can be tried again."""
    message = event.message.strip() or texts.FAILED_TEXT(language)
    state = f"⚠ {texts.FAILED(language)}" if event.can_retry else f"⊘ {texts.REFUSED(language)}"
    blocks = [*_heard(transcript, language), _section(message), _context(state)]
    if event.can_retry:
        blocks.append(_button(RETRY_ACTION, texts.TRY_AGAIN, language, event.run_id))
    return Outgoing(text=fallback(message), blocks=tuple(blocks))


def cancelled(event: Cancelled, *, language: str, transcript: str = "") -> Outgoing:
    """The end of a run that was stopped; it can be tried again."""
    message = texts.CANCELLED_TEXT(language)
    blocks = [
        *_heard(transcript, language),
        _context(f"◼ {message}"),
        _button(RETRY_ACTION, texts.TRY_AGAIN, language, event.run_id),
    ]
    return Outgoing(text=fallback(message), blocks=tuple(blocks))


def withdrawn(run_id: str, language: str, *, alone: bool) -> Outgoing:
    """In the place of an answer that not everyone there may read any more: why without what, and how to get another.

    ``alone``: only its asker reads there.
    """
    message = (texts.WITHDRAWN_ALONE if alone else texts.WITHDRAWN)(language)
    again = _button(AGAIN_ACTION, texts.ASK_AGAIN, language, run_id)
    return Outgoing(text=fallback(message), blocks=(_context(f"⊘ {message}"), again))


def offer(run_id: str, language: str) -> Outgoing:
    """For the asker alone: there is more that they may read, without a word of what."""
    message = texts.MORE_FOR_YOU(language)
    return Outgoing(
        text=fallback(message),
        blocks=(_section(message), _button(PRIVATE_ACTION, texts.ANSWER_PRIVATELY, language, run_id)),
    )


def asked_elsewhere(question: str, conversation: str, language: str) -> Outgoing:
    """Above a private answer: what it answers, and where that was asked."""
    # Nothing in it comes from people: the channel is named by Slack, from its id.
    where = {"type": "mrkdwn", "text": texts.ASKED_IN(language, place=f" <#{conversation}> ").replace("  ", " ")}
    return Outgoing(
        text=fallback(texts.ASKED_IN(language, place=texts.THIS_CONVERSATION(language))),
        blocks=({"type": "context", "elements": [where]}, _section(f"“{cut(question, SHORT_TEXT - 2)}”")),
    )


def marked(message: Outgoing, run_id: str, titles: Sequence[str], language: str) -> Outgoing:
    """The message as it was, and below it which of its sources have a newer version; without titles as it was."""
    if not titles:
        return message
    notes = [texts.NEWER_VERSION(language, title=cut(" ".join(plain(title).split()), 200)) for title in titles]
    below = (*(_context(f"ⓘ {note}") for note in notes), _button(AGAIN_ACTION, texts.ASK_AGAIN, language, run_id))
    return replace(message, blocks=(*message.blocks, *below))


def bare(message: Outgoing) -> Outgoing:
    """The same without blocks, for when Slack accepts none of them."""
    return Outgoing(text=message.text)


def cited(event: Final) -> list[Evidence]:
    """The evidence that the answer's text cites, by number."""
    if event.evidence is None:
        return []
    numbers = {int(match[1]) for match in _MARKER.finditer(event.text)}
    return sorted((item for item in event.evidence.evidence if item.number in numbers), key=lambda item: item.number)


def only_known_numbers(text: str, event: Final) -> str:
    """``[7]`` that names no evidence of this answer (a footnote in a quotation) no longer looks like a citation."""
    known = {item.number for item in event.evidence.evidence} if event.evidence else set()
    return _MARKER.sub(lambda match: match[0] if int(match[1]) in known else f"［{match[1]}］", text)


def block_id(language: str, action: str, value: str) -> str:
    """Carries the language of a message to the clicks on it (Slack allows 255 characters)."""
    return f"{language}:{action}:{value}"[:255]


def language_of(block: str) -> str:
    """The language that :func:`block_id` wrote; English for any other."""
    return "zh" if block.startswith("zh:") else "en"


def fallback(text: str) -> str:
    """A message's plain text, short enough for every method."""
    return cut(mrkdwn(text), FALLBACK_LIMIT)


def cut(text: str, limit: int) -> str:
    """At most ``limit`` characters, ended by … where cut, never within an entity such as ``&amp;``."""
    return text if len(text) <= limit else re.sub(r"&[a-z]{0,4}$", "", text[: limit - 1]) + "…"


def _doing(state: Progress) -> str:
    if state.status is None:
        return texts.RECEIVED(state.language)
    if state.status.step is Step.SEARCHING and state.status.detail:
        return texts.SEARCHING_FOR(state.language, detail=cut(plain(state.status.detail), 120))
    if state.status.step is Step.TRANSCRIBING:
        # Nobody knows yet which language the asker speaks.
        return f"{texts.TRANSCRIBING('en')} {texts.TRANSCRIBING('zh')}"
    return _DOING[state.status.step](state.language)


def _beginning(draft: str, language: str) -> str:
    pieces = split(draft)
    if len(pieces) == 1:
        return draft
    return split(draft, limit=MARKDOWN_LIMIT - 100)[0] + "\n\n" + texts.DRAFT_CUT(language)


def _below(event: Final) -> list[Block]:
    """Gaps, notices, and in words how the run ended."""
    blocks: list[Block] = []
    if event.gaps:
        shown = [f"• {cut(plain(gap), 250)}" for gap in event.gaps[:GAPS_SHOWN]]
        if len(event.gaps) > GAPS_SHOWN:
            shown.append(texts.MORE_GAPS(event.language, len(event.gaps) - GAPS_SHOWN))
        blocks.append(_section("\n".join([texts.GAPS(event.language), *shown])))
    blocks += [_context(f"ⓘ {notice}") for notice in event.notices[:8]]
    ended = _context(_ended(event))
    if (seen := view_label(event)) is not None:
        # Nothing in it comes from people or documents: the channel is named by Slack, from its id.
        ended["elements"].append({"type": "mrkdwn", "text": seen})
    return [*blocks, ended]


def view_label(event: Final, place: str | None = None) -> str | None:
    """In plain words, whose view the answer was given in; None when no files were looked at.

    ``place`` is how the channel is called, by default Slack's own form of it.
    """
    if event.view is None:
        return None
    place = place or (f" <#{event.channel}> " if event.channel else texts.THIS_CONVERSATION(event.language))
    found = event.completion in (Completion.ANSWERED, Completion.PARTIAL)
    words = (texts.VIEWS if found else texts.LOOKED_IN)[event.view](event.language, place=place)
    return re.sub(r" +", " ", words)


def _ended(event: Final) -> str:
    if event.completion is Completion.ANSWERED:
        sources = len(cited(event))
        return "✓ " + (texts.ANSWERED(event.language, sources) if sources else texts.ANSWERED_PLAINLY(event.language))
    sign, words = _ENDED[event.completion]
    return f"{sign} {words(event.language)}"


def _heard(transcript: str, language: str) -> list[Block]:
    return [_section(f"🎤 {texts.HEARD(language, text=cut(plain(transcript), 2_000))}")] if transcript else []


def _markdown(text: str) -> Block:
    return {"type": "markdown", "text": text}


def _section(text: str) -> Block:
    return {"type": "section", "text": {"type": "plain_text", "text": cut(plain(text), SHORT_TEXT), "emoji": False}}


def _context(text: str) -> Block:
    return {
        "type": "context",
        "elements": [{"type": "plain_text", "text": cut(plain(text), SHORT_TEXT), "emoji": False}],
    }


def _button(action: str, label: texts.Sentence, language: str, run_id: str) -> Block:
    button = {
        "type": "button",
        "action_id": action,
        "text": {"type": "plain_text", "text": label(language)},
        "value": run_id,
    }
    return {"type": "actions", "block_id": block_id(language, action, run_id), "elements": [button]}
