"""App Home: what the bot is, what the person may do, and the files that they look after; drawn anew when opened."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from typing import Any

import structlog

from handlers import file_texts, texts
from handlers.access import forget_button, who_button
from handlers.errors import SlackError
from handlers.model import HomeFacts, HomeFile, UploadStage
from handlers.neutralise import plain
from handlers.places import age_label
from handlers.ports import Library, Messages
from handlers.render import block_id, cut
from handlers.views import button, plain_text, section, small

log = structlog.get_logger()

PAGE_ACTION = "home_page"
"""The buttons are ``home_page:back`` and ``home_page:on``: ids must differ within a block."""

_STATES = {
    UploadStage.WAITING: file_texts.STATE_WAITING,
    UploadStage.READING: file_texts.STATE_READING,
    UploadStage.INDEXING: file_texts.STATE_READING,
    UploadStage.READY: file_texts.STATE_READY,
    UploadStage.FAILED: file_texts.STATE_FAILED,
}


def home_view(facts: HomeFacts, now: datetime) -> dict[str, Any]:
    """The whole tab."""
    return {"type": "home", "blocks": list(_blocks(facts, now))}


def _blocks(facts: HomeFacts, now: datetime) -> Iterator[dict[str, Any]]:
    language = facts.language
    yield _header(file_texts.HOME_TITLE(language))
    yield section(facts.may_not_ask or file_texts.HOME_WHAT(language))
    yield _header(file_texts.HOME_ROLE(language))
    yield section(file_texts.ROLES[facts.role](language))
    if facts.states is not None:
        counts = [f"{_STATES[UploadStage(stage)](language)}: {count}" for stage, count in facts.states.items() if count]
        yield section("\n".join([file_texts.HOME_ALL_FILES(language), *counts]))
        yield small(file_texts.HOME_COMMANDS(language, person=facts.person))
    yield _header(file_texts.HOME_FILES(language))
    if not facts.files:
        yield section(_no_files(facts)(language))
    for file in facts.files:
        yield from _file(file, language, now)
    yield from _pages(facts)


def _no_files(facts: HomeFacts) -> texts.Sentence:
    if facts.page > 0:
        return file_texts.HOME_NO_MORE
    # A reader's files are not learned: advice to share some would lead nowhere.
    return file_texts.HOME_NONE if facts.role == "reader" else file_texts.HOME_NO_FILES


def _file(file: HomeFile, language: str, now: datetime) -> Iterator[dict[str, Any]]:
    title = cut(" ".join(plain(file.title or file_texts.UNTITLED(language)).split()), 200)
    state = _STATES[file.stage](language)
    if file.stage is UploadStage.FAILED:
        state += ": " + texts.CAUSES.get(file.cause or "internal", texts.CAUSES["internal"])(language)
    yield section(f"{title}\n{state} · {age_label(file.shared_at, now, language)}")
    buttons = [who_button(file.document, language), forget_button(file.document, language)]
    yield {"type": "actions", "block_id": block_id(language, "home_file", file.document), "elements": buttons}


def _pages(facts: HomeFacts) -> Iterator[dict[str, Any]]:
    language, buttons = facts.language, list[dict[str, Any]]()
    if facts.page > 0:
        buttons.append(button(f"{PAGE_ACTION}:back", file_texts.NEWER(language), str(facts.page - 1)))
    if facts.has_more:
        buttons.append(button(f"{PAGE_ACTION}:on", file_texts.OLDER(language), str(facts.page + 1)))
    if buttons:
        yield {"type": "actions", "block_id": block_id(language, PAGE_ACTION, ""), "elements": buttons}


def _header(text: str) -> dict[str, Any]:
    return {"type": "header", "text": plain_text(text)}


class Home:
    """Draws App Home. ``now`` is aware UTC."""

    def __init__(self, *, library: Library, messages: Messages, team: str, now: Callable[[], datetime]) -> None:
        self._library = library
        self._messages = messages
        self._team = team
        self._now = now
        self._drawing: set[asyncio.Task[None]] = set()

    def opened(self, person: str) -> None:
        """Draw it in the background: Slack waits for its acknowledgement."""
        task = asyncio.create_task(self.draw(person), name="draw App Home")
        self._drawing.add(task)
        task.add_done_callback(self._drawing.discard)

    @property
    def is_drawing(self) -> bool:
        return bool(self._drawing)

    async def aclose(self) -> None:
        """Wait for what is being drawn."""
        await asyncio.gather(*self._drawing)

    async def turn(self, body: Mapping[str, Any]) -> None:
        """The buttons that lead to newer and older files."""
        await self.draw(str(body["user"]["id"]), page=int(body["actions"][0]["value"]))

    async def draw(self, person: str, *, page: int = 0) -> None:
        """Show the person what is true now; what can't be looked up is said there too."""
        try:
            view = home_view(await self._library.home(team=self._team, person=person, page=page), self._now())
        except Exception:
            # The boundary to a person who looks at the tab: it must not stay empty.
            log.exception("home_not_looked_up")
            words = f"{texts.CLICK_FAILED('en')}\n{texts.CLICK_FAILED('zh')}"
            view = {"type": "home", "blocks": [section(words)]}
        try:
            await self._messages.publish_home(person, view)
        except SlackError as error:
            log.warning("home_not_shown", error=error.error)
