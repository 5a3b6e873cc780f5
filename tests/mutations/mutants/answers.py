"""Answers: the rights of the moment when evidence is frozen, saved, opened, and read as context."""

from __future__ import annotations

from typing import Final

from tests.mutations.model import Mutant

RECORDS: Final = "bot/answers/records.py"
CITATIONS: Final = "bot/answers/citations.py"
ORIGINALS: Final = "bot/answers/originals.py"
ANSWERING: Final = "tests/integration/agent/test_answering.py::test_"
OPENED: Final = "tests/integration/agent/test_citations.py::test_"
LINKS: Final = "tests/integration/agent/test_originals.py::test_"
FROZEN: Final = "tests/integration/agent/test_frozen_evidence.py::test_"
READABLE: Final = "grants.principal = ANY (%(principals)s)"

OFFERED: Final = "tests/integration/agent/test_remainder.py::test_"
REMAINDER: Final = "bot/agent/remainder.py"

MUTANTS: Final = (
    Mutant(
        "evidence: only what the scope may read at that moment",
        RECORDS,
        "READABLE_NOW",
        READABLE,
        "true",
        (f"{FROZEN}what_the_scope_may_not_read_any_more_is_neither_frozen_nor_saved",),
    ),
    Mutant(
        "evidence: nothing that was deleted meanwhile",
        RECORDS,
        "READABLE_NOW",
        "AND document.deleted_at IS NULL",
        "",
        (f"{FROZEN}what_was_deleted_is_neither_frozen_nor_saved",),
    ),
    Mutant(
        "evidence: nothing that was superseded meanwhile",
        RECORDS,
        "READABLE_NOW",
        "AND document.active_version = ANY (%(versions)s)",
        "",
        (f"{FROZEN}what_was_superseded_is_neither_frozen_nor_saved",),
    ),
    Mutant(
        "evidence: of this workspace alone",
        RECORDS,
        "READABLE_NOW",
        "AND document.team = %(team)s",
        "",
        (f"{FROZEN}another_workspace_freezes_nothing",),
    ),
    Mutant(
        "evidence is checked when it is frozen",
        RECORDS,
        "RunRecords.freeze",
        "await _require_readable(cursor, scope, evidence)",
        "pass",
        (f"{FROZEN}what_was_deleted_is_neither_frozen_nor_saved",),
    ),
    Mutant(
        "evidence is checked when the answer is saved",
        RECORDS,
        "RunRecords.save",
        "await _require_readable(cursor, scope, final.evidence)",
        "pass",
        (f"{ANSWERING}the_answer_of_a_deleted_document_is_not_kept",),
    ),
    Mutant(
        "the scope is looked up anew before evidence is frozen",
        "bot/agent/answering.py",
        "Answering.answer",
        "scope_now=partial(self.scope, run_id, inquiry)",
        'scope_now=__import__("unittest.mock").mock.AsyncMock(return_value=scope)',
        (f"{ANSWERING}an_asker_who_loses_a_right_while_they_are_answered_is_not_told",),
    ),
    Mutant(
        "a direct message's context is its asker's own",
        RECORDS,
        "RECENT_IN_DM",
        "AND asker = %(asker)s",
        "",
        (f"{ANSWERING}another_persons_questions_are_no_context_of_a_direct_message",),
    ),
    Mutant(
        "a click on a citation: only who may read the document today",
        CITATIONS,
        "CitationOpener.open",
        "raise CitationRefused(RefusalReason.NOT_ALLOWED)",
        'unit = UnitText(row["excerpt"], Place(), is_current=True)',
        (f"{OPENED}rights_that_were_taken_away_act_at_once",),
    ),
    Mutant(
        "a click on a citation: under the reader's own rights",
        CITATIONS,
        "CitationOpener.open",
        "scope = await self._scopes.scope(team=team, asker=reader, conversation=None)",
        'scope = await self._scopes.scope(team=team, asker="U1", conversation=None)',
        (f"{OPENED}who_is_not_in_the_channel_does_not",),
    ),
    Mutant(
        "a click on a citation: of this workspace alone",
        CITATIONS,
        "_EVIDENCE",
        "AND runs.team = %(team)s",
        "",
        (f"{OPENED}another_workspace_knows_nothing_of_it",),
    ),
    Mutant(
        "a click on a citation: nothing that was deleted",
        CITATIONS,
        "CitationOpener.open",
        'if row["is_deleted"]:',
        "if False:",
        (f"{OPENED}a_deleted_document_is_gone",),
    ),
    Mutant(
        "an original's link: only who may read the document today",
        ORIGINALS,
        "_ORIGINAL",
        READABLE,
        "true",
        (f"{LINKS}rights_are_checked_again_when_it_is_used",),
    ),
    Mutant(
        "an original's link: nothing that was deleted",
        ORIGINALS,
        "_ORIGINAL",
        "AND document.deleted_at IS NULL",
        "",
        (f"{LINKS}a_deleted_document_is_not_served",),
    ),
    Mutant(
        "an original's link is used once",
        ORIGINALS,
        "OriginalLinks.redeem",
        "self._passes.pop(token, None)",
        "self._passes.get(token)",
        (f"{LINKS}a_link_is_used_once_and_looking_at_its_head_does_not_count",),
    ),
    Mutant(
        "an original's link is over after a minute",
        ORIGINALS,
        "OriginalLinks.redeem",
        "or found.until <= self._clock()",
        "",
        (f"{LINKS}a_link_is_over_after_a_minute",),
    ),
    Mutant(
        "a private answer is the asker's alone",
        REMAINDER,
        "Remainder.answer",
        "or inquiry.asker != by",
        "",
        (f"{OFFERED}only_the_asker_gets_it_and_only_with_the_rights_of_now",),
    ),
    Mutant(
        "a private answer is given in direct messages",
        REMAINDER,
        "Remainder.answer",
        "conversation=conversation,",
        "conversation=inquiry.conversation,",
        (f"{OFFERED}it_is_given_in_the_direct_messages_under_the_question_that_it_answers",),
    ),
    Mutant(
        "more is offered only to who may ask in direct messages",
        REMAINDER,
        "Remainder.offer",
        "is not None:\n            return",
        "is not None:\n            pass",
        (f"{OFFERED}a_guest_who_may_not_ask_in_direct_messages_is_offered_nothing_there",),
    ),
)
