"""The fields of the tantivy index, and how passages and questions become its documents and queries."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence

from tantivy import (
    Document,
    Filter,
    Index,
    Occur,
    Query,
    Schema,
    SchemaBuilder,
    Searcher,
    TextAnalyzerBuilder,
    Tokenizer,
)

from retrieval import analysis
from retrieval.model import Chunk

VERSION = 1
"""Raise it with every change of the fields or of retrieval.analysis: an index of another version is rebuilt."""

CHUNK, DOCUMENT, VERSION_ID, PRINCIPALS = "chunk", "document", "version", "principals"
WORDS, BIGRAMS, CHARACTERS, CODES = "words", "bigrams", "characters", "codes"

_KEYS = (CHUNK, DOCUMENT, VERSION_ID, PRINCIPALS)
_TEXTS = (WORDS, BIGRAMS, CHARACTERS, CODES)
_STEMMED = "english_stems"
_MAX_TERMS = 512
_HIGHEST_TERM_FREQUENCY_FACTOR = 2.2  # BM25's k1 + 1, with tantivy's k1 of 1.2

# Made once; a stemmer has no state.
_STEMMER = TextAnalyzerBuilder(Tokenizer.whitespace()).filter(Filter.stemmer("english")).build()


def schema() -> Schema:
    """Keys are matched whole; texts are our terms joined by spaces. All is stored, to rewrite an entry."""
    builder = SchemaBuilder()
    for name in _KEYS:
        builder.add_text_field(name, stored=True, tokenizer_name="raw", index_option="basic")
    for name in _TEXTS:
        tokenizer = _STEMMED if name == WORDS else "whitespace"
        builder.add_text_field(name, stored=True, tokenizer_name=tokenizer, index_option="freq")
    return builder.build()


def register_analysers(index: Index) -> None:
    """An index keeps the names of its analysers only; each process brings them along."""
    index.register_tokenizer(_STEMMED, _STEMMER)


def document(chunk: Chunk, *, title: str, principals: Sequence[str]) -> Document:
    """The entry of a chunk: title, context and text are searched as one."""
    head = chunk.context if title in chunk.context else f"{title}\n{chunk.context}"
    terms = analysis.analyse(f"{head}\n{chunk.text}")
    entry = Document()
    for name, value in ((CHUNK, chunk.chunk_id), (DOCUMENT, chunk.document), (VERSION_ID, chunk.version)):
        entry.add_text(name, value)
    for principal in principals:
        entry.add_text(PRINCIPALS, principal)
    for name, values in zip(_TEXTS, (terms.words, terms.bigrams, terms.characters, terms.codes), strict=True):
        entry.add_text(name, " ".join(values))
    return entry


def chunk_id(stored: Document) -> str:
    """The chunk of a stored entry."""
    return str(stored.get_first(CHUNK))


def rewritten(stored: Document, *, principals: Iterable[str] | None = None) -> Document:
    """A copy of a stored entry, with other principals if they are given."""
    entry = Document()
    for name in (*_KEYS, *_TEXTS):
        values = principals if name == PRINCIPALS and principals is not None else stored.get_all(name)
        for value in values:
            entry.add_text(name, value)
    return entry


def question(text: str, *, principals: Sequence[str], schema: Schema, searcher: Searcher) -> Query | None:
    """Any term of the question, among what the principals may read; None when it has no term."""
    terms = analysis.analyse(text)
    clauses = [
        *_codes(schema, searcher, terms),
        *_any_of(schema, WORDS, _STEMMER.analyze(" ".join(terms.words))),
        *_any_of(schema, BIGRAMS, terms.bigrams),
        *_any_of(schema, CHARACTERS, analysis.lonely_characters(text)),
    ]
    if not clauses:
        return None
    allowed = Query.const_score_query(Query.term_set_query(schema, PRINCIPALS, list(principals)), 0.0)
    wanted = Query.boolean_query([(Occur.Should, clause) for clause in clauses[:_MAX_TERMS]])
    return Query.boolean_query([(Occur.Must, wanted), (Occur.Must, allowed)])


def _any_of(schema: Schema, field: str, terms: Iterable[str]) -> list[Query]:
    """A clause for each distinct term, weighted by how often the question says it."""
    return [
        Query.boost_query(Query.term_query(schema, field, term, "freq"), float(count))
        for term, count in Counter(terms).items()
    ]


def _codes(schema: Schema, searcher: Searcher, terms: analysis.Terms) -> list[Query]:
    """A code counts more than its parts ever can: PPR-9087 stands before any PPR-1044.

    Each part scores at most its idf × (k1 + 1), and no part is rarer than the whole code. Compounds that are no
    identifiers (co-founder, 3.14) count as one more word, unless the question is nothing but codes.
    """
    only_codes = not terms.characters and len(terms.words) == sum(code.count("-") + 1 for code in terms.codes)
    clauses = []
    for code in dict.fromkeys(terms.codes):
        parts = code.count("-") + 1
        factor = _HIGHEST_TERM_FREQUENCY_FACTOR * parts + 1 if only_codes or analysis.is_identifier(code) else 1.0
        idf = _idf(searcher.doc_freq(CODES, code), searcher.num_docs)
        clauses.append(Query.const_score_query(Query.term_query(schema, CODES, code, "freq"), factor * idf))
    return clauses


def _idf(frequency: int, total: int) -> float:
    """Robertson's idf in the form that Lucene and tantivy use; entries that were deleted still count as frequency."""
    return math.log(1 + (max(total, frequency) - frequency + 0.5) / (frequency + 0.5))
