"""From a Slack message to plain words: mentions, links, emoji and greetings are not part of the question."""

from __future__ import annotations

import html
import re
from typing import Final

from bot.agent.offline.words import ABOUT_THE_BOT, COURTESY, GREETING

MAX_QUESTION: Final = 2000
"""Characters of a question that are read; far beyond any real one, and no more than the encoder's window takes."""

_USER: Final = re.compile(r"<[@!][^<>]*>")
_CHANNEL: Final = re.compile(r"<#[A-Z0-9]+(?:\|([^<>]*))?>")
_LINK: Final = re.compile(r"<((?:https?|mailto|tel):[^<>|]*)(?:\|([^<>]*))?>")
_EMOJI_CODE: Final = re.compile(r":(?:[+-]1|(?=[0-9_+'-]*[a-z])[a-z0-9_+'-]+):(?::skin-tone-\d:)?")
_UNSEEN: Final = re.compile("[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\x00-\x08\x0b-\x1f\x7f]")
_MARKS: Final = re.compile(r"(?m)^\s*>+\s?|[*~`]+")
_SPACES: Final = re.compile(r"[^\S\n]+")
_AROUND: Final = " \t\n:：,，、"
_WORD: Final = re.compile(r"\w")


def plain(text: str) -> str:
    """The words of a Slack message, without markup, mentions of people, emoji codes and greetings; lines are kept."""
    text = _USER.sub(" ", text)
    text = _CHANNEL.sub(lambda match: f" #{match[1]} " if match[1] else " ", text)
    text = _LINK.sub(lambda match: f" {match[2] or match[1]} ", text)
    text = _UNSEEN.sub("", html.unescape(text))
    text = _MARKS.sub("", _EMOJI_CODE.sub(" ", text))
    text = "\n".join(_SPACES.sub(" ", line).strip() for line in text.splitlines()).strip(_AROUND)
    return GREETING.sub("", text).strip(_AROUND)


def is_empty(words: str) -> bool:
    """Whether no document is asked: no letter or digit of any script, mere courtesy, or what the bot is for."""
    return not _WORD.search(words) or is_courtesy(words) or ABOUT_THE_BOT.match(words) is not None


def is_courtesy(words: str) -> bool:
    """Whether it is thanks or a nod."""
    return COURTESY.match(words) is not None


def cut(words: str) -> tuple[str, bool]:
    """At most MAX_QUESTION characters, and whether something was left out; a break is looked for near the end."""
    if len(words) <= MAX_QUESTION:
        return words, False
    head = words[:MAX_QUESTION]
    last_break = max(head.rfind(mark) for mark in "?？!！。;；\n ")
    return (head[: last_break + 1] if last_break > MAX_QUESTION // 2 else head).strip(), True
