"""Search: the indices' pre-filters, and the recheck on the authoritative rows. Each must hold alone."""

from __future__ import annotations

from typing import Final

from tests.mutations.model import Mutant

PASSAGES: Final = "retrieval/adapters/passages.py"
VECTORS: Final = "retrieval/adapters/pgvector.py"
INDEX: Final = "retrieval/adapters/tantivy_question.py"
RECHECK: Final = "tests/contract/test_passages.py::test_"
HIDDEN: Final = "tests/integration/retrieval/test_non_interference.py::test_"
NEAREST: Final = "tests/contract/test_vector_search.py::test_"
READABLE: Final = "grants.principal = ANY (%(principals)s)"
NOT_DELETED: Final = "AND document.deleted_at IS NULL"

MUTANTS: Final = (
    Mutant(
        "vectors: only what the scope may read",
        VECTORS,
        "_NEAREST",
        READABLE,
        "true",
        (f"{NEAREST}rights_count_as_they_are_now",),
    ),
    Mutant(
        "vectors: nothing that was deleted",
        VECTORS,
        "_NEAREST",
        NOT_DELETED,
        "",
        (f"{NEAREST}a_deleted_document_is_gone_at_once",),
    ),
    Mutant(
        "vectors: of this workspace alone",
        VECTORS,
        "_NEAREST",
        "document.team = %(team)s",
        "true",
        (f"{NEAREST}another_workspace_finds_nothing",),
    ),
    Mutant(
        "vectors: the active version alone",
        VECTORS,
        "_NEAREST",
        "chunk.version_id = document.active_version",
        "chunk.document_id = document.document_id",
        (f"{NEAREST}only_the_active_version",),
    ),
    Mutant(
        "full text: only what the scope may read",
        INDEX,
        "match",
        "_both(Query.boolean_query(wanted), allowed)",
        "Query.boolean_query(wanted)",
        ("tests/contract/test_full_text.py::test_only_what_a_principal_of_the_scope_may_read",),
    ),
    Mutant(
        "full text: words are weighed by what the scope may read",
        INDEX,
        "_weighed",
        "_both(_holding(fields, term), allowed)",
        "_holding(fields, term)",
        (f"{HIDDEN}hidden_documents_move_no_score_and_no_rank",),
    ),
    Mutant(
        "full text: an index that lags behind gives away no place",
        "retrieval/search.py",
        "Search._matching",
        "if hit.chunk_id in readable",
        "",
        (f"{HIDDEN}an_index_that_lags_behind_takes_no_place_of_what_vectors_alone_find",),
    ),
    Mutant(
        "recheck: only what the scope may read",
        PASSAGES,
        "_READABLE",
        READABLE,
        "true",
        (f"{RECHECK}a_lost_right_counts_at_once",),
    ),
    Mutant(
        "recheck: nothing that was deleted",
        PASSAGES,
        "_READABLE",
        NOT_DELETED,
        "",
        (f"{RECHECK}a_deleted_document_has_no_text",),
    ),
    Mutant(
        "recheck: the active version alone",
        PASSAGES,
        "_READABLE",
        "AND document.active_version = chunk.version_id",
        "",
        (f"{RECHECK}only_the_active_version_is_searched",),
    ),
    Mutant(
        "recheck: of this workspace alone",
        PASSAGES,
        "_READABLE",
        "document.team = %(team)s",
        "true",
        (f"{RECHECK}another_workspace_has_no_text",),
    ),
    Mutant(
        "surroundings: only what the scope may read",
        PASSAGES,
        "_UNIT",
        READABLE,
        "true",
        (f"{RECHECK}a_lost_right_counts_at_once",),
    ),
    Mutant(
        "surroundings: nothing that was deleted",
        PASSAGES,
        "_UNIT",
        NOT_DELETED,
        "",
        (f"{RECHECK}a_deleted_document_has_no_text",),
    ),
    Mutant(
        "surroundings: nothing that was never published",
        PASSAGES,
        "_UNIT",
        "AND version.published_at IS NOT NULL",
        "",
        (f"{RECHECK}an_unpublished_version_cannot_be_opened",),
    ),
    Mutant(
        "files that are being read: only those that the scope may see count",
        "bot/answers/reading.py",
        "COUNT_BEING_READ",
        READABLE,
        "true",
        ("tests/integration/agent/test_reading.py::test_only_those_who_may_see_a_file_hear_of_it",),
    ),
)
