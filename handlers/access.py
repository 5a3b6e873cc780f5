"""“Who can see this?” and “Forget this file”: their windows, and what clicks on them do."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import structlog

from handlers import file_texts, texts
from handlers.clicks import language_of_click, tell
from handlers.errors import SlackError
from handlers.model import FileAccess, FileRefused, PlaceKind, RefusalReason, SeenFrom
from handlers.neutralise import plain
from handlers.ports import Library, Messages
from handlers.render import block_id, cut
from handlers.trouble import explain
from handlers.views import button, modal, plain_text, section, small

log = structlog.get_logger()

WHO_ACTION = "who_can_see"
FORGET_ACTION = "forget_file"
WHO_SHORTCUT = "who_can_see_message"
Redraw = Callable[[str], Awaitable[None]]

FILES_SHOWN = 5
"""Files of one message that a window speaks of."""

_PLACES = {
    PlaceKind.WORKSPACE: file_texts.SEEN_BY_MEMBERS,
    PlaceKind.CHANNEL: file_texts.SEEN_IN_CHANNEL,
    PlaceKind.GROUP_DM: file_texts.SEEN_IN_GROUP_DM,
    PlaceKind.GROUP: file_texts.SEEN_BY_GROUP,
    PlaceKind.PERSON: file_texts.SEEN_BY_PERSON,
}
_REFUSED = {
    RefusalReason.NOT_ALLOWED: file_texts.FILE_NOT_YOURS,
    RefusalReason.DELETED: file_texts.FILE_UNKNOWN,
    RefusalReason.UNKNOWN: file_texts.FILE_UNKNOWN,
}


def who_button(document: str, language: str) -> dict[str, Any]:
    """Opens the window about one document."""
    return button(WHO_ACTION, file_texts.WHO_CAN_SEE(language), document)


def forget_button(document: str, language: str) -> dict[str, Any]:
    """Asks first: what was forgotten does not come back by itself."""
    confirm = {
        "title": plain_text(file_texts.FORGET(language)),
        "text": plain_text(file_texts.FORGET_SURE(language)),
        "confirm": plain_text(file_texts.FORGET_YES(language)),
        "deny": plain_text(file_texts.FORGET_NO(language)),
    }
    return button(FORGET_ACTION, file_texts.FORGET(language), document, confirm=confirm, style="danger")


def access_blocks(access: FileAccess, language: str) -> list[dict[str, Any]]:
    """Who can see one file, in plain words, and for who looks after it the way to have it forgotten."""
    title = cut(" ".join(plain(access.title or file_texts.UNTITLED(language)).split()), 200)
    lines = [_place_line(place, language) for place in access.places]
    if access.elsewhere:
        lines.append(file_texts.SEEN_ELSEWHERE(language) if lines else file_texts.SEEN_ELSEWHERE_ONLY(language))
    listed = "\n".join(f"• {line}" for line in lines) or file_texts.SEEN_BY_NOBODY(language)
    # Nothing in the list comes from people or documents: Slack names channels, groups and people by their ids.
    blocks = [section(title), {"type": "section", "text": {"type": "mrkdwn", "text": listed}}]
    if access.may_forget:
        action = block_id(language, FORGET_ACTION, access.document)
        blocks.append({"type": "actions", "block_id": action, "elements": [forget_button(access.document, language)]})
    return blocks


def _place_line(place: SeenFrom, language: str) -> str:
    line = _PLACES[place.kind](language, id=place.id)
    return line if place.people is None else line + file_texts.PEOPLE(language, place.people)


class AccessActions:
    """What clicks on files do. As :class:`handlers.actions.Actions`: each ends in something that the person sees."""

    def __init__(self, *, library: Library, messages: Messages, team: str, redraw: Redraw) -> None:
        """``redraw`` draws a person's App Home anew."""
        self._redraw = redraw
        self._library = library
        self._messages = messages
        self._team = team

    async def who(self, body: Mapping[str, Any]) -> None:
        """The button under a file's state, or in App Home."""
        language = language_of_click(body)
        view_id = await self._open(body, language)
        if view_id is not None:
            document = str(body["actions"][0]["value"])
            await self._update(view_id, language, self._one(body, document, language))

    async def who_of_message(self, body: Mapping[str, Any]) -> None:
        """The shortcut on any message: the files that it shows."""
        viewer = str(body["user"]["id"])
        language = await self._library.language(self._team, viewer)
        view_id = await self._open(body, language)
        if view_id is not None:
            await self._update(view_id, language, self._all(body, language))

    async def forget(self, body: Mapping[str, Any]) -> None:
        """The confirmed wish of who looks after the file; seen where it was made, else in a window or message."""
        language, by = language_of_click(body), str(body["user"]["id"])
        document, view = str(body["actions"][0]["value"]), body.get("view") or {}
        try:
            await self._library.forget(team=self._team, by=by, document=document)
            if view.get("type") == "home":
                await self._redraw(by)
                return
            said = file_texts.FORGOTTEN(language)
        except FileRefused as refusal:
            said = _REFUSED[refusal.reason](language)
        except Exception:
            # The boundary to a person who has clicked: they must see that it came to nothing.
            log.exception("file_not_forgotten", document=document)
            said = texts.CLICK_FAILED(language)
        if view.get("type") != "modal":
            await tell(self._messages, body, said)
            return
        await self._show(str(view["id"]), language, [section(said)])

    async def _open(self, body: Mapping[str, Any], language: str) -> str | None:
        """A window at once: a trigger lives 3 seconds only."""
        waiting = modal(file_texts.WHO_CAN_SEE(language), language, [section(file_texts.LOOKING(language))])
        try:
            return await self._messages.open_view(str(body["trigger_id"]), waiting)
        except SlackError as error:
            log.warning("modal_not_opened", error=error.error)
            await tell(self._messages, body, explain(error, language))
            return None

    async def _update(self, view_id: str, language: str, looked_up: Awaitable[list[dict[str, Any]]]) -> None:
        try:
            blocks = await looked_up
        except FileRefused as refusal:
            blocks = [section(_REFUSED[refusal.reason](language))]
        except Exception:
            # The boundary to a person who looks at "one moment…": they must see an end.
            log.exception("access_not_shown")
            blocks = [section(texts.CLICK_FAILED(language))]
        await self._show(view_id, language, blocks)

    async def _show(self, view_id: str, language: str, blocks: list[dict[str, Any]]) -> None:
        try:
            await self._messages.update_view(view_id, modal(file_texts.WHO_CAN_SEE(language), language, blocks))
        except SlackError as error:
            log.info("modal_not_updated", error=error.error)

    async def _one(self, body: Mapping[str, Any], document: str, language: str) -> list[dict[str, Any]]:
        viewer = str(body["user"]["id"])
        access = await self._library.who_sees(team=self._team, viewer=viewer, document=document)
        return [*access_blocks(access, language), small(file_texts.WHO_EXPLAINED(language))]

    async def _all(self, body: Mapping[str, Any], language: str) -> list[dict[str, Any]]:
        """Those of the files that the viewer may know of; raises FileRefused when there is none but others."""
        viewer, blocks = str(body["user"]["id"]), list[dict[str, Any]]()
        refused: FileRefused | None = None
        for file in (body.get("message") or {}).get("files", ())[:FILES_SHOWN]:
            document = await self._library.known_file(team=self._team, file_id=str(file["id"]))
            if document is None:
                continue
            try:
                access = await self._library.who_sees(team=self._team, viewer=viewer, document=document)
            except FileRefused as refusal:
                refused = refusal
            else:
                blocks += access_blocks(access, language)
        if refused is not None and not blocks:
            raise refused
        said = small(file_texts.WHO_EXPLAINED(language)) if blocks else section(file_texts.NO_FILE_HERE(language))
        return [*blocks, said]
