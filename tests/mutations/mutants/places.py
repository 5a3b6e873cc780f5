"""Where files are shared: what grants, what does not, and what takes a grant away."""

from __future__ import annotations

from typing import Final

from tests.mutations.model import Mutant

PLACES: Final = "bot/places.py"
SHARED: Final = "tests/integration/places/test_places.py::test_"
TROUBLE: Final = "tests/integration/places/test_slack_in_trouble.py::test_"
CHANGED: Final = "tests/integration/places/test_changed_places.py::test_"

MUTANTS: Final = (
    Mutant(
        "the workspace only where our row says that the channel is public",
        PLACES,
        "_narrower",
        "known is ConversationKind.PUBLIC and",
        "",
        (f"{TROUBLE}a_channel_opens_a_file_to_everyone_only_where_list_and_row_agree",),
    ),
    Mutant(
        "the workspace only where Slack's list says that the channel is public",
        PLACES,
        "_narrower",
        "and said in {None, ConversationKind.PUBLIC}",
        "",
        (f"{TROUBLE}a_channel_opens_a_file_to_everyone_only_where_list_and_row_agree",),
    ),
    Mutant(
        "a channel's kind is held until its grants are written",
        "permissions/grants.py",
        "_KINDS_HELD",
        "FOR SHARE",
        "",
        (f"{TROUBLE}a_channel_that_becomes_private_while_a_list_is_written_takes_the_workspace_along",),
    ),
    Mutant(
        "what is read first is written first",
        PLACES,
        "FilePlaces.refresh",
        "self._turns.setdefault(document.document_id, asyncio.Lock())",
        "asyncio.Lock()",
        (f"{TROUBLE}what_was_read_before_does_not_overwrite_what_was_read_since",),
    ),
    Mutant(
        "a message that is gone grants nothing, whatever an old list says",
        PLACES,
        "_standing",
        "stands = any((share.conversation, ts) not in gone for ts in share.messages)",
        "stands = True",
        (f"{TROUBLE}a_message_that_was_deleted_does_not_come_back_with_late_news_or_an_old_list",),
    ),
    Mutant(
        "late news does not bring back a message that is gone",
        "bot/shares.py",
        "NOTE",
        "ON CONFLICT DO NOTHING",
        "ON CONFLICT (team, file_id, conversation_id, ts) DO UPDATE SET gone_at = NULL",
        (f"{TROUBLE}a_message_that_was_deleted_does_not_come_back_with_late_news_or_an_old_list",),
    ),
    Mutant(
        "while Slack is away what is known to be gone is withdrawn",
        PLACES,
        "FilePlaces.refresh",
        "await self.withdraw_gone(document)",
        "pass",
        (f"{TROUBLE}what_was_lost_before_is_withdrawn_by_the_look_that_fails",),
    ),
    Mutant(
        "a deleted message takes its place along before Slack is asked",
        "bot/uploads.py",
        "SlackUploads.unshown",
        "await self._places.withdraw_gone(document)",
        "pass",
        (f"{TROUBLE}while_slack_is_away_a_deleted_message_takes_its_place_along",),
    ),
    Mutant(
        "a deleted channel takes its messages along",
        "bot/uploads.py",
        "SlackUploads.place_changed",
        "if is_gone:",
        "if False:",
        (f"{TROUBLE}a_deleted_channel_gives_nothing_while_slack_is_away",),
    ),
    Mutant(
        "beyond Slack's list a message must show the file still",
        PLACES,
        "FilePlaces._verify",
        "if shown:",
        "if shown is not None:",
        (f"{SHARED}beyond_slacks_list_a_message_that_is_gone_does_not_count",),
    ),
    Mutant(
        "a place that can't be looked at grants nothing",
        PLACES,
        "FilePlaces._verify",
        "if shown:",
        "if shown is not False:",
        (f"{SHARED}a_place_that_cannot_be_looked_at_does_not_count",),
    ),
    Mutant(
        "a direct message is its person's, and not the uploader's",
        PLACES,
        "FilePlaces._grant",
        "principals_for_shares(team, shares, people=people)",
        "principals_for_shares(team, shares, people=dict.fromkeys(places, info.user))",
        (f"{SHARED}a_direct_message_with_the_bot_opens_a_file_to_its_person_whoever_uploaded_it",),
    ),
    Mutant(
        "a file that the bot can't see is nobody's",
        "bot/uploads.py",
        "SlackUploads.look_again",
        'log.warning("file_not_visible", file=file_id, error=error.error)\n'
        "            await self._rights.set(document.document_id, ())",
        "return",
        (f"{TROUBLE}a_file_that_slack_does_not_show_us_is_nobodys_at_once",),
    ),
    Mutant(
        "a file whose places can't be known for a day is nobody's",
        "bot/uploads.py",
        "SlackUploads.close",
        "await self._rights.set(document.document_id, ())",
        "pass",
        (f"{TROUBLE}a_file_that_slack_never_tells_of_again_is_closed",),
    ),
    Mutant(
        "a file unshared while it is downloaded is not learned for its old readers",
        "bot/uploads.py",
        "SlackSource.fetch",
        "await self._places.refresh(document)",
        "pass",
        (f"{TROUBLE}a_file_unshared_while_it_is_downloaded_is_nobodys",),
    ),
    Mutant(
        "a deleted file is gone at once",
        "bot/uploads.py",
        "SlackUploads.deleted",
        "await self._deletion.delete(document.document_id, by=SOURCE)",
        "pass",
        (f"{TROUBLE}a_deletion_does_not_wait_for_slack",),
    ),
    Mutant(
        "a message that drops a file is heard of",
        "handlers/messages.py",
        "_files_changed",
        "if dropped else shown",
        "if False else shown",
        ("tests/unit/handlers/test_intake.py::test_an_edit_that_drops_or_adds_a_file",),
    ),
    Mutant(
        "a deleted message takes its places along",
        "handlers/messages.py",
        "_gone",
        ", FilesUnshown(conversation, str(ts), files, is_gone=True)]",
        "]",
        ("tests/unit/handlers/test_intake.py::test_an_edit_and_a_deletion",),
    ),
    Mutant(
        "where the bot is no more its files are looked at again",
        "handlers/files.py",
        "read_place_event",
        "return [PlaceChanged(str(conversation), is_gone=kind in _DELETIONS)] if conversation else []",
        "return []",
        (f"{CHANGED}where_the_bot_is_no_more_its_files_are_open_no_longer",),
    ),
    Mutant(
        "what no event told is found by the sweep",
        "bot/file_sweep.py",
        "FileSweep.sweep",
        "await self._look_again(team=team, file_id=file_id)",
        "pass",
        (f"{CHANGED}what_no_event_told_is_found_by_the_sweep",),
    ),
)
