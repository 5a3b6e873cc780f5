"""What the page hears: every change, to each person who may see it, as one JSON line per change."""

import asyncio
from collections.abc import Callable, Collection

from bot.sandbox.model import Json, Person

# A listener that falls this far behind is cut off; its page reconnects and reads anew.
MAX_WAITING = 1_000


class Listener:
    """One open page: a queue of changes for one person; None ends it."""

    def __init__(self, person: str) -> None:
        self.person = person
        self.queue: asyncio.Queue[Json | None] = asyncio.Queue(MAX_WAITING)


class Stream:
    """Hands each change to the listeners that may see it."""

    def __init__(self, people: Callable[[str], Person | None]) -> None:
        self._people = people
        self._listeners: set[Listener] = set()
        self._watchers: list[tuple[str, Callable[[Json], None]]] = []

    def watch(self, person: str, look: Callable[[Json], None]) -> None:
        """Call ``look`` with each change that this person sees, at the very moment, from now on."""
        self._watchers.append((person, look))

    def listen(self, person: str) -> Listener:
        listener = Listener(person)
        self._listeners.add(listener)
        return listener

    def leave(self, listener: Listener) -> None:
        self._listeners.discard(listener)

    def publish(self, change: Json, *, sees: Callable[[Person], bool]) -> None:
        """Queue `change` for every listener whose person `sees` it; never waits."""
        for name, look in self._watchers:
            person = self._people(name)
            if person is not None and sees(person):
                look(change)
        for listener in list(self._listeners):
            person = self._people(listener.person)
            if person is not None and sees(person):
                self._queue(listener, change)

    def publish_to(self, people: Collection[str], change: Json) -> None:
        """Queue `change` for these people alone."""
        self.publish(change, sees=lambda person: person.id in people)

    def aclose(self) -> None:
        for listener in list(self._listeners):
            self._queue(listener, None)

    def _queue(self, listener: Listener, change: Json | None) -> None:
        if listener.queue.full():
            self.leave(listener)
            while not listener.queue.empty():
                listener.queue.get_nowait()
            change = None
        listener.queue.put_nowait(change)
