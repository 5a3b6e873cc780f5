"""Audience and scope: who reads, what each of them has, and what counts as known."""

from __future__ import annotations

from typing import Final

from tests.mutations.model import Mutant

SCOPES: Final = "permissions/scopes.py"
COVERAGE: Final = "permissions/adapters/coverage_sql.py"
RULES: Final = "tests/integration/permissions/test_scope_rules.py::test_"
DOUBTS: Final = "tests/integration/permissions/test_scope_doubts.py::test_"
BUILT: Final = (
    "tests/integration/permissions/test_rosters.py"
    "::test_a_change_that_ends_after_an_earlier_one_was_built_in_is_not_missed"
)
EXAMPLES: Final = f"{RULES}a_scope_is_the_askers_principals_that_all_readers_have"

MUTANTS: Final = (
    Mutant(
        "guests and outsiders take the workspace away",
        SCOPES,
        "_among_others",
        "if place.has_outsiders:",
        "if False:",
        (f"{RULES}people_of_elsewhere_are_outsiders",),
    ),
    Mutant(
        "a reader of whom nothing is known takes the workspace away",
        SCOPES,
        "_among_others",
        "elif not place.has_unknown:",
        "else:",
        (f"{RULES}a_member_of_whom_nothing_is_known_counts_as_a_reader",),
    ),
    Mutant(
        "a list of members that is unknown or stale covers nothing else",
        SCOPES,
        "_among_others",
        "if not place.members_known:",
        "if False:",
        (f"{RULES}unknown_members_leave_the_channels_own",),
    ),
    Mutant(
        "a shared channel keeps its own files alone",
        SCOPES,
        "_among_others",
        "if place.is_shared:",
        "if False:",
        (f"{RULES}a_shared_channel_keeps_its_own_files_alone",),
    ),
    Mutant(
        "without the list of people nothing covers a public channel",
        SCOPES,
        "_among_others",
        "trusted = place.people_known or place.kind is not ConversationKind.PUBLIC",
        "trusted = True",
        (f"{RULES}without_the_list_of_people_only_the_workspace_covers_a_public_channel",),
    ),
    Mutant(
        "a third reader in a direct message closes it",
        SCOPES,
        "_in_dm",
        "place.readers != 1 or",
        "",
        (f"{DOUBTS}a_direct_message_with_a_third_reader_finds_nothing",),
    ),
    Mutant(
        "who asks in a place must be in it",
        SCOPES,
        "_decide",
        "if not place.asker_is_member and not _reads_without_joining(person, place):",
        "if False:",
        (f"{EXAMPLES}[not in the private channel]", f"{EXAMPLES}[somebody else's DM]"),
    ),
    Mutant(
        "a guest reads no public channel without joining",
        SCOPES,
        "_reads_without_joining",
        "and person.is_full_member",
        "",
        (f"{EXAMPLES}[a guest does not see every public channel]",),
    ),
    Mutant(
        "the workspace is for full members",
        SCOPES,
        "_alone",
        "if person.is_full_member",
        "if True",
        (f"{EXAMPLES}[a guest alone has no workspace]",),
    ),
    Mutant(
        "an asker who is bot or deactivated has nothing",
        COVERAGE,
        "_ASKER",
        "AND NOT p.is_bot AND NOT p.is_deleted",
        "",
        (f"{EXAMPLES}[a bot asks for nobody]",),
    ),
    Mutant(
        "a stale asker is unknown",
        COVERAGE,
        "_ASKER",
        "AND p.confirmed_at >= %(since)s",
        "",
        (f"{RULES}a_stale_asker_is_unknown",),
    ),
    Mutant(
        "a stale conversation is unknown",
        COVERAGE,
        "_PLACE",
        "AND c.confirmed_at >= %(since)s",
        "",
        (f"{DOUBTS}a_stale_conversation_is_unknown",),
    ),
    Mutant(
        "a stale membership of the asker proves nothing",
        COVERAGE,
        "_THEIRS",
        "confirmed_at >= %(since)s AS is_fresh FROM memberships",
        "true AS is_fresh FROM memberships",
        (f"{RULES}a_stale_membership_proves_nothing_and_is_told",),
    ),
    Mutant(
        "a stale membership in a group proves nothing",
        COVERAGE,
        "_THEIRS",
        "confirmed_at >= %(since)s FROM group_members",
        "true FROM group_members",
        (f"{DOUBTS}a_stale_membership_of_a_group_proves_nothing",),
    ),
    Mutant(
        "only what the asker freshly holds may cover",
        COVERAGE,
        "_OF_ASKER",
        "is_fresh AND",
        "",
        (f"{RULES}a_stale_membership_proves_nothing_and_is_told",),
    ),
    Mutant(
        "a principal covers when no reader is without it",
        COVERAGE,
        "_VERDICTS",
        "r.block = h.block AND bit_count(r.bits & ~h.members) = 0",
        "r.block = h.block",
        (f"{EXAMPLES}[private: the third member lacks PRICES]",),
    ),
    Mutant(
        "every full member reads a public channel",
        COVERAGE,
        "_VERDICTS",
        "full_members | (everyone & ~known)",
        "everyone & ~known",
        (f"{DOUBTS}every_full_member_reads_a_public_channel_that_they_never_joined",),
    ),
    Mutant(
        "whoever may be a full member by now reads a public channel",
        COVERAGE,
        "_VERDICTS",
        "full_members | (everyone & ~known)",
        "full_members",
        (f"{DOUBTS}somebody_who_may_be_a_full_member_by_now_reads_a_public_channel",),
    ),
    Mutant(
        "a reader's stale membership elsewhere proves nothing",
        COVERAGE,
        "_HELD",
        "m.conversation_id = w.id AND m.confirmed_at >= %(since)s",
        "m.conversation_id = w.id",
        (f"{DOUBTS}a_reader_whose_membership_elsewhere_is_stale_does_not_have_it",),
    ),
    Mutant(
        "a person who is not freshly known counts as a reader",
        COVERAGE,
        "_KNOWN_NOW",
        "p.confirmed_at >= %(since)s",
        "true",
        (f"{DOUBTS}a_member_who_was_known_too_long_ago_counts_as_a_reader",),
    ),
    Mutant(
        "what was computed of people grows old with their rows",
        COVERAGE,
        "_CROWD",
        ">= %(since)s, false) AS is_usable",
        "IS NOT NULL, false) AS is_usable",
        (f"{DOUBTS}what_was_computed_for_earlier_questions_grows_old_with_the_people",),
    ),
    Mutant(
        "what was computed of members grows old with their rows",
        COVERAGE,
        "_HELD",
        "min(r.oldest) OVER (PARTITION BY r.kind, r.id) >= %(since)s AS is_fresh",
        "true AS is_fresh",
        (f"{DOUBTS}what_was_computed_for_earlier_questions_grows_old_with_the_members",),
    ),
    Mutant(
        "what was computed of people is not believed after a change",
        COVERAGE,
        "_CROWD",
        "NOT EXISTS (SELECT FROM roster_changes x WHERE x.team = %(team)s AND x.kind = 'people')",
        "true",
        (BUILT,),
    ),
    Mutant(
        "what was computed of members is not believed after a change",
        COVERAGE,
        "_HELD",
        "WHERE NOT EXISTS (SELECT FROM roster_changes x WHERE x.team = %(team)s AND x.kind = w.kind AND x.id = w.id)",
        "",
        (BUILT,),
    ),
    Mutant(
        "who reads here is not believed after a change",
        COVERAGE,
        "_JOINED",
        "AND x.kind = 'channel' AND x.id = %(conversation)s",
        "AND false",
        (BUILT,),
    ),
    Mutant(
        "the conversation's own channel is for those in it",
        SCOPES,
        "_among_others",
        "if place.asker_is_member else _NOTHING",
        "",
        (f"{EXAMPLES}[reads without joining, holds nothing of it]",),
    ),
)
