"""Taking steps: who, where and what a step's numbers mean in the workspace as it stands, done by people's hands."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TypeVar

from bot.evaluation.permissions.events import Step
from bot.evaluation.permissions.eyes import Button, Eyes
from bot.evaluation.permissions.hands import Hands, Refused
from bot.evaluation.permissions.markers import Markers, Planted
from bot.evaluation.permissions.oracle import Oracle
from bot.evaluation.permissions.questions import Questions
from bot.evaluation.permissions.stage import LOOK_SECONDS, Bot
from bot.evaluation.permissions.workspace import ELSEWHERE, Blueprint, Topic, text_of
from bot.sandbox.errors import SlackError
from bot.sandbox.model import Conversation, File, Person

T = TypeVar("T")

PUBLIC_UPLOADS = 6
"""Percent of the uploads that go to public channels."""
ABOUT_HERE = 85
"""Percent of the questions that are about something that was shared where they are asked."""

NOTHING = "-"
"""What is said of a step for which there was nobody or nothing."""


class Impossible(Exception):
    """There is nobody who could do this, or nothing to do it with."""


class Acts:
    """Takes steps in one workspace. What a step can't find, it leaves: any list of steps is a course of events."""

    def __init__(
        self,
        *,
        bot: Bot,
        hands: Hands,
        markers: Markers,
        plan: Blueprint,
        oracle: Oracle,
        eyes: Eyes,
        questions: Questions,
    ) -> None:
        self._bot = bot
        self._workspace = bot.workspace
        self._hands = hands
        self._markers = markers
        self._plan = plan
        self._oracle = oracle
        self._eyes = eyes
        self._questions = questions
        self._is_holding = False
        self._is_losing = False
        self._hired = 0
        self._topics: dict[str, Topic] = {}

    async def take(self, step: Step) -> str:
        """Take a step; says in words what came of it."""
        try:
            said = await getattr(self, f"_{step.kind}")(step)
        except (Impossible, Refused):
            return NOTHING
        self._oracle.look()
        return str(said)

    async def settle(self) -> None:
        """Let all news through, repair by a sweep what was lost, wait until the bot is at rest, and judge."""
        was_losing = self._is_losing
        self._is_holding = self._is_losing = False
        self._bot.sandbox.context.delivery.let_go()
        await self._bot.rest()
        if was_losing:
            await self._bot.sweep()
            await self._bot.rest()
        await self._questions.settle()
        self._oracle.look()
        self._oracle.settle(self._eyes.standing())

    # Questions and clicks

    async def _ask(self, step: Step) -> str:
        place = _pick(step.where, [one for one in self._places() if one.kind != "dm"])
        asker = _pick(step.who, self._members(place))
        topic = self._topic(place, step.what)
        text = f"<@{self._workspace.app.user}> {topic.question}"
        answer = await self._hands.act(asker.id, "post", conversation=place.id, text=text)
        self._questions.note(place.id, answer["ts"], topic.question, thread_ts=answer["ts"])
        return f"{asker.name} in {place.name or place.id}: {topic.question}"

    async def _follow_up(self, step: Step) -> str:
        places = {one.id: one for one in self._places()}
        conversation, thread_ts = _pick(step.where, [one for one in self._questions.threads if one[0] in places])
        asker = _pick(step.who, self._members(places[conversation]))
        topic = _pick(step.what, self._plan.topics)
        # In a thread the bot is spoken to once it has taken the first question.
        await self._bot.rest()
        answer = await self._hands.act(
            asker.id, "post", conversation=conversation, text=topic.question, thread_ts=thread_ts
        )
        self._questions.note(conversation, answer["ts"], topic.question, thread_ts=thread_ts)
        return f"{asker.name} in the thread {conversation}/{thread_ts}: {topic.question}"

    async def _ask_alone(self, step: Step) -> str:
        asker = _pick(step.who, self._people())
        topic = _pick(step.what, self._plan.topics)
        place = await self._direct(asker)
        answer = await self._hands.act(asker.id, "post", conversation=place, text=topic.question)
        self._questions.note(place, answer["ts"], topic.question, thread_ts=None)
        return f"{asker.name} alone: {topic.question}"

    async def _click(self, step: Step) -> str:
        if not self._is_holding and not self._is_losing:
            await self._bot.rest()
        action = _pick(step.what, sorted(self._eyes.buttons))
        button = _pick(step.where, list(self._eyes.buttons[action].values()))
        presser = self._workspace.people[button.reader] if step.who % 3 else _pick(step.who // 3, self._people())
        if presser.deleted or (button.message.get("ephemeral") and presser.id != button.reader):
            raise Impossible
        await self._press(presser, button)
        return f"{presser.name} presses {action} of {button.conversation}/{button.message['ts']}"

    async def _home(self, step: Step) -> str:
        person = _pick(step.who, self._people())
        await self._hands.act(person.id, "home")
        return f"{person.name} opens App Home"

    async def _press(self, presser: Person, button: Button) -> None:
        """As a client does that still shows what is gone, which the control API would refuse."""
        place = self._workspace.conversations.get(button.conversation)
        if place is None:
            raise Impossible
        try:
            await self._bot.sandbox.context.interactions.click(
                presser,
                place,
                button.message,
                block_id=button.block,
                action_id=button.action,
            )
        except SlackError as error:
            raise Impossible from error
        while self._bot.service.app.is_acting:  # noqa: ASYNC110 - nobody is told when it has
            await asyncio.sleep(LOOK_SECONDS)

    # Files

    async def _upload(self, step: Step) -> str:
        is_public = step.where % 100 < PUBLIC_UPLOADS
        place = _pick(step.where // 100, [one for one in self._places() if (one.kind == "public") == is_public])
        person = _pick(step.who, self._members(place))
        topic = _pick(step.what, self._plan.topics)
        text, title, words = text_of(topic, self._markers, manner=step.what // len(self._plan.topics) % 3)
        name = f"{topic.thing.replace(' ', '-')}-{title}.md"
        answer = await self._hands.send(person.id, "upload", text.encode(), conversation=place.id, name=name)
        self._plant(answer["file"]["id"], title, words)
        self._topics[answer["file"]["id"]] = topic
        return f"{person.name} shares {answer['file']['id']} in {place.name or place.id}"

    async def _new_version(self, step: Step) -> str:
        file, owner = self._own_file(step)
        text, title, words = text_of(self._topics[file.id], self._markers, manner=step.where % 3)
        self._plant(file.id, title, words)
        await self._hands.send(owner.id, "upload_version", text.encode(), file=file.id)
        return f"{owner.name} changes {file.id}"

    async def _share(self, step: Step) -> str:
        file = _pick(step.what, self._files())
        openers = self._oracle.now.openers.get(file.id, frozenset())
        person = _pick(step.who, [one for one in self._people() if one.id in openers])
        place = _pick(step.where, [one for one in self._places() if person.id in one.members])
        await self._hands.act(person.id, "share_file", file=file.id, conversation=place.id)
        return f"{person.name} shares {file.id} in {place.name or place.id} too"

    async def _unshare(self, step: Step) -> str:
        file, owner = self._own_file(step)
        share = _pick(step.where, file.shares)
        await self._hands.act(owner.id, "unshare_file", file=file.id, conversation=share.conversation)
        return f"{owner.name} takes {file.id} out of {share.conversation}"

    async def _delete_file(self, step: Step) -> str:
        file, owner = self._own_file(step)
        await self._hands.act(owner.id, "delete_file", file=file.id)
        return f"{owner.name} deletes {file.id}"

    async def _delete_message(self, step: Step) -> str:
        file, owner = self._own_file(step)
        share = _pick(step.where, file.shares)
        await self._hands.act(owner.id, "delete", conversation=share.conversation, ts=share.ts)
        return f"{owner.name} deletes the message {share.conversation}/{share.ts} with {file.id}"

    def _plant(self, file: str, title: str, words: Sequence[str]) -> None:
        self._markers.plant(title, Planted(self._bot.team, file, in_title=True))
        for word in words:
            self._markers.plant(word, Planted(self._bot.team, file, in_title=False))

    # People and places

    async def _join(self, step: Step) -> str:
        place = _pick(step.where, [one for one in self._places() if one.kind == "public"])
        person = _pick(step.who, [one for one in self._people() if one.id not in place.members])
        return await self._of_rights(person, "join", conversation=place.id)

    async def _invite(self, step: Step) -> str:
        place = self._channel(step.where)
        inviter = _pick(step.what, self._members(place))
        person = _pick(step.who, [one for one in self._people() if one.id not in place.members])
        return await self._of_rights(inviter, "invite", conversation=place.id, user=person.id)

    async def _leave(self, step: Step) -> str:
        place = self._channel(step.where)
        return await self._of_rights(_pick(step.who, self._members(place)), "leave", conversation=place.id)

    async def _kick(self, step: Step) -> str:
        place = self._channel(step.where)
        members = self._members(place)
        return await self._of_rights(
            _pick(step.what, members), "kick", conversation=place.id, user=_pick(step.who, members).id
        )

    async def _deactivate(self, step: Step) -> str:
        people = self._people()
        return await self._of_rights(_pick(step.what, people), "deactivate", user=_pick(step.who, people).id)

    async def _hire(self, step: Step) -> str:
        self._hired += 1
        name = f"new{self._hired}"
        kinds: tuple[dict[str, object], ...] = (
            {},
            {"is_guest": True},
            {"is_stranger": True, "home_team": ELSEWHERE},
        )
        said = await self._of_rights(_pick(step.what, self._people()), "person", name=name, **_pick(step.who, kinds))
        person = self._workspace.find_person(name)
        if person is not None:
            self._eyes.open(person.id)
        return said

    async def _turn(self, step: Step) -> str:
        """A member becomes a guest or the other way round, or somebody who has left comes back."""
        everybody = [one for one in self._workspace.people.values() if not one.is_bot and not one.is_stranger]
        person = _pick(step.who, everybody)
        change: dict[str, object] = {"deleted": False} if person.deleted else {"is_guest": not person.is_guest}
        return await self._of_rights(_pick(step.what, self._people()), "change_person", user=person.id, **change)

    async def _make_private(self, step: Step) -> str:
        place = _pick(step.where, [one for one in self._places() if one.kind == "public"])
        return await self._of_rights(_pick(step.who, self._members(place)), "make_private", conversation=place.id)

    async def _make_public(self, step: Step) -> str:
        place = _pick(step.where, [one for one in self._places() if one.kind == "private"])
        return await self._of_rights(_pick(step.who, self._members(place)), "make_public", conversation=place.id)

    async def _connect(self, step: Step) -> str:
        place, state = self._channel(step.where), _pick(step.what, ("pending", "in_org", "now"))
        options = {} if state == "now" else {state: True}
        person = _pick(step.who, self._members(place))
        return await self._of_rights(person, "share_channel", conversation=place.id, team=ELSEWHERE, **options)

    async def _disconnect(self, step: Step) -> str:
        place = _pick(step.where, [one for one in self._places() if one.connected_teams or one.pending_teams])
        team = _pick(step.what, (*place.connected_teams, *place.pending_teams))
        person = _pick(step.who, self._members(place))
        return await self._of_rights(person, "unshare_channel", conversation=place.id, team=team)

    async def _change_id(self, step: Step) -> str:
        if self._is_losing:
            # What was said there could not be found again by anybody: no list tells which conversation it was.
            raise Impossible
        place = self._channel(step.where)
        return await self._of_rights(_pick(step.who, self._members(place)), "change_channel_id", conversation=place.id)

    async def _delete_channel(self, step: Step) -> str:
        place = self._channel(step.where)
        return await self._of_rights(_pick(step.who, self._members(place)), "delete_channel", conversation=place.id)

    async def _archive(self, step: Step) -> str:
        place = self._channel(step.where)
        return await self._of_rights(_pick(step.who, self._members(place)), "archive", conversation=place.id)

    async def _unarchive(self, step: Step) -> str:
        place = _pick(step.where, [one for one in self._workspace.conversations.values() if one.is_archived])
        return await self._of_rights(_pick(step.who, self._members(place)), "unarchive", conversation=place.id)

    async def _rename(self, step: Step) -> str:
        place = self._channel(step.where)
        name = f"{place.name}-{step.what % 100}"
        return await self._of_rights(_pick(step.who, self._members(place)), "rename", conversation=place.id, name=name)

    async def _bot_leaves(self, step: Step) -> str:
        place = self._channel(step.where)
        person = _pick(step.who, self._members(place))
        return await self._of_rights(person, "kick", conversation=place.id, user=self._workspace.app.user)

    async def _bot_returns(self, step: Step) -> str:
        bot = self._workspace.app.user
        away = [one for one in self._workspace.conversations.values() if bot not in one.members]
        place = _pick(step.where, [one for one in away if one.is_channel and not one.is_archived])
        return await self._of_rights(_pick(step.who, self._members(place)), "invite", conversation=place.id, user=bot)

    async def _of_rights(self, person: Person, deed: str, **fields: object) -> str:
        """Do it; when news are being lost, this is what gets lost."""
        delivery = self._bot.sandbox.context.delivery
        delivery.is_losing = self._is_losing
        try:
            await self._hands.act(person.id, deed, **fields)
        finally:
            delivery.is_losing = False
        told = " (untold)" if self._is_losing else ""
        return f"{person.name}: {deed} {' '.join(f'{key}={value}' for key, value in fields.items())}{told}"

    # What goes wrong on the way

    async def _duplicate(self, step: Step) -> str:
        types = ("message", "app_mention", "member_joined_channel", "member_left_channel", "file_shared", "user_change")
        fault = {"type": _pick(step.what, types), "times": 1 + step.who % 3, "fresh_event_id": bool(step.where % 2)}
        await self._hands.act(self._people()[0].id, "faults", redeliver=fault)
        return f"the next {fault['type']} comes {fault['times']} times more"

    async def _hold(self, _: Step) -> str:
        self._is_holding = True
        await self._hands.act(self._people()[0].id, "faults", hold=True)
        return "news are kept back"

    async def _let_go(self, step: Step) -> str:
        self._is_holding = False
        await self._hands.act(self._people()[0].id, "faults", let_go=step.what)
        return "news that were kept back come in another order"

    async def _lose(self, _: Step) -> str:
        self._is_losing = True
        return "changes of people and places are not told until the next sweep"

    async def _settle(self, _: Step) -> str:
        await self.settle()
        return "at rest"

    # Who and what there is

    def _topic(self, place: Conversation, number: int) -> Topic:
        """What is asked there: mostly about what lies there, else about anything."""
        here = [self._topics[one.id] for one in self._files() if any(s.conversation == place.id for s in one.shares)]
        is_about_here = bool(here) and number % 100 < ABOUT_HERE
        return _pick(number // 100, here if is_about_here else self._plan.topics)

    def _people(self) -> list[Person]:
        return [one for one in self._workspace.people.values() if not one.deleted and not one.is_bot]

    def _places(self) -> list[Conversation]:
        """Conversations that the bot is in and that are not archived."""
        places = self._workspace.conversations.values()
        return [one for one in places if self._workspace.app.user in one.members and not one.is_archived]

    def _channel(self, number: int) -> Conversation:
        return _pick(number, [one for one in self._places() if one.is_channel])

    def _members(self, place: Conversation) -> list[Person]:
        return [one for one in self._people() if one.id in place.members]

    def _files(self) -> list[File]:
        return [one for one in self._workspace.files.values() if not one.deleted and one.shares]

    def _own_file(self, step: Step) -> tuple[File, Person]:
        file = _pick(step.what, self._files())
        owner = self._workspace.people[file.user]
        if owner.deleted:
            raise Impossible
        return file, owner

    async def _direct(self, person: Person) -> str:
        made = await self._hands.act(person.id, "create", kind="dm", members=[self._workspace.app.user])
        return str(made["conversation"]["id"])


def _pick(number: int, among: Sequence[T]) -> T:
    """The one that a step's number means. Raises Impossible when there is none."""
    if not among:
        raise Impossible
    return among[number % len(among)]
