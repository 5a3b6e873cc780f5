"""Conversations and who is in them: created, joined, left, shared, renamed, archived, converted, deleted."""

from dataclasses import replace

from bot.sandbox.errors import SlackError
from bot.sandbox.events import Events
from bot.sandbox.model import Conversation, ConversationKind, Person
from bot.sandbox.state import Workspace
from bot.sandbox.talk import Talk

# Slack's limit for a group DM, everybody in it counted.
MAX_GROUP_DM = 9


class Rooms:
    """Every change of a conversation or of its members goes through here."""

    def __init__(self, *, workspace: Workspace, events: Events, talk: Talk) -> None:
        self._workspace = workspace
        self._events = events
        self._talk = talk

    def create(
        self, kind: ConversationKind, *, by: Person, name: str = "", members: tuple[str, ...] = ()
    ) -> Conversation:
        """A new channel, or the existing DM or group DM of these people. Raises name_taken, no_name, too_many_users."""
        people = tuple(dict.fromkeys((by.id, *members)))
        if kind in ("dm", "group_dm"):
            return self.open_direct(people)
        if not name:
            raise SlackError("invalid_name_required", "A channel needs a name.")
        if self._workspace.find_channel(name):
            raise SlackError("name_taken", f"There is a channel named {name} already.")
        conversation = self._workspace.add_conversation(kind, name=name, members=people)
        created = {"id": conversation.id, "name": name, "created": conversation.created, "creator": by.id}
        self._events.channel("channel_created", conversation, channel=created)
        for member in people:
            self._events.joined(conversation, member, None)
        return conversation

    def open_direct(self, people: tuple[str, ...]) -> Conversation:
        """The DM (two people) or group DM of exactly these people, made when there is none. Raises too_many_users."""
        people = tuple(dict.fromkeys(people))
        if len(people) > MAX_GROUP_DM:
            raise SlackError("too_many_users", f"A group message has at most {MAX_GROUP_DM} people.")
        existing = self._workspace.find_direct(frozenset(people))
        if existing is not None:
            return existing
        if len(people) <= 2:
            conversation = self._workspace.add_conversation("dm", name="", members=people)
        else:
            names = "--".join(self._workspace.people[one].name for one in people)
            conversation = self._workspace.add_conversation("group_dm", name=f"mpdm-{names}-1", members=people)
        self._events.opened(conversation)
        return conversation

    def join(self, conversation: Conversation, person: Person, *, inviter: Person | None = None) -> Conversation:
        """Add a member, with the notice that Slack posts. Raises method_not_supported_for_channel_type, is_archived."""
        if not conversation.is_channel:
            raise SlackError("method_not_supported_for_channel_type", "Nobody can join a direct message.")
        if conversation.is_archived:
            raise SlackError("is_archived", "This channel is archived.")
        if person.id in conversation.members:
            return conversation
        is_newly_shared = not conversation.is_shared and person.team != self._workspace.app.team
        changed = replace(
            conversation,
            members=(*conversation.members, person.id),
            is_shared=conversation.is_shared or is_newly_shared,
            connected_teams=_with(conversation.connected_teams, person.team)
            if is_newly_shared
            else conversation.connected_teams,
        )
        self._workspace.save_conversation(changed)
        if is_newly_shared:
            self._events.channel("channel_shared", changed, channel=changed.id, connected_team_id=person.team)
        self._events.joined(changed, person.id, inviter.id if inviter else None)
        self._notice(changed, person, "join", "has joined")
        return changed

    def leave(self, conversation: Conversation, person: Person) -> Conversation:
        """Take a member out. Raises not_in_channel, method_not_supported_for_channel_type."""
        if not conversation.is_channel:
            raise SlackError("method_not_supported_for_channel_type", "Nobody can leave a direct message.")
        if person.id not in conversation.members:
            raise SlackError("not_in_channel", f"{person.real_name} is not in this conversation.")
        changed = replace(conversation, members=tuple(one for one in conversation.members if one != person.id))
        self._workspace.save_conversation(changed)
        self._events.left(changed, person.id)
        self._notice(changed, person, "leave", "has left")
        return changed

    def make_private(self, conversation: Conversation, *, by: Person) -> Conversation:
        """Public → private: the id stays; Slack says so by a message of subtype channel_convert_to_private."""
        changed = self._workspace.save_conversation(replace(conversation, kind="private"))
        self._talk.post(by, changed, "made this channel *private*.", subtype="channel_convert_to_private")
        return changed

    def rename(self, conversation: Conversation, name: str) -> Conversation:
        changed = self._workspace.save_conversation(replace(conversation, name=name))
        renamed = {"id": changed.id, "name": name, "created": changed.created}
        self._events.channel("channel_rename" if changed.kind == "public" else "group_rename", changed, channel=renamed)
        return changed

    def archive(self, conversation: Conversation, *, by: Person) -> Conversation:
        changed = self._workspace.save_conversation(replace(conversation, is_archived=True))
        word = "channel_archive" if changed.kind == "public" else "group_archive"
        self._events.channel(word, changed, channel=changed.id, user=by.id)
        return changed

    def make_public(self, conversation: Conversation, *, by: Person) -> Conversation:
        """Private → public, which organisations allow; told as the way back is."""
        changed = self._workspace.save_conversation(replace(conversation, kind="public"))
        self._talk.post(by, changed, "made this channel *public*.", subtype="channel_convert_to_public")
        return changed

    def share(self, conversation: Conversation, team: str, *, is_pending: bool, in_org: bool) -> Conversation:
        """Share with another team, at once or once it accepts (pending: Slack tells nobody yet), or in the org."""
        if is_pending:
            return self._workspace.save_conversation(
                replace(conversation, pending_teams=_with(conversation.pending_teams, team))
            )
        changed = replace(
            conversation,
            is_shared=True,
            is_org_shared=in_org,
            connected_teams=_with(conversation.connected_teams, team),
            pending_teams=tuple(one for one in conversation.pending_teams if one != team),
        )
        self._workspace.save_conversation(changed)
        self._events.channel("channel_shared", changed, channel=changed.id, connected_team_id=team)
        return changed

    def unshare(self, conversation: Conversation, team: str) -> Conversation:
        """End the sharing with a team: its people leave, without a word about each of them."""
        left = tuple(one for one in conversation.connected_teams if one != team)
        changed = replace(
            conversation,
            members=tuple(one for one in conversation.members if self._workspace.people[one].team != team),
            is_shared=bool(left),
            is_org_shared=conversation.is_org_shared and bool(left),
            connected_teams=left,
            pending_teams=tuple(one for one in conversation.pending_teams if one != team),
        )
        self._workspace.save_conversation(changed)
        told = {"previously_connected_team_id": team, "is_ext_shared": bool(left)}
        self._events.channel("channel_unshared", changed, channel=changed.id, **told)
        return changed

    def change_id(self, conversation: Conversation) -> Conversation:
        """Give the channel another id, as happens when it moves within an organisation."""
        moved = self._workspace.change_id(conversation)
        ids = {"old_channel_id": conversation.id, "new_channel_id": moved.id}
        self._events.channel("channel_id_changed", moved, **ids)
        return moved

    def unarchive(self, conversation: Conversation, *, by: Person) -> Conversation:
        changed = self._workspace.save_conversation(replace(conversation, is_archived=False))
        word = "channel_unarchive" if changed.kind == "public" else "group_unarchive"
        self._events.channel(word, changed, channel=changed.id, user=by.id)
        return changed

    def delete(self, conversation: Conversation, *, by: Person) -> None:
        self._workspace.drop_conversation(conversation.id)
        word = "channel_deleted" if conversation.kind == "public" else "group_deleted"
        self._events.channel(word, conversation, channel=conversation.id, actor_id=by.id)

    def _notice(self, conversation: Conversation, person: Person, word: str, text: str) -> None:
        side = "channel" if conversation.kind == "public" else "group"
        self._talk.post(person, conversation, f"<@{person.id}> {text} the channel", subtype=f"{side}_{word}")


def _with(teams: tuple[str, ...], team: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*teams, team)))
