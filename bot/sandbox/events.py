"""Which events a change raises, and to whom: the app hears only what Slack would tell it."""

from bot.sandbox.delivery import Delivery
from bot.sandbox.ephemeral import Ephemerals
from bot.sandbox.faults import Faults
from bot.sandbox.model import CHANNEL_TYPES, SCOPE_PREFIXES, Conversation, File, Json, Person, UserGroup
from bot.sandbox.shapes import Shapes
from bot.sandbox.state import Workspace
from bot.sandbox.stream import Stream


class Events:
    """Tells the app (as events) and the pages (as a stream) about every change of the workspace."""

    def __init__(
        self,
        *,
        workspace: Workspace,
        shapes: Shapes,
        delivery: Delivery,
        stream: Stream,
        ephemerals: Ephemerals,
        faults: Faults,
    ) -> None:
        self._workspace = workspace
        self._shapes = shapes
        self._delivery = delivery
        self._stream = stream
        self._ephemerals = ephemerals
        self._faults = faults

    # Messages

    def posted(self, conversation: Conversation, message: Json) -> None:
        """A new message: a `message` event, and its twin `app_mention` where the bot is mentioned in a channel."""
        self._show_message(conversation, "message", message)
        if not self._bot_hears(conversation):
            return
        event = self._placed(conversation, self._for_app(conversation, message))
        self._deliver(event, conversation)
        if self._is_mention(conversation, message):
            twin = {key: value for key, value in event.items() if key not in ("channel_type", "subtype")}
            self._deliver({**twin, "type": "app_mention"}, conversation)

    def changed(self, conversation: Conversation, message: Json, previous: Json, *, notify: bool = True) -> None:
        """An edit. `notify=False` for changes of which Slack tells the page alone (reply counts, reactions)."""
        self._show_message(conversation, "message_changed", message)
        if notify and self._bot_hears(conversation):
            extra = {"message": self._for_app(conversation, message)}
            extra |= {"previous_message": self._for_app(conversation, previous)}
            self._deliver(self._hidden(conversation, "message_changed", extra), conversation)

    def deleted(self, conversation: Conversation, previous: Json) -> None:
        self._show(conversation, {"type": "message_deleted", "ts": previous["ts"]})
        if self._bot_hears(conversation):
            extra = {"deleted_ts": previous["ts"], "previous_message": self._for_app(conversation, previous)}
            self._deliver(self._hidden(conversation, "message_deleted", extra), conversation)

    def ephemeral(self, conversation: Conversation, message: Json, reader: str) -> None:
        """A message for one reader: no event, for Slack raises none."""
        message = {**message, "ephemeral": True}
        self._ephemerals.add(conversation.id, reader, message)
        change = {"type": "ephemeral", "conversation": conversation.id, "message": message}
        self._stream.publish_to({reader}, change)

    def ephemeral_gone(self, conversation: Conversation, reader: str, message: Json) -> None:
        self._ephemerals.drop(conversation.id, reader, message["ts"])
        change = {"type": "message_deleted", "conversation": conversation.id, "ts": message["ts"]}
        self._stream.publish_to({reader}, change)

    def reacted(self, conversation: Conversation, message: Json) -> None:
        """Reactions reach the page alone: the app subscribes to none of their events."""
        self._show_message(conversation, "reaction", message)

    def status(self, conversation: Conversation, thread_ts: str, status: str) -> None:
        """What the bot says it is doing; Slack keeps it nowhere."""
        self._show(conversation, {"type": "status", "thread_ts": thread_ts, "status": status})

    # People and conversations

    def opened(self, conversation: Conversation) -> None:
        """A DM or group DM was made; its members see it from now on."""
        self._conversation_changed(conversation)

    def joined(self, conversation: Conversation, person: str, inviter: str | None) -> None:
        """Told to the app only for conversations that it is in."""
        self._conversation_changed(conversation)
        if self._bot_is_in(conversation):
            event = self._membership("member_joined_channel", conversation, person)
            self._deliver({**event, "inviter": inviter} if inviter else event, conversation)

    def left(self, conversation: Conversation, person: str) -> None:
        """As `joined`; when it is the bot that leaves it hears so, and nothing more of this conversation."""
        self._conversation_changed(conversation, person)
        if person == self._workspace.app.user:
            word = "channel_left" if conversation.kind == "public" else "group_left"
            gone = {"type": word, "channel": conversation.id, "event_ts": self._workspace.new_ts()}
            self._deliver(gone, conversation)
        elif self._bot_is_in(conversation):
            self._deliver(self._membership("member_left_channel", conversation, person), conversation)

    def channel(self, event_type: str, conversation: Conversation, **extra: object) -> None:
        """channel_created, channel_rename, channel_archive …: public ones, and private ones with the bot in them."""
        self._conversation_changed(conversation)
        if conversation.kind == "public" or self._bot_is_in(conversation):
            self._deliver({"type": event_type, "event_ts": self._workspace.new_ts(), **extra}, conversation)

    def person(self, event_type: str, person: Person) -> None:
        """team_join and user_change."""
        change = {"type": "person_changed", "person": self._shapes.page_person(person)}
        self._stream.publish(change, sees=lambda _: True)
        event = {"type": event_type, "user": self._shapes.user(person), "event_ts": self._workspace.new_ts()}
        self._delivery.event(event)

    # User groups and the app itself

    def group(self, event_type: str, group: UserGroup) -> None:
        """subteam_created and subteam_updated, with the whole group."""
        subteam = self._shapes.group(group, users=True)
        self._told_of_groups({"type": event_type, "subteam": subteam})

    def group_members(self, before: UserGroup, after: UserGroup) -> None:
        """subteam_members_changed: who came and who went since `date_previous_update`."""
        added = [one for one in after.members if one not in before.members]
        removed = [one for one in before.members if one not in after.members]
        event: Json = {
            "type": "subteam_members_changed",
            "subteam_id": after.id,
            "team_id": self._workspace.app.team,
            "date_previous_update": before.updated,
            "date_update": after.updated,
            "added_users": added,
            "added_users_count": len(added),
            "removed_users": removed,
            "removed_users_count": len(removed),
        }
        self._told_of_groups(event)

    def app_gone(self) -> None:
        """The last that an app hears: its tokens were revoked, and it was uninstalled when that is why."""
        app = self._workspace.app
        tokens = {"oauth": [], "bot": [app.user]}
        self._delivery.event({"type": "tokens_revoked", "tokens": tokens, "event_ts": self._workspace.new_ts()})
        if app.refusal == "account_inactive":
            self._delivery.event({"type": "app_uninstalled", "event_ts": self._workspace.new_ts()})
        self._delivery.is_muted = True

    def app_back(self) -> None:
        self._delivery.is_muted = False

    # Files

    def file(self, event_type: str, file: File, *, user: str, channel: str | None = None, told: bool = True) -> None:
        """file_shared, file_change, file_public, file_unshared, file_deleted: ids only, the app asks files.info.

        `told`: whether the app could see the file before or can see it now.
        """
        change = {"type": "file_changed", "file": {"id": file.id, "deleted": file.deleted}}
        self._stream.publish(change, sees=lambda person: self._workspace.sees_share(person, file))
        if not told or "files:read" not in self._faults.scopes:
            return
        event: Json = {"type": event_type, "file_id": file.id, "user_id": user, "file": {"id": file.id}}
        if channel is not None:
            event["channel_id"] = channel
        self._delivery.event({**event, "event_ts": self._workspace.new_ts()})

    # Views

    def view(self, change_type: str, view: Json, reader: str) -> None:
        self._stream.publish_to({reader}, {"type": change_type, "view": view})

    def home_opened(self, event: Json) -> None:
        """Somebody looks at the bot's Home tab."""
        self._delivery.event({**event, "event_ts": self._workspace.new_ts()})

    # How they look

    def _show_message(self, conversation: Conversation, change_type: str, message: Json) -> None:
        self._show(conversation, {"type": change_type, "message": self._shapes.message(conversation, message)})

    def _for_app(self, conversation: Conversation, message: Json) -> Json:
        return self._shapes.message(conversation, message, for_app=True)

    def _deliver(self, event: Json, conversation: Conversation) -> None:
        self._delivery.event(event, is_shared=conversation.is_shared)

    def _told_of_groups(self, event: Json) -> None:
        if "usergroups:read" in self._faults.scopes:
            self._delivery.event({**event, "event_ts": self._workspace.new_ts()})

    def _show(self, conversation: Conversation, change: Json) -> None:
        change = {**change, "conversation": conversation.id}
        self._stream.publish(change, sees=lambda person: self._workspace.sees_conversation(person, conversation))

    def _conversation_changed(self, conversation: Conversation, *also: str) -> None:
        """`also` hear of it although they may not see it any more; the page asks anew for what it may see."""
        change = {"type": "conversation_changed", "conversation": conversation.id}
        self._stream.publish(
            change, sees=lambda one: one.id in also or self._workspace.sees_conversation(one, conversation)
        )

    def _bot_is_in(self, conversation: Conversation) -> bool:
        return self._workspace.app.user in conversation.members

    def _bot_hears(self, conversation: Conversation) -> bool:
        """Message events come for conversations that the bot is in and has the scope to read."""
        scope = f"{SCOPE_PREFIXES[conversation.kind]}:history"
        return self._bot_is_in(conversation) and scope in self._faults.scopes

    def _is_mention(self, conversation: Conversation, message: Json) -> bool:
        return (
            conversation.is_channel
            and "app_mentions:read" in self._faults.scopes
            and message.get("subtype") in (None, "file_share")
            and message.get("user") != self._workspace.app.user
            and f"<@{self._workspace.app.user}" in message.get("text", "")
        )

    def _placed(self, conversation: Conversation, message: Json) -> Json:
        return {
            **message,
            "channel": conversation.id,
            "channel_type": CHANNEL_TYPES[conversation.kind],
            "event_ts": message["ts"],
        }

    def _hidden(self, conversation: Conversation, subtype: str, extra: Json) -> Json:
        ts = self._workspace.new_ts()
        return self._placed(conversation, {"type": "message", "subtype": subtype, "hidden": True, "ts": ts, **extra})

    def _membership(self, event_type: str, conversation: Conversation, person: str) -> Json:
        return {
            "type": event_type,
            "user": person,
            "channel": conversation.id,
            "channel_type": "C" if conversation.kind == "public" else "G",
            "team": self._workspace.people[person].team,
            "event_ts": self._workspace.new_ts(),
        }
