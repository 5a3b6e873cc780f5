"""Which events are questions, uploads or changes, and which are nothing to us."""

from __future__ import annotations

from typing import Any

import pytest

from handlers.arrival import (
    Arrival,
    Decision,
    FileDeleted,
    FileMoved,
    FileShown,
    FilesUnshown,
    Identity,
    PlaceChanged,
    Question,
    QuestionDeleted,
    QuestionEdited,
    Upload,
)
from handlers.errors import Gone
from handlers.intake import Intake, decide
from permissions.model import ConversationKind
from tests.unit.handlers.slack_double import FakeSlack, Time

BOT = Identity(team="T1", user="UBOT", bot="BBOT", name="haitang")
FILE = {"id": "F1", "name": "policy.pdf", "mimetype": "application/pdf", "size": 10}
CLIP = {"id": "F2", "name": "audio_message.m4a", "mimetype": "video/mp4", "subtype": "slack_audio", "size": 10}


def decided(**event: Any) -> list[Decision]:
    values = {"type": "message", "channel": "C1", "channel_type": "channel", "user": "U1", "ts": "2.0", **event}
    body = {"type": "event_callback", "team_id": "T1", "event_id": "Ev1", "event": values}
    return decide(Arrival.of(body, BOT))


def question(**event: Any) -> Question:
    (decision,) = decided(**event)
    assert isinstance(decision, Question)
    return decision


NOTHING: dict[str, dict[str, Any]] = {
    "our own message": {"user": "UBOT", "text": "<@UBOT> hello"},
    "another bot": {"bot_id": "B2", "text": "<@UBOT> hello"},
    "a bot's message without a user": {"user": None, "subtype": "bot_message", "text": "<@UBOT> hello"},
    "Slackbot": {"user": "USLACKBOT", "text": "<@UBOT> hello"},
    "a join": {"subtype": "channel_join", "text": "<@U1> has joined"},
    "a join with a mention": {"subtype": "channel_join", "text": "<@UBOT> has joined", "inviter": "U1"},
    "a new topic": {"subtype": "channel_topic", "text": "<@UBOT>'s channel"},
    "talk of others": {"text": "lunch?"},
    "a mention of another": {"text": "<@U2> lunch?"},
    "an app_mention of our own": {"type": "app_mention", "user": "UBOT", "text": "<@UBOT>"},
    "an app_mention of another bot": {"type": "app_mention", "bot_id": "B2", "text": "<@UBOT>"},
    "an app_mention by an edit": {"type": "app_mention", "text": "<@UBOT> hi", "edited": {"ts": "3.0"}},
    "a mention in code": {"text": "type `<@UBOT> question` to ask"},
    "a mention in a code block": {"text": "```\n<@UBOT> question\n```"},
    "a mention in an open code block": {"text": "look: ```<@UBOT> question"},
    "a mention in a quotation": {"text": "&gt; <@UBOT> how long?\nwe know that already"},
    "an unfurl": {
        "subtype": "message_changed",
        "message": {"user": "U1", "ts": "1.0", "text": "<@UBOT> see https://a.example", "attachments": [{}]},
        "previous_message": {"user": "U1", "ts": "1.0", "text": "<@UBOT> see https://a.example"},
    },
    "our own edit": {
        "subtype": "message_changed",
        "message": {"user": "UBOT", "bot_id": "BBOT", "ts": "1.0", "text": "b"},
        "previous_message": {"user": "UBOT", "ts": "1.0", "text": "a"},
    },
    "a reply count": {"subtype": "message_replied", "message": {"user": "U1", "ts": "1.0"}},
    "a hidden message": {"hidden": True, "text": "<@UBOT> hello"},
    "an empty direct message": {"channel": "D1", "channel_type": "im", "text": ""},
    "a reaction": {"type": "reaction_added"},
    "an event without a file": {"type": "file_shared"},
    "an event without an author": {"user": None, "text": "<@UBOT> hello"},
}


@pytest.mark.parametrize("event", NOTHING.values(), ids=NOTHING)
def test_nothing_to_us(event: dict[str, Any]) -> None:
    assert decided(**event) == []


@pytest.mark.parametrize("kind", ["app_mention", "message"])
def test_the_two_forms_of_a_mention_are_the_same_question(kind: str) -> None:
    inquiry = question(type=kind, text="<@UBOT> how long?").inquiry
    assert (inquiry.dedupe_key, inquiry.text, inquiry.thread_ts) == ("T1/C1/2.0", "how long?", "2.0")


def test_a_bare_mention_is_a_question_without_words() -> None:
    assert question(type="app_mention", text="<@UBOT>").inquiry.text == ""


def test_a_mention_in_a_thread_is_answered_there() -> None:
    assert question(text="<@UBOT> how long?", thread_ts="1.0").inquiry.thread_ts == "1.0"


def test_a_mention_beside_a_quotation_is_a_question() -> None:
    assert question(text="&gt; five years\n<@UBOT> is that so?").inquiry.text == "> five years\n is that so?"


@pytest.mark.parametrize(
    ("channel", "channel_type", "kind"),
    [
        ("C1", "channel", ConversationKind.PUBLIC),
        ("C1", "group", ConversationKind.PRIVATE),
        ("C1", None, ConversationKind.PRIVATE),
        ("G1", "mpim", ConversationKind.GROUP_DM),
        ("D1", None, ConversationKind.DM),
    ],
)
def test_the_kind_of_conversation(channel: str, channel_type: str | None, kind: ConversationKind) -> None:
    assert question(channel=channel, channel_type=channel_type, text="<@UBOT> hi").inquiry.kind is kind


def test_direct_messages_need_no_mention_and_are_answered_where_they_stand() -> None:
    asked = question(channel="D1", channel_type="im", text="how long?")
    assert (asked.inquiry.thread_ts, asked.only_if_engaged) == (None, False)
    assert question(channel="D1", channel_type="im", text="how long?", thread_ts="1.0").inquiry.thread_ts == "1.0"


def test_a_reply_without_a_mention_is_a_question_only_where_the_bot_is_engaged() -> None:
    assert question(text="and who supplies it?", thread_ts="1.0").only_if_engaged
    assert decided(text="<@U2> do you know?", thread_ts="1.0") == []
    assert question(text="ask <@U2> too?", thread_ts="1.0").only_if_engaged
    assert question(text="also in the channel", thread_ts="1.0", subtype="thread_broadcast").only_if_engaged
    assert question(channel="G1", channel_type="mpim", text="and?", thread_ts="1.0").only_if_engaged


def test_words_are_as_their_author_sees_them() -> None:
    text = "<@UBOT>  is <https://a.example|the shop> in <#C2|sales> &lt; 5 &amp; <@U2> here? <!here>"
    assert question(text=text).inquiry.text == "is the shop in sales < 5 & <@U2> here? here"


def test_files_are_uploads_and_beside_words_to_the_bot_a_question_too() -> None:
    shared = {"subtype": "file_share", "files": [FILE, {"id": "F9", "mode": "tombstone"}]}
    (upload,) = decided(**shared, text="our policy")
    assert isinstance(upload, Upload)
    assert (upload.file.file_id, upload.upload_ts, upload.user) == ("F1", "2.0", "U1")
    assert [type(one) for one in decided(**shared, text="<@UBOT> what is it?")] == [Question, Upload]
    assert [type(one) for one in decided(**shared, text="<@UBOT>")] == [Upload]
    assert [type(one) for one in decided(**shared, channel="D1", channel_type="im", text="")] == [Upload]
    assert [type(one) for one in decided(**shared, text="see there", thread_ts="1.0")] == [Question, Upload]


def test_a_stub_of_slack_connect_is_an_upload_by_its_id() -> None:
    stub = {"id": "F3", "mode": "file_access", "file_access": "check_file_info"}
    (upload,) = decided(subtype="file_share", files=[stub], text="")
    assert isinstance(upload, Upload)
    assert (upload.file.file_id, upload.file.name) == ("F3", "")


def test_a_voice_clip_is_a_question_and_never_a_document() -> None:
    asked = question(subtype="file_share", files=[CLIP], text="")
    assert asked.inquiry.voice is not None
    assert not asked.only_if_engaged
    assert question(subtype="file_share", files=[CLIP], text="", thread_ts="1.0").only_if_engaged
    assert question(subtype="file_share", files=[{**CLIP, "subtype": None}], text="").inquiry.voice is not None


@pytest.mark.parametrize(
    ("transcription", "expected"),
    [
        ({"status": "complete", "preview": {"content": "how long", "has_more": False}}, "how long"),
        ({"status": "complete", "preview": {"content": "how long", "has_more": True}}, None),
        ({"status": "processing"}, None),
        ({"status": "complete", "preview": {"content": " "}}, None),
        (None, None),
    ],
)
def test_only_a_complete_transcript_is_taken(transcription: Any, expected: str | None) -> None:
    voice = question(subtype="file_share", files=[{**CLIP, "transcription": transcription}], text="").inquiry.voice
    assert voice is not None
    assert voice.transcript == expected


def test_an_edit_and_a_deletion() -> None:
    (edit,) = decided(
        subtype="message_changed",
        message={"user": "U1", "ts": "1.0", "text": "<@UBOT> how long is it?"},
        previous_message={"user": "U1", "ts": "1.0", "text": "<@UBOT> how long?"},
    )
    assert isinstance(edit, QuestionEdited)
    assert (edit.inquiry.dedupe_key, edit.inquiry.text) == ("T1/C1/1.0", "how long is it?")
    before = {"user": "U1", "ts": "1.0", "files": [FILE]}
    assert decided(subtype="message_deleted", deleted_ts="1.0", previous_message=before) == [
        QuestionDeleted("C1", "1.0"),
        FilesUnshown("C1", "1.0", ("F1",), is_gone=True),
    ]
    assert decided(subtype="message_deleted", deleted_ts="1.0") == [
        QuestionDeleted("C1", "1.0"),
        FilesUnshown("C1", "1.0", (), is_gone=True),
    ]
    assert decided(
        subtype="message_changed", message={"subtype": "tombstone", "ts": "1.0"}, previous_message=before
    ) == [QuestionDeleted("C1", "1.0"), FilesUnshown("C1", "1.0", ("F1",), is_gone=True)]


def test_an_edit_that_drops_or_adds_a_file() -> None:
    """slack.md, Files: who may see a file is recomputed when a message no longer shares it, whoever wrote it."""
    with_file, without = {"user": "U1", "ts": "1.0", "text": "look", "files": [FILE]}, {"user": "U1", "ts": "1.0"}
    without["text"] = "look"
    dropped = decided(subtype="message_changed", message=without, previous_message=with_file)
    assert dropped == [FilesUnshown("C1", "1.0", ("F1",))]
    added = decided(subtype="message_changed", message=with_file, previous_message=without)
    assert added == [FileShown("C1", "1.0", "F1")]
    of_a_bot = {"message": {**without, "bot_id": "B2"}, "previous_message": {**with_file, "bot_id": "B2"}}
    assert decided(subtype="message_changed", **of_a_bot) == [FilesUnshown("C1", "1.0", ("F1",))]
    edit, unshown = decided(subtype="message_changed", message={**without, "text": "gone"}, previous_message=with_file)
    assert (type(edit), unshown) == (QuestionEdited, FilesUnshown("C1", "1.0", ("F1",)))


def test_a_file_that_a_bot_shows_is_remembered_and_not_learnt() -> None:
    assert decided(subtype="file_share", files=[FILE], bot_id="B2") == [FileShown("C1", "2.0", "F1")]
    assert decided(subtype="bot_message", files=[FILE], user=None) == [FileShown("C1", "2.0", "F1")]


def test_a_reply_that_is_shown_in_the_channel_too_shares_its_file() -> None:
    (upload,) = decided(subtype="thread_broadcast", thread_ts="1.0", files=[FILE], text="")
    assert isinstance(upload, Upload)


@pytest.mark.parametrize(
    "event",
    [
        {"type": "member_joined_channel", "user": "UBOT"},
        {"type": "member_left_channel", "user": "UBOT"},
        {"type": "channel_left"},
        {"type": "group_left"},
        {"type": "channel_deleted"},
        {"type": "channel_shared"},
        {"type": "channel_unshared"},
        {"subtype": "channel_convert_to_private", "text": "made this channel *private*."},
        {"subtype": "channel_convert_to_public", "text": "made this channel *public*."},
        {"type": "channel_deleted", "channel": {"id": "C1"}},
    ],
)
def test_a_changed_place_has_its_files_looked_at(event: dict[str, Any]) -> None:
    assert decided(**event) == [PlaceChanged("C1", is_gone=event.get("type") == "channel_deleted")]


def test_a_new_id_of_a_channel_concerns_the_files_of_both() -> None:
    event = {"type": "channel_id_changed", "old_channel_id": "C1", "new_channel_id": "C2"}
    assert decided(**event) == [PlaceChanged("C1"), PlaceChanged("C2")]
    assert decided(type="member_joined_channel") == []


def test_events_of_files_say_which_to_look_at() -> None:
    assert decided(type="file_deleted", file_id="F1") == [FileDeleted("F1")]
    for kind in ("file_shared", "file_unshared", "file_public"):
        assert decided(type=kind, file_id="F1") == [FileMoved("F1")]
    assert decided(type="file_change", file={"id": "F1"}) == [FileMoved("F1", new_content=True)]


def test_the_team_is_the_one_the_app_is_installed_in() -> None:
    body = {"team_id": "TOTHER", "authorizations": [{"team_id": "T1"}], "event": {}}
    assert Arrival.of(body, BOT).team == "T1"
    assert Arrival.of({"event": {}}, BOT).team == "T1"


class Broken:
    """Ports without a database behind them."""

    def __getattr__(self, name: str) -> Any:
        async def refuse(*_: object, **__: object) -> None:
            raise ConnectionError("the database is gone")

        return refuse


@pytest.mark.parametrize(
    ("event", "told"),
    [
        ({"text": "<@UBOT> how long?"}, 1),
        ({"text": "", "subtype": "file_share", "files": [FILE]}, 1),
        ({"type": "file_deleted", "file_id": "F1"}, 0),
    ],
)
async def test_what_cannot_be_accepted_is_raised_and_told_once_in_ten_minutes(event: dict[str, Any], told: int) -> None:
    slack, time = FakeSlack(), Time()
    intake = Intake(
        questions=Broken(), contributions=Broken(), uploads=Broken(), memberships=Broken(), messages=slack, clock=time
    )
    body = {
        "event": {"type": "message", "channel": "C1", "channel_type": "channel", "user": "U1", "ts": "2.0", **event}
    }
    for after in (0, 60, 660):
        time.now += after
        with pytest.raises(ConnectionError):
            await intake.accept(body, BOT)
        await intake.aclose()
    assert len(slack.shown) == 2 * told


async def test_that_it_cannot_even_be_told_changes_nothing() -> None:
    slack = FakeSlack()
    slack.fail("post", Gone("channel_not_found"))
    intake = Intake(
        questions=Broken(), contributions=Broken(), uploads=Broken(), memberships=Broken(), messages=slack, clock=Time()
    )
    event = {"type": "message", "channel": "D1", "channel_type": "im", "user": "U1", "ts": "2.0", "text": "how long?"}
    with pytest.raises(ConnectionError):
        await intake.accept({"event": event}, BOT)
    await intake.aclose()
    assert not slack.shown


def test_what_no_database_keeps_is_no_reason_to_lose_a_message() -> None:
    """JSON can carry NUL and half an emoji, in words and in names of files."""
    asked, upload = decided(text="<@UBOT> the kiln\x00 \ud83d?", files=[{**FILE, "name": "a\x00\udc00.pdf"}])
    assert isinstance(asked, Question)
    assert isinstance(upload, Upload)
    assert (asked.inquiry.text, upload.file.name) == ("the kiln\ufffd \ufffd?", "a\ufffd\ufffd.pdf")
