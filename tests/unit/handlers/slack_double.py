"""A Slack that keeps messages in memory and can be told to fail, and a clock that sleeping moves."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from handlers.errors import Gone
from handlers.model import Outgoing, Post


@dataclass
class Time:
    """Seconds that pass only by sleeping."""

    now: float = 0.0

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.now += seconds
        await asyncio.sleep(0)


@dataclass
class FakeSlack:
    """``handlers.ports.Messages``. ``errors`` are raised by the next calls of a method, in turn."""

    shown: dict[str, Outgoing] = field(default_factory=dict)
    threads: dict[str, str | None] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    edits: list[tuple[str, Outgoing]] = field(default_factory=list)
    errors: dict[str, list[Exception]] = field(default_factory=dict)
    whispers: list[tuple[str, str]] = field(default_factory=list)
    reactions: set[str] = field(default_factory=set)
    views: dict[str, dict[str, Any]] = field(default_factory=dict)
    homes: dict[str, dict[str, Any]] = field(default_factory=dict)
    gate: asyncio.Event | None = None

    def fail(self, method: str, *errors: Exception) -> None:
        self.errors.setdefault(method, []).extend(errors)

    def _raise(self, method: str) -> None:
        if self.errors.get(method):
            raise self.errors[method].pop(0)

    async def find(self, conversation: str, name: str, *, thread_ts: str | None, since: float) -> str | None:
        return self.names.get(name)

    async def post(
        self,
        conversation: str,
        message: Outgoing,
        *,
        thread_ts: str | None = None,
        urgent: bool = False,
        name: str | None = None,
    ) -> str:
        self._raise("post")
        ts = f"{conversation}.{len(self.threads)}"
        if name:
            self.names[name] = ts
        self.shown[ts], self.threads[ts] = message, thread_ts
        return ts

    async def edit(self, conversation: str, ts: str, message: Outgoing) -> None:
        if self.gate is not None:
            await self.gate.wait()
        self._raise("edit")
        if ts not in self.shown:
            raise Gone("message_not_found", method="chat.update")
        self.shown[ts] = message
        self.edits.append((ts, message))

    async def delete(self, conversation: str, ts: str) -> None:
        self._raise("delete")
        if self.shown.pop(ts, None) is None:
            raise Gone("message_not_found", method="chat.delete")

    async def direct(self, person: str, message: Outgoing) -> tuple[str, str]:
        return f"D-{person}", await self.post(f"D-{person}", message)

    async def whisper(
        self, conversation: str, user: str, message: str | Outgoing, *, thread_ts: str | None = None
    ) -> None:
        self._raise("whisper")
        self.whispers.append((user, message if isinstance(message, str) else words(message)))

    async def react(self, conversation: str, ts: str, name: str) -> None:
        self._raise("react")
        self.reactions.add(name)

    async def unreact(self, conversation: str, ts: str, name: str) -> None:
        self.reactions.discard(name)

    async def open_view(self, trigger_id: str, view: dict[str, Any]) -> str:
        self._raise("open_view")
        self.views["V1"] = view
        return "V1"

    async def update_view(self, view_id: str, view: dict[str, Any]) -> None:
        self._raise("update_view")
        self.views[view_id] = view

    async def publish_home(self, user: str, view: dict[str, Any]) -> None:
        self._raise("publish_home")
        self.homes[user] = view


@dataclass
class Noted:
    """``handlers.ports.Journal`` in memory; the answer is withdrawn once ``withdrawn`` says so."""

    posts: dict[int, Post] = field(default_factory=dict)
    withdrawn: bool = False

    async def plan(self, run_id: str, first_ts: str, messages: Sequence[Outgoing]) -> list[Post] | None:
        if self.withdrawn:
            return None
        planned = [Post(at, first_ts if at == 1 else None, message) for at, message in enumerate(messages, start=1)]
        self.posts = {post.ordinal: post for post in planned}
        return planned

    async def posted(self, run_id: str, ordinal: int, ts: str) -> bool:
        if not self.withdrawn:
            self.posts[ordinal] = replace(self.posts[ordinal], ts=ts)
        return not self.withdrawn

    async def stands(self, run_id: str) -> bool:
        return not self.withdrawn

    async def of(self, run_id: str) -> list[Post]:
        return list(self.posts.values())


def words(message: Outgoing | dict[str, Any]) -> str:
    """All that a person reads in a message or a view, in order."""
    blocks = list(message.blocks) if isinstance(message, Outgoing) else message["blocks"]
    attachments = message.attachments if isinstance(message, Outgoing) else ()
    blocks += [block for attachment in attachments for block in attachment["blocks"]]
    return "\n".join(_texts(blocks))


def _texts(node: Any) -> list[str]:
    if isinstance(node, list):
        return [text for item in node for text in _texts(item)]
    if not isinstance(node, dict):
        return []
    own = [node["text"]] if isinstance(node.get("text"), str) else []
    return own + [text for key, item in node.items() if isinstance(item, dict | list) for text in _texts(item)]
