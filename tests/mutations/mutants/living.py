"""Answers that were given: what withdraws them, and what of them may be context."""

from __future__ import annotations

from typing import Final

from tests.mutations.model import Mutant

LIVING: Final = "bot/answers/living.py"
STATEMENTS: Final = "bot/answers/living_sql.py"
POSTS: Final = "bot/answers/posts.py"
RUNS: Final = "bot/agent/runs.py"
GIVEN: Final = "tests/integration/agent/test_living.py::test_"
UNDER_WAY: Final = "tests/integration/agent/test_rights_shrink_under_way.py::test_"
HEAR: Final = "tests/integration/ingest/test_answers_hear.py::test_answers_hear_of_newer_versions_rights_and_deletions"
AGAIN: Final = "tests/integration/agent/test_asking_again.py::test_"

MUTANTS: Final = (
    Mutant(
        "an answer whose source is closed to a reader is withdrawn",
        STATEMENTS,
        "JUDGE",
        "AND grants.principal = ANY (%(covering)s)",
        "",
        (f"{GIVEN}a_closed_source_withdraws_the_answer_everywhere",),
    ),
    Mutant(
        "an answer whose source is deleted is withdrawn without asking anybody",
        STATEMENTS,
        "JUDGE",
        "bool_or(document.active_version IS NULL)",
        "false",
        (f"{GIVEN}a_deletion_waits_for_nobody",),
    ),
    Mutant(
        "who left another channel takes away what it covered here",
        STATEMENTS,
        "PLACES_OF_AUDIENCE",
        "AND document_id IN (SELECT document_id FROM grants WHERE principal = %(principal)s)",
        "AND false",
        (f"{GIVEN}who_left_another_channel_takes_away_what_it_covered_here",),
    ),
    Mutant(
        "rights that stay unknown withdraw an answer",
        LIVING,
        "Living.doubt",
        "        await self._settle(place, sure=True)",
        "        pass",
        (f"{GIVEN}rights_that_stay_unknown_withdraw_after_half_a_minute",),
    ),
    Mutant(
        "the text of a withdrawn answer is emptied",
        STATEMENTS,
        "EMPTY",
        "UPDATE runs SET answer = ''",
        "UPDATE runs SET state = state",
        (f"{GIVEN}what_is_kept_is_emptied_before_slack_can_be_told",),
    ),
    Mutant(
        "the excerpts of a withdrawn answer are emptied",
        STATEMENTS,
        "EMPTY",
        "SET excerpt = '', title = ''",
        "SET number = number",
        (f"{GIVEN}what_is_kept_is_emptied_before_slack_can_be_told",),
    ),
    Mutant(
        "what Slack was given of a withdrawn answer is emptied",
        STATEMENTS,
        "EMPTY",
        "UPDATE posts SET content = '{}'",
        "UPDATE posts SET ordinal = ordinal",
        (f"{GIVEN}what_is_kept_is_emptied_before_slack_can_be_told",),
    ),
    Mutant(
        "who asks again must read there",
        RUNS,
        "Runs.ask_again",
        "if not await self._given.is_read_by(run.inquiry.team, run.inquiry.conversation, by):",
        "if False:",
        (f"{AGAIN}who_does_not_read_there_does_not_ask_there",),
    ),
    Mutant(
        "an answer that was withdrawn on its way is not shown",
        POSTS,
        "Posts.plan",
        "if await _is_withdrawn(connection, run_id):",
        "if False:",
        (f"{UNDER_WAY}an_answer_that_is_closed_between_its_saving_and_its_showing_leaves_no_draft",),
    ),
    Mutant(
        "thread context: only answers whose sources may be read today",
        POSTS,
        "CLOSED",
        "AND grants.principal = ANY (%(principals)s)",
        "",
        (f"{UNDER_WAY}an_answer_whose_source_was_closed_is_no_context_even_before_anybody_looked",),
    ),
    Mutant(
        "thread context: nothing that was withdrawn",
        POSTS,
        "CLOSED",
        "standings.state = 'withdrawn'\n        OR",
        "",
        (f"{UNDER_WAY}an_answer_that_was_withdrawn_is_no_context_though_its_source_was_opened_again",),
    ),
    Mutant(
        "thread context: what is closed is left out",
        "bot/agent/answering.py",
        "Answering._readable",
        "if ts not in closed",
        "",
        (f"{UNDER_WAY}an_answer_that_waits_for_its_withdrawal_is_no_context",),
    ),
    Mutant(
        "a run that quotes what was closed meanwhile starts over",
        LIVING,
        "Living._starts_over",
        "return self._under_way.start_over(verdict.run_id)",
        "return False",
        (f"{UNDER_WAY}a_run_that_quotes_what_was_closed_starts_over_and_shows_none_of_it",),
    ),
    Mutant(
        "changes of grants reach the answers",
        "ingest/rights.py",
        "Rights._let_index_follow",
        "await self._answers.documents_changed([document], connection=connection)",
        "return",
        (HEAR,),
    ),
)
