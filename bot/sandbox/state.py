"""The workspace as it stands: who is there, what was said, which files lie where, and who may see what."""

import secrets
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path

from bot.sandbox.clock import Clock
from bot.sandbox.journal import Journal
from bot.sandbox.model import App, Conversation, ConversationKind, File, Json, Person, Share, UserGroup

TEAM = "T01HAITANG"


class Workspace:
    """Everything Slack would keep. Reads come from memory, every change is also written to the journal."""

    def __init__(
        self, *, journal: Journal, folder: Path, clock: Clock, team: str = TEAM, enterprise: str | None = None
    ) -> None:
        self.people: dict[str, Person] = {}
        self.conversations: dict[str, Conversation] = {}
        self.messages: dict[str, dict[str, Json]] = {}
        self.files: dict[str, File] = {}
        self.groups: dict[str, UserGroup] = {}
        self.folder = folder
        self._team = team
        self._enterprise = enterprise
        self._journal = journal
        self._clock = clock
        self._app: App | None = None
        self._last_ts = 0
        self._numbers: dict[str, int] = {}

    @property
    def app(self) -> App:
        if self._app is None:
            raise RuntimeError("open() comes first")
        return self._app

    async def open(self) -> None:
        """Take up what the journal kept; a fresh workspace gets its app and bot user."""
        for kind, key, value in await self._journal.open():
            self._take_up(kind, key, value)
        if self._app is None:
            self._found()
        # A clock that was set back must not give a ts a second time.
        latest = max((ts for messages in self.messages.values() for ts in messages), default="0.0")
        self._last_ts = int(latest.replace(".", ""))

    async def kept(self) -> None:
        """Return when every change so far would survive a kill of this process."""
        await self._journal.written()

    async def aclose(self) -> None:
        await self._journal.aclose()

    def _take_up(self, kind: str, key: str, value: Json) -> None:
        match kind:
            case "app":
                self._app = App(**value)
            case "person":
                self.people[key] = Person(**value)
            case "conversation":
                lists = {name: tuple(value.get(name, ())) for name in ("members", "connected_teams", "pending_teams")}
                self.conversations[key] = Conversation(**{**value, **lists})
            case "group":
                self.groups[key] = UserGroup(**{**value, "members": tuple(value["members"])})
            case "file":
                self.files[key] = File(**{**value, "shares": tuple(Share(**share) for share in value["shares"])})
            case "message":
                self._messages_of(key.partition("/")[0])[value["ts"]] = value

    def _found(self) -> None:
        bot = Person(id="U01HAITANG", name="haitang", real_name="Haitang", team=self._team, is_bot=True)
        self._app = App(
            id="A01HAITANG",
            bot_id="B01HAITANG",
            user=bot.id,
            team=self._team,
            enterprise=self._enterprise,
            team_name="Haitang 海棠装饰",
            bot_token=f"xoxb-{secrets.token_hex(16)}",
            app_token=f"xapp-1-{secrets.token_hex(16)}",
            signing_secret=secrets.token_hex(16),
        )
        self.save_app(self._app)
        self.save_person(bot)

    # Changes. None of them tells anybody: that is for those who call them.

    def add_person(
        self,
        name: str,
        *,
        real_name: str,
        team: str | None = None,
        is_guest: bool = False,
        is_single_channel: bool = False,
        is_stranger: bool = False,
        is_admin: bool = False,
        locale: str = "en-US",
    ) -> Person:
        person = Person(
            id=self.new_id("U", self.people),
            name=name,
            real_name=real_name,
            team=team or self._team,
            is_guest=is_guest or is_single_channel,
            is_single_channel=is_single_channel,
            is_stranger=is_stranger,
            is_admin=is_admin,
            locale=locale,
        )
        return self.save_person(person)

    def add_conversation(self, kind: ConversationKind, *, name: str, members: tuple[str, ...]) -> Conversation:
        """A new conversation; the first member made it."""
        conversation = Conversation(
            # Slack's ids: C for channels of both kinds and for group DMs, D for direct messages.
            id=self.new_id("D" if kind == "dm" else "C", self.conversations),
            kind=kind,
            name=name,
            creator=members[0],
            created=int(self._clock.timestamp()),
            members=members,
        )
        return self.save_conversation(conversation)

    def add_group(self, handle: str, *, name: str, members: tuple[str, ...], by: str) -> UserGroup:
        now = int(self._clock.timestamp())
        group = UserGroup(
            id=self.new_id("S", self.groups),
            handle=handle,
            name=name,
            creator=by,
            created=now,
            updated=now,
            members=members,
        )
        return self.save_group(group)

    def save_app(self, app: App) -> App:
        self._app = app
        self._journal.put("app", "app", asdict(app))
        return app

    def save_group(self, group: UserGroup) -> UserGroup:
        self.groups[group.id] = group
        self._journal.put("group", group.id, asdict(group))
        return group

    def save_person(self, person: Person) -> Person:
        person = replace(person, updated=int(self._clock.timestamp()))
        self.people[person.id] = person
        self._journal.put("person", person.id, asdict(person))
        return person

    def save_conversation(self, conversation: Conversation) -> Conversation:
        self.conversations[conversation.id] = conversation
        self._messages_of(conversation.id)
        self._journal.put("conversation", conversation.id, asdict(conversation))
        return conversation

    def drop_conversation(self, conversation: str) -> None:
        """A deleted channel: it and what was said in it are gone; its files stay where else they are shared."""
        for ts in list(self._messages_of(conversation)):
            self.drop_message(conversation, ts)
        del self.conversations[conversation], self.messages[conversation]
        self._journal.drop("conversation", conversation)
        self._move_shares(conversation, None)

    def change_id(self, conversation: Conversation) -> Conversation:
        """The same channel under a new id, with its messages and the places of its files."""
        moved = self.save_conversation(replace(conversation, id=self.new_id("C", self.conversations)))
        for message in list(self._messages_of(conversation.id).values()):
            self.save_message(moved.id, message)
        self._move_shares(conversation.id, moved.id)
        self.drop_conversation(conversation.id)
        return moved

    def _move_shares(self, old: str, new: str | None) -> None:
        for file in [one for one in self.files.values() if any(share.conversation == old for share in one.shares)]:
            moved = (replace(one, conversation=new or "") if one.conversation == old else one for one in file.shares)
            self.save_file(replace(file, shares=tuple(one for one in moved if one.conversation)))

    def save_message(self, conversation: str, message: Json) -> None:
        self._messages_of(conversation)[message["ts"]] = message
        self._journal.put("message", f"{conversation}/{message['ts']}", message)

    def drop_message(self, conversation: str, ts: str) -> None:
        self.messages[conversation].pop(ts, None)
        self._journal.drop("message", f"{conversation}/{ts}")

    def save_file(self, file: File) -> File:
        self.files[file.id] = file
        self._journal.put("file", file.id, asdict(file))
        return file

    def new_id(
        self,
        prefix: str,
        among: dict[str, Person] | dict[str, Conversation] | dict[str, File] | dict[str, UserGroup],
    ) -> str:
        """The next id of its kind, in Slack's form: a letter for the kind, then capitals and digits."""
        if prefix not in self._numbers:
            numbers = (known[1:-2] for known in among if known.startswith(prefix) and known.endswith("HT"))
            self._numbers[prefix] = max((int(one) for one in numbers if one.isdigit()), default=0)
        # Counted on, so that what was deleted does not give its id to something new.
        self._numbers[prefix] += 1
        return f"{prefix}{self._numbers[prefix]:08d}HT"

    def new_ts(self) -> str:
        """A message ts: seconds and microseconds, never the same twice, always growing."""
        self._last_ts = max(self._last_ts + 1, int(self._clock.timestamp() * 1_000_000))
        return f"{self._last_ts // 1_000_000}.{self._last_ts % 1_000_000:06d}"

    # Questions

    def sees_conversation(self, person: Person, conversation: Conversation) -> bool:
        """Members see their conversations; public ones are open to every full member."""
        if person.deleted:
            return False
        return person.id in conversation.members or (conversation.kind == "public" and person.is_full_member)

    def reads_conversation(self, person: Person, conversation: Conversation) -> bool:
        """Who may read the messages: as who may see it, but the bot only where it is a member."""
        if person.is_bot:
            return person.id in conversation.members
        return self.sees_conversation(person, conversation)

    def sees_file(self, person: Person, file: File) -> bool:
        """Whoever may read one of the conversations that a file is shared in, and the one who uploaded it."""
        return not (file.deleted or person.deleted) and self.sees_share(person, file)

    def sees_share(self, person: Person, file: File) -> bool:
        """Whether this person may read a place that the file is shared in, or uploaded it; deleted files too."""
        return file.user == person.id or any(
            self.reads_conversation(person, self.conversations[share.conversation])
            for share in file.shares
            if share.conversation in self.conversations
        )

    def find_direct(self, members: frozenset[str]) -> Conversation | None:
        """The DM or group DM of exactly these people."""
        for conversation in self.conversations.values():
            if not conversation.is_channel and frozenset(conversation.members) == members:
                return conversation
        return None

    def find_person(self, name: str) -> Person | None:
        """By id or by name."""
        return self.people.get(name) or next((one for one in self.people.values() if one.name == name), None)

    def find_group(self, name: str) -> UserGroup | None:
        """By id or by handle."""
        return self.groups.get(name) or next((one for one in self.groups.values() if one.handle == name), None)

    def find_channel(self, name: str) -> Conversation | None:
        """By id or by name."""
        found = (one for one in self.conversations.values() if one.is_channel and one.name == name)
        return self.conversations.get(name) or next(found, None)

    def top_level(self, conversation: str) -> list[Json]:
        """Messages outside threads, with the first of each thread, oldest first."""
        return [one for one in self._ordered(conversation) if one.get("thread_ts", one["ts"]) == one["ts"]]

    def thread(self, conversation: str, thread_ts: str) -> list[Json]:
        """A thread from its first message on, oldest first."""
        return [one for one in self._ordered(conversation) if thread_ts in (one["ts"], one.get("thread_ts"))]

    def file_path(self, file: File) -> Path:
        return self.folder / f"{file.id}.{file.revision}"

    def _ordered(self, conversation: str) -> Iterator[Json]:
        messages = self._messages_of(conversation)
        return (messages[ts] for ts in sorted(messages))

    def _messages_of(self, conversation: str) -> dict[str, Json]:
        return self.messages.setdefault(conversation, {})
