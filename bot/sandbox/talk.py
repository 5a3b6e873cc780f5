"""Messages: said, edited, deleted and reacted to, by people and by the bot alike."""

import re
from dataclasses import replace

from bot.sandbox.errors import SlackError
from bot.sandbox.events import Events
from bot.sandbox.model import Conversation, File, Json, Person, Share
from bot.sandbox.state import Workspace

# Slack's own forms inside < >; every other angle bracket that a person types is escaped.
SPECIAL = re.compile(r"<(?:@[UW]\w+(?:\|[^<>]*)?|#C\w+(?:\|[^<>]*)?|![\w^]+(?:\|[^<>]*)?|https?://[^<>\s]+)>")
AMPERSAND = re.compile(r"&(?!(?:amp|lt|gt);)")


class Talk:
    """Every change of a message goes through here, so that all of them are kept and told about."""

    def __init__(self, *, workspace: Workspace, events: Events) -> None:
        self._workspace = workspace
        self._events = events

    def post(
        self,
        person: Person,
        conversation: Conversation,
        text: str,
        *,
        thread_ts: str | None = None,
        files: tuple[File, ...] = (),
        subtype: str | None = None,
        **content: object,
    ) -> Json:
        """Add a message and tell about it; `content` are further fields of it (blocks, attachments)."""
        message: Json = {"type": "message", "user": person.id, "team": person.team, "text": text}
        message |= {"ts": self._workspace.new_ts(), **{key: value for key, value in content.items() if value}}
        if person.is_bot:
            message |= self._bot_signature(person)
        if subtype:
            message["subtype"] = subtype
        if root := self._root(conversation, thread_ts):
            message |= {"thread_ts": root["ts"], "parent_user_id": root.get("user")}
        if files:
            message["files"] = self._share(files, conversation, message)
            message.setdefault("subtype", "file_share")
        self._workspace.save_message(conversation.id, message)
        self._events.posted(conversation, message)
        if root:
            self._count_replies(conversation, root)
        return message

    def ephemeral(
        self, person: Person, conversation: Conversation, text: str, *, reader: str, **content: object
    ) -> Json:
        """Show a message to one reader; Slack keeps none of these, nor do we."""
        message: Json = {"type": "message", "user": person.id, "text": text, "ts": self._workspace.new_ts()}
        message |= self._bot_signature(person) | {key: value for key, value in content.items() if value}
        self._events.ephemeral(conversation, message, reader)
        return message

    def edit(self, conversation: Conversation, message: Json, *, by: Person, **content: object) -> Json:
        """Replace fields of a message; a field set to None is taken away."""
        edited = {"user": by.id, "ts": self._workspace.new_ts()}
        changed = {**message, "edited": edited, **content}
        changed = {key: value for key, value in changed.items() if value is not None}
        self._workspace.save_message(conversation.id, changed)
        self._events.changed(conversation, changed, message)
        return changed

    def delete(self, conversation: Conversation, message: Json) -> None:
        """Take a message away; the first message of a thread leaves a tombstone, and Slack tells of that as an edit."""
        for file in message.get("files", ()):
            self._forget_share(file["id"], conversation, message["ts"])
        if message.get("reply_count"):
            keys = ("type", "ts", "thread_ts", "reply_count", "reply_users", "reply_users_count", "latest_reply")
            stone = {key: message[key] for key in keys if key in message}
            stone |= {"subtype": "tombstone", "user": "USLACKBOT", "text": "This message was deleted.", "hidden": True}
            self._workspace.save_message(conversation.id, stone)
            self._events.changed(conversation, stone, message)
            return
        self._workspace.drop_message(conversation.id, message["ts"])
        self._events.deleted(conversation, message)
        root = self._workspace.messages[conversation.id].get(message.get("thread_ts", ""))
        if root is not None:
            self._count_replies(conversation, root)

    def react(self, conversation: Conversation, message: Json, *, name: str, person: str, present: bool) -> None:
        """Add or remove one person's reaction. Raises already_reacted or no_reaction."""
        reactions = {one["name"]: list(one["users"]) for one in message.get("reactions", ())}
        users = reactions.setdefault(name, [])
        if present == (person in users):
            raise SlackError("already_reacted" if present else "no_reaction")
        if present:
            users.append(person)
        else:
            users.remove(person)
        listed = [{"name": name, "users": users, "count": len(users)} for name, users in reactions.items() if users]
        changed = {**message, "reactions": listed}
        self._workspace.save_message(conversation.id, changed)
        self._events.reacted(conversation, changed)

    def find(self, conversation: Conversation, ts: str) -> Json:
        """The message with this ts. Raises message_not_found."""
        message = self._workspace.messages[conversation.id].get(ts)
        if message is None or message.get("subtype") == "tombstone":
            raise SlackError("message_not_found", "This message does not exist any more.")
        return message

    def show_file(self, file: File) -> None:
        """Show a changed or deleted file in the messages that hold it."""
        for share in file.shares:
            conversation = self._workspace.conversations[share.conversation]
            message = self._workspace.messages[conversation.id].get(share.ts)
            if message is not None:
                self._events.changed(conversation, message, message, notify=False)

    def hide_file(self, file: File, conversation: Conversation) -> None:
        """Take a file out of a conversation's messages; those with nothing else in them go."""
        for share in [one for one in file.shares if one.conversation == conversation.id]:
            message = self._workspace.messages[conversation.id].get(share.ts)
            if message is None:
                continue
            rest = [one for one in message["files"] if one["id"] != file.id]
            if not rest and not message["text"]:
                self.delete(conversation, message)
                continue
            self._forget_share(file.id, conversation, share.ts)
            changed = {**message, "files": rest}
            self._workspace.save_message(conversation.id, changed)
            self._events.changed(conversation, changed, message)

    def _bot_signature(self, person: Person) -> Json:
        app = self._workspace.app
        profile = {"id": app.bot_id, "app_id": app.id, "name": person.name, "team_id": app.team, "deleted": False}
        return {"bot_id": app.bot_id, "app_id": app.id, "bot_profile": profile}

    def _root(self, conversation: Conversation, thread_ts: str | None) -> Json | None:
        # A thread whose first message is gone is none: the reply then stands in the channel itself,
        # as slackapi/python-slack-events-api#87 reports.
        found = self._workspace.messages[conversation.id].get(thread_ts or "")
        if found is not None and "thread_ts" in found:
            return self._workspace.messages[conversation.id].get(found["thread_ts"], found)
        return found

    def _count_replies(self, conversation: Conversation, root: Json) -> None:
        replies = self._workspace.thread(conversation.id, root["ts"])[1:]
        users = list(dict.fromkeys(reply["user"] for reply in replies))
        changed = {**root, "thread_ts": root["ts"], "reply_count": len(replies), "reply_users": users}
        changed["reply_users_count"] = len(users)
        if replies:
            changed["latest_reply"] = replies[-1]["ts"]
        self._workspace.save_message(conversation.id, changed)
        self._events.changed(conversation, changed, root, notify=False)

    def _share(self, files: tuple[File, ...], conversation: Conversation, message: Json) -> list[Json]:
        """Note where the files are shared; the message keeps ids alone, the rest is read when it is shown."""
        share = Share(conversation=conversation.id, ts=message["ts"], thread_ts=message.get("thread_ts"))
        for file in files:
            self._workspace.save_file(replace(file, shares=(*file.shares, share)))
        return [{"id": file.id} for file in files]

    def _forget_share(self, file_id: str, conversation: Conversation, ts: str) -> None:
        file = self._workspace.files[file_id]
        shares = tuple(one for one in file.shares if (one.conversation, one.ts) != (conversation.id, ts))
        self._workspace.save_file(replace(file, shares=shares))


def escape(text: str) -> str:
    """What a person typed, as Slack stores it: & < > escaped, Slack's own <…> forms kept, nothing escaped twice."""
    text = AMPERSAND.sub("&amp;", text)
    parts, end = [], 0
    for special in SPECIAL.finditer(text):
        parts += [_angles(text[end : special.start()]), special.group()]
        end = special.end()
    return "".join([*parts, _angles(text[end:])])


def _angles(text: str) -> str:
    return text.replace("<", "&lt;").replace(">", "&gt;")
