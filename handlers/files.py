"""Files in messages, and events about files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from handlers.arrival import Arrival, Decision, FileDeleted, FileMoved, PlaceChanged, Upload
from handlers.model import SharedFile
from handlers.voice import complete_transcript, is_voice_clip

# A deleted file is deleted; at the others is looked again: at their places, and for a change at their content too.
FILE_EVENTS = frozenset({"file_shared", "file_unshared", "file_public", "file_change", "file_deleted"})

_DELETIONS = frozenset({"channel_deleted", "group_deleted"})

# After these a conversation's files are looked at again. What its people may still read is the rows' matter.
_PLACE_EVENTS = frozenset(
    {
        "channel_left",
        "group_left",
        *_DELETIONS,
        "channel_shared",
        "channel_unshared",
        "channel_convert_to_private",
        "channel_convert_to_public",
    }
)
_OWN_MEMBERSHIP = frozenset({"member_joined_channel", "member_left_channel"})


def shared_file(file: Mapping[str, Any]) -> SharedFile:
    """A file of a message. A Slack Connect stub (``check_file_info``) has an id alone; the rest is asked for later."""
    return SharedFile(
        file_id=str(file["id"]),
        name=str(file.get("name") or file.get("title") or ""),
        mimetype=str(file.get("mimetype") or ""),
        size=int(file.get("size") or 0),
        is_voice_clip=is_voice_clip(file),
        transcript=complete_transcript(file),
    )


def files_of(message: Mapping[str, Any]) -> tuple[SharedFile, ...]:
    """The files that a message brings; those already deleted are left out."""
    files = message.get("files") or ()
    return tuple(shared_file(file) for file in files if file.get("id") and file.get("mode") != "tombstone")


def file_ids_of(message: Mapping[str, Any]) -> list[str]:
    """Ids of the files that a message shows, clips and stubs included."""
    return [file.file_id for file in files_of(message)]


def uploads_of(message: Mapping[str, Any]) -> list[Decision]:
    """Each file of a person's message to be learnt; a voice clip is a question, not a document."""
    return [
        Upload(conversation=str(message["channel"]), upload_ts=str(message["ts"]), user=str(message["user"]), file=file)
        for file in files_of(message)
        if not file.is_voice_clip
    ]


def read_file_event(arrival: Arrival) -> list[Decision]:
    """``file_shared`` and its kin name the file alone; whoever knows the file looks at what it has become."""
    file_id = arrival.event.get("file_id") or (arrival.event.get("file") or {}).get("id")
    if not file_id:
        return []
    kind = arrival.event.get("type")
    if kind == "file_deleted":
        return [FileDeleted(str(file_id))]
    return [FileMoved(str(file_id), new_content=kind == "file_change")]


def read_place_event(arrival: Arrival) -> list[Decision]:
    """What happened to a conversation itself, where that changes who may read the files that are shared in it."""
    event = arrival.event
    kind = event.get("subtype") if event.get("type") == "message" else event.get("type")
    if kind == "channel_id_changed":
        return [PlaceChanged(str(event[name])) for name in ("old_channel_id", "new_channel_id") if event.get(name)]
    is_own = kind in _OWN_MEMBERSHIP and event.get("user") == arrival.identity.user
    if not is_own and kind not in _PLACE_EVENTS:
        return []
    channel = event.get("channel")
    conversation = channel.get("id") if isinstance(channel, Mapping) else channel
    return [PlaceChanged(str(conversation), is_gone=kind in _DELETIONS)] if conversation else []
