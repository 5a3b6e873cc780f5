"""Roles: who may contribute, look after a document, ask where; and what is noted of it."""

from __future__ import annotations

from typing import Final

from tests.mutations.model import Mutant

ROLES: Final = "permissions/roles.py"
DECIDED: Final = "tests/integration/permissions/test_roles.py::test_"
CONTRIBUTED: Final = "tests/integration/test_contributions.py::test_"

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
)
