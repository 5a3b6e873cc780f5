"""Who is where: events and listings, and what they take away at once."""

from __future__ import annotations

from typing import Final

from tests.mutations.model import Mutant

SQL: Final = "permissions/adapters/directory_sql.py"
ROWS: Final = "permissions/adapters/postgres.py"
SYNC: Final = "permissions/sync.py"
DIRECTORY: Final = "tests/integration/permissions/test_directory.py::test_"
SYNCED: Final = "tests/integration/permissions/test_sync.py::test_"

MUTANTS: Final = (
    Mutant(
        "whoever leaves is there no more",
        ROWS,
        "PgDirectory.remove_member",
        "leave = (sql.REMOVE_MEMBER, sql.REMEMBER_DEPARTURE)",
        "leave = (sql.REMEMBER_DEPARTURE,)",
        (f"{DIRECTORY}leaving_acts_at_once",),
    ),
    Mutant(
        "an event older than another about the same person changes nothing",
        ROWS,
        "PgDirectory._apply",
        "if superseded:",
        "if False:",
        (f"{DIRECTORY}events_are_ordered_by_slacks_time",),
    ),
    Mutant(
        "a join from before the listing proves nothing",
        ROWS,
        "PgDirectory._apply",
        "when_late if late else statements",
        "statements",
        (f"{DIRECTORY}a_join_from_before_the_listing_proves_nothing",),
    ),
    Mutant(
        "a listing begun before does not bring back who left",
        SQL,
        "ADD_LISTED",
        "AND d.left_at > %(as_of)s",
        "AND false",
        (f"{DIRECTORY}a_listing_begun_before_somebody_left_does_not_bring_them_back",),
    ),
    Mutant(
        "a listing begun before does not drop a guest who joined",
        SQL,
        "DROP_ABSENT",
        "AND confirmed_at <= %(as_of)s",
        "",
        (f"{DIRECTORY}a_listing_begun_before_somebody_joined_does_not_drop_them",),
    ),
    Mutant(
        "whoever a listing lacks is there no more",
        SQL,
        "DROP_ABSENT",
        "AND user_id <> ALL (%(members)s)",
        "AND false",
        (f"{DIRECTORY}a_listing_replaces_the_members",),
    ),
    Mutant(
        "old news of a person are dropped",
        SQL,
        "PUT_PEOPLE",
        "WHERE people.confirmed_at <= excluded.confirmed_at",
        "",
        (f"{DIRECTORY}old_news_of_a_person_are_dropped",),
    ),
    Mutant(
        "where somebody was before the bot was removed proves nothing",
        SQL,
        "CONFIRM_CONVERSATIONS_OF",
        "AND c.forgotten_at > %(as_of)s",
        "AND false",
        (f"{DIRECTORY}a_list_from_before_the_bot_was_removed_proves_nothing",),
    ),
    Mutant(
        "a public channel that is deleted takes the workspace's grants along",
        ROWS,
        "PgDirectory.delete_conversation",
        "await _withdraw_workspace(connection, team, conversation) if is_closed else []",
        "list[str]()",
        (f"{SYNCED}a_deleted_public_channel_takes_along_what_it_gave_to_the_workspace",),
    ),
    Mutant(
        "a channel that becomes private takes the workspace's grants along",
        ROWS,
        "PgDirectory.make_private",
        "narrowed = await _withdraw_workspace(connection, team, conversation)",
        "narrowed: list[str] = []",
        (f"{DIRECTORY}a_channel_that_becomes_private_takes_the_workspaces_grant_along",),
    ),
    Mutant(
        "so does one that is found to be private",
        ROWS,
        "PgDirectory.put_conversation",
        "if is_closed else []",
        "if False else []",
        (f"{DIRECTORY}a_channel_that_becomes_private_takes_the_workspaces_grant_along",),
    ),
    Mutant(
        "when the bot leaves nobody is known to be there",
        SYNC,
        "WorkspaceSync.member_left",
        "if is_ourselves:",
        "if False:",
        (f"{SYNCED}when_the_bot_leaves_nobody_is_known_there",),
    ),
    Mutant(
        "a changed person is unknown until they are read again",
        SYNC,
        "WorkspaceSync.person_changed",
        "await self._directory.forget_person(team, user)",
        "",
        (f"{SYNCED}a_changed_person_who_cannot_be_read_is_unknown",),
    ),
    Mutant(
        "a channel that becomes private closes before it is read again",
        SYNC,
        "WorkspaceSync.conversation_became_private",
        "await self._directory.make_private(team, conversation)",
        "",
        (f"{SYNCED}a_channel_that_becomes_private_tells_whose_rights_shrank",),
    ),
    Mutant(
        "nobody holds the principal of a deleted conversation",
        SYNC,
        "WorkspaceSync.conversation_deleted",
        "await self._directory.delete_conversation(team, conversation)",
        "",
        (f"{SYNCED}a_deleted_conversation_is_nobodys",),
    ),
)
