"""How people, conversations and files look: in the Web API and events as Slack writes them, and on the page."""

from collections.abc import Sequence
from pathlib import PurePath
from urllib.parse import quote

from bot.sandbox.model import Conversation, ConversationKind, File, Json, Person, Share, UserGroup
from bot.sandbox.state import Workspace

# How many shares of a file are listed, the newest; `has_more_shares` says that there are more. Slack gives no number.
MOST_SHARES = 100

# How many characters of a transcript the preview holds; the rest is in the vtt file. Slack does not say how many.
PREVIEW_LENGTH = 200


class Shapes:
    """Writes objects for one workspace served at `site` (its address without a final slash)."""

    def __init__(self, *, workspace: Workspace, site: str, most_shares: int = MOST_SHARES) -> None:
        self._workspace = workspace
        self._site = site
        self._most_shares = most_shares

    def user(self, person: Person) -> Json:
        """A user object of users.info, users.list and the events about people."""
        app = self._workspace.app
        profile: Json = {"real_name": person.real_name, "display_name": person.name, "team": person.team}
        if person.is_bot:
            profile |= {"api_app_id": app.id, "bot_id": app.bot_id}
        return {
            "id": person.id,
            "team_id": person.team,
            "name": person.name,
            "real_name": person.real_name,
            "profile": profile,
            "deleted": person.deleted,
            "is_bot": person.is_bot,
            "is_app_user": False,
            "is_restricted": person.is_guest,
            "is_ultra_restricted": person.is_single_channel,
            "is_stranger": person.is_stranger,
            "is_admin": person.is_admin,
            "is_owner": False,
            "is_primary_owner": False,
            "locale": person.locale,
            "tz": "Asia/Shanghai",
            "tz_offset": 28_800,
            "updated": person.updated,
        }

    def channel(self, conversation: Conversation) -> Json:
        """A conversation object of conversations.info, .list and .open."""
        app = self._workspace.app
        common: Json = {
            "id": conversation.id,
            "created": conversation.created,
            "is_archived": conversation.is_archived,
            "is_im": conversation.kind == "dm",
            "is_mpim": conversation.kind == "group_dm",
            "is_private": conversation.kind != "public",
            "is_org_shared": conversation.is_org_shared,
            "context_team_id": app.team,
        }
        if conversation.kind == "dm":
            other = next((member for member in conversation.members if member != app.user), app.user)
            return {**common, "user": other, "is_user_deleted": self._workspace.people[other].deleted}
        strangers = self._other_teams(conversation)
        is_external = conversation.is_shared and not conversation.is_org_shared
        return {
            **common,
            "name": conversation.name,
            "name_normalized": conversation.name,
            "creator": conversation.creator,
            "is_channel": conversation.kind == "public",
            "is_group": conversation.kind == "private",
            "is_general": conversation.name == "general",
            "is_member": app.user in conversation.members,
            "is_shared": conversation.is_shared,
            "is_ext_shared": is_external,
            "is_pending_ext_shared": bool(conversation.pending_teams),
            "pending_shared": list(conversation.pending_teams),
            "pending_connected_team_ids": list(conversation.pending_teams),
            "shared_team_ids": [app.team, *strangers],
            "connected_team_ids": strangers if is_external else [],
            "topic": {"value": conversation.topic, "creator": conversation.creator, "last_set": conversation.created},
            "purpose": {"value": "", "creator": "", "last_set": 0},
            "num_members": len(conversation.members),
        }

    def group(self, group: UserGroup, *, users: bool = False) -> Json:
        """A user group of usergroups.list and of the events about it."""
        shape: Json = {
            "id": group.id,
            "team_id": self._workspace.app.team,
            "is_usergroup": True,
            "is_external": False,
            "name": group.name,
            "handle": group.handle,
            "description": "",
            "date_create": group.created,
            "date_update": group.updated,
            "date_delete": group.updated if group.is_disabled else 0,
            "created_by": group.creator,
            "prefs": {"channels": [], "groups": []},
            "user_count": str(len(group.members)),
        }
        return {**shape, "users": list(group.members)} if users else shape

    def message(self, conversation: Conversation, message: Json, *, for_app: bool = False) -> Json:
        """A message with its files written out; for the app, files of strangers in shared channels stay stubs."""
        if "files" not in message:
            return message
        found = [self._workspace.files[one["id"]] for one in message["files"]]
        return {**message, "files": [self._file_in(conversation, file, for_app=for_app) for file in found]}

    def file(self, file: File, viewer: Person) -> Json:
        """A file object of files.info: as in a message, with the newest places it is shared in that `viewer` sees."""
        seen = [one for one in file.shares if self._sees(viewer, one)][-self._most_shares :]
        return self._file(file) | {
            "channels": self._places(seen, "public"),
            "groups": self._places(seen, "private", "group_dm"),
            "ims": self._places(seen, "dm"),
            "shares": self._shares(seen),
            "has_more_shares": len(seen) < len(file.shares),
        }

    def _file_in(self, conversation: Conversation, file: File, *, for_app: bool) -> Json:
        if file.deleted:
            return {"id": file.id, "mode": "tombstone"}
        if for_app and conversation.is_shared and self._workspace.people[file.user].team != self._workspace.app.team:
            return {"id": file.id, "mode": "file_access", "file_access": "check_file_info"}
        return self._file(file)

    def _file(self, file: File) -> Json:
        private = f"{self._site}/files-pri/{self._workspace.app.team}-{file.id}"
        extension = PurePath(file.name).suffix.lstrip(".").lower() or "binary"
        shape: Json = {
            "id": file.id,
            "created": file.created,
            "timestamp": file.created,
            "name": file.name,
            "title": file.title,
            "mimetype": file.mimetype,
            "filetype": extension,
            "pretty_type": extension.upper(),
            "user": file.user,
            "user_team": self._workspace.people[file.user].team,
            "size": file.size,
            "mode": "hosted",
            "is_external": False,
            "is_public": bool(self._places(file.shares, "public")),
            "file_access": "visible",
            "url_private": f"{private}/{quote(file.name)}",
            "url_private_download": f"{private}/download/{quote(file.name)}",
            "permalink": f"{self._site}/files/{file.id}",
        }
        return shape | self._clip(file, private)

    def page_person(self, person: Person) -> Json:
        """A person for the page."""
        return {
            "id": person.id,
            "name": person.name,
            "real_name": person.real_name,
            "avatar": person.real_name[:1].upper(),
            "is_bot": person.is_bot,
            "is_guest": person.is_guest,
            "is_single_channel": person.is_single_channel,
            "is_stranger": person.is_stranger,
            "is_admin": person.is_admin,
            "deleted": person.deleted,
            "locale": person.locale,
        }

    def page_conversation(self, conversation: Conversation, person: Person) -> Json:
        """A conversation for the page, as this person sees it."""
        messages = self._workspace.messages.get(conversation.id, {})
        return {
            "id": conversation.id,
            "kind": conversation.kind,
            "name": conversation.name,
            "topic": conversation.topic,
            "is_member": person.id in conversation.members,
            "is_archived": conversation.is_archived,
            "is_shared": conversation.is_shared,
            "members": list(conversation.members),
            "last_ts": max(messages, default=None),
        }

    def _clip(self, file: File, private: str) -> Json:
        if file.subtype is None:
            return {}
        clip: Json = {"subtype": file.subtype, "duration_ms": file.duration_ms, "media_display_type": "audio"}
        if file.transcript is None:
            return {**clip, "transcription": {"status": "processing"}}
        locale = self._workspace.people[file.user].locale
        preview = {"content": file.transcript[:PREVIEW_LENGTH], "has_more": len(file.transcript) > PREVIEW_LENGTH}
        clip["transcription"] = {"status": "complete", "locale": locale, "preview": preview}
        return {**clip, "vtt": f"{private}/file.vtt"}

    def _sees(self, viewer: Person, share: Share) -> bool:
        return self._workspace.reads_conversation(viewer, self._workspace.conversations[share.conversation])

    def _places(self, shares: Sequence[Share], *kinds: ConversationKind) -> list[str]:
        found = (share.conversation for share in shares)
        return list(dict.fromkeys(one for one in found if self._workspace.conversations[one].kind in kinds))

    def _shares(self, shares: Sequence[Share]) -> Json:
        written: Json = {}
        for share in shares:
            conversation = self._workspace.conversations[share.conversation]
            side = written.setdefault("public" if conversation.kind == "public" else "private", {})
            place: Json = {"ts": share.ts, "channel_name": conversation.name, "team_id": self._workspace.app.team}
            if share.thread_ts:
                place["thread_ts"] = share.thread_ts
            side.setdefault(conversation.id, []).append(place)
        return written

    def _other_teams(self, conversation: Conversation) -> list[str]:
        teams = {self._workspace.people[member].team for member in conversation.members} | {
            *conversation.connected_teams
        }
        return sorted(teams - {self._workspace.app.team})
