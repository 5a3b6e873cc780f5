"""Roles: who may contribute, look after a document, ask where; and what is noted of it."""

from __future__ import annotations

from typing import Final

from tests.mutations.model import Mutant

ROLES: Final = "permissions/roles.py"
DECIDED: Final = "tests/integration/permissions/test_roles.py::test_"
CONTRIBUTED: Final = "tests/integration/test_contributions.py::test_"

COMMANDS: Final = "tests/integration/test_commands_as.py::test_"
LIBRARY: Final = "bot/library.py"
SEEN: Final = "tests/integration/test_library.py::test_"

MUTANTS: Final = (
    Mutant(
        "nothing follows from what was known of a person too long ago",
        ROLES,
        "_STANDING",
        "AND confirmed_at >= %(since)s AND NOT (is_deleted OR is_bot)",
        "AND NOT (is_deleted OR is_bot)",
        (f"{DECIDED}nothing_follows_from_what_is_unknown_stale_or_deactivated",),
    ),
    Mutant(
        "nothing follows from a deactivated account",
        ROLES,
        "_STANDING",
        "AND NOT (is_deleted OR is_bot)",
        "",
        (f"{DECIDED}a_deactivated_uploader_curates_nothing",),
    ),
    Mutant(
        "an uploader looks after their own documents alone",
        ROLES,
        "_IS_UPLOADER",
        "AND created_by = %(user)s",
        "",
        (f"{DECIDED}who_curates_a_document",),
    ),
    Mutant(
        "a curator looks after what is open to them",
        ROLES,
        "Roles.may_curate",
        "and await self.may_read(team, user, document)",
        "",
        (f"{DECIDED}who_curates_a_document",),
    ),
    Mutant(
        "a role reads nothing",
        ROLES,
        "_IS_READER",
        "AND principal = ANY (%(principals)s)",
        "",
        (f"{DECIDED}who_curates_a_document",),
    ),
    Mutant(
        "a role includes those below it alone",
        ROLES,
        "Role.includes",
        ">=",
        "<=",
        (f"{DECIDED}each_role_may_what_the_one_before_may",),
    ),
    Mutant(
        "guests and people from outside ask where the settings let them",
        ROLES,
        "Roles.ask_refusal",
        "if standing is None or standing.is_full_member:",
        "if True:",
        (f"{DECIDED}where_people_from_outside_may_ask",),
    ),
    Mutant(
        "who may not ask is turned away before anything is read",
        "bot/agent/admission.py",
        "Admission.refusal",
        "if reason is None:",
        "if True:",
        ("tests/integration/agent/test_admission.py::test_a_guest_asks_in_their_channel_and_not_in_a_direct_message",),
    ),
    Mutant(
        "a reader's file is not learned",
        "bot/contributions.py",
        "VettedContributions.register",
        "or await self.roles.may(team, user, Role.CONTRIBUTOR)",
        "or True",
        (f"{CONTRIBUTED}a_readers_file_is_not_learned_and_they_are_told_once_in_their_thread",),
    ),
    Mutant(
        "a file's title is for whom it is open to",
        LIBRARY,
        "FILE",
        "AND principal = ANY (%(principals)s))",
        ")",
        (f"{SEEN}the_uploader_who_has_left_looks_after_it_without_its_name",),
    ),
    Mutant(
        "App Home: a title is for whom the file is open to",
        LIBRARY,
        "LOOKED_AFTER",
        "CASE WHEN is_open THEN title END AS title",
        "title",
        (f"{SEEN}the_uploader_who_has_left_looks_after_it_without_its_name",),
    ),
    Mutant(
        "App Home: a curator finds what is open to them alone",
        LIBRARY,
        "LOOKED_AFTER",
        "(%(curates)s AND is_open)",
        "%(curates)s",
        (f"{SEEN}a_curator_finds_what_is_open_to_them_and_nothing_else",),
    ),
    Mutant(
        "who can see a file is told to those whom it is open to",
        LIBRARY,
        "FileLibrary.who_sees",
        "if scope.principals.isdisjoint(granted) and not may_forget:",
        "if False:",
        (f"{SEEN}whom_the_file_is_not_open_to_is_told_nothing_and_that_is_noted",),
    ),
    Mutant(
        "a file is forgotten for who looks after it",
        LIBRARY,
        "FileLibrary.forget",
        "if not await self.roles.may_curate(team, by, document):",
        "if False:",
        (f"{SEEN}who_may_have_a_file_forgotten",),
    ),
    Mutant(
        "a role shows no text of documents",
        "bot/commands/library.py",
        "_shown_to",
        'return {**found, "units": []}',
        "return found",
        (f"{COMMANDS}text_is_shown_to_whom_the_document_is_open_and_to_no_role",),
    ),
    Mutant(
        "who publishes, rolls back and deletes looks after the document",
        "bot/commands/curating.py",
        "_curator",
        "if asker is not None and not await core.roles.may_curate(team, actor, document):",
        "if False:",
        (f"{COMMANDS}who_publishes_rolls_back_and_deletes",),
    ),
    Mutant(
        "the audit trail is for administrators",
        "bot/commands/acting.py",
        "person_with",
        "if not await core.roles.may(team, person, role):",
        "if False:",
        (f"{COMMANDS}the_audit_trail_is_for_administrators",),
    ),
)
