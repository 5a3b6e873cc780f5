"""A question to the full-text index, scored by what its scope may read and by nothing else.

The engine's own BM25 knows one rarity of a word and one length of a passage for the whole index, so that documents
which nobody present may read would move what is found (docs/adr/0045). Here the engine finds the entries that hold the
rarest words; how rare they are is counted within the scope, and the order is BM25 over what was found.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from tantivy import DocAddress, Occur, Query, Schema, Searcher

from retrieval import analysis
from retrieval.adapters import tantivy_schema as schema
from retrieval.model import Hit

_MAX_TERMS: Final = 512
_POOL: Final = 4
"""How many times more entries than wanted are read and put in order."""
_K1, _B = 1.2, 0.75
"""BM25's constants, as in Lucene and tantivy."""
_ALIKE: Final = 1e-3
"""Sums of the same weights that the engine adds up in another order differ by less."""


@dataclass(frozen=True, slots=True)
class _Term:
    """A term of the question. ``weight`` is for one occurrence at best; ``is_whole``: occurrences don't count."""

    field: str
    text: str
    weight: float
    is_whole: bool


def match(searcher: Searcher, fields: Schema, text: str, *, principals: Sequence[str], limit: int) -> list[Hit]:
    """The entries among what the principals may read that hold terms of the question, best first, ties by id."""
    allowed = Query.const_score_query(Query.term_set_query(fields, schema.PRINCIPALS, list(principals)), 0.0)
    terms = _weighed(searcher, fields, text, allowed)
    if not terms:
        return []
    wanted = [(Occur.Should, Query.const_score_query(_holding(fields, term), term.weight)) for term in terms]
    size = _POOL * limit
    found = searcher.search(_both(Query.boolean_query(wanted), allowed), size, count=False).hits
    entries = [searcher.doc(address) for address in _complete(found, size)]
    scores = _bm25(terms, [schema.terms_of(entry) for entry in entries])
    hits = [Hit(schema.chunk_id(entry), score) for entry, score in zip(entries, scores, strict=True)]
    return sorted(hits, key=lambda hit: (-hit.score, hit.chunk_id))[:limit]


def _weighed(searcher: Searcher, fields: Schema, text: str, allowed: Query) -> list[_Term]:
    """The terms of the question that any allowed entry holds, by their idf among the allowed ones."""
    total = _count(searcher, allowed)
    weighed = []
    for term in _asked(text)[:_MAX_TERMS]:
        frequency = _count(searcher, _both(_holding(fields, term), allowed))
        if frequency:
            # Robertson's idf in the form that Lucene and tantivy use.
            idf = math.log(1 + (total - frequency + 0.5) / (frequency + 0.5))
            weighed.append(_Term(term.field, term.text, term.weight * idf, term.is_whole))
    return weighed


def _asked(text: str) -> list[_Term]:
    terms = analysis.analyse(text)
    counted = (
        (schema.WORDS, schema.stems(" ".join(terms.words))),
        (schema.BIGRAMS, terms.bigrams),
        (schema.CHARACTERS, analysis.lonely_characters(text)),
    )
    return _codes(terms) + [
        _Term(field, term, float(count), is_whole=False)
        for field, values in counted
        for term, count in Counter(values).items()
    ]


def _codes(terms: analysis.Terms) -> list[_Term]:
    """A code counts more than its parts ever can: PPR-9087 stands before any PPR-1044.

    Each part scores at most its idf × (k1 + 1), and no part is rarer than the whole code. Compounds that are no
    identifiers (co-founder, 3.14) count as one more word, unless the question is nothing but codes.
    """
    only_codes = not terms.characters and len(terms.words) == sum(code.count("-") + 1 for code in terms.codes)
    asked = []
    for code in dict.fromkeys(terms.codes):
        outweighs = only_codes or analysis.is_identifier(code)
        weight = (_K1 + 1) * (code.count("-") + 1) + 1 if outweighs else 1.0
        asked.append(_Term(schema.CODES, code, weight, is_whole=True))
    return asked


def _complete(found: Sequence[tuple[float, DocAddress]], size: int) -> list[DocAddress]:
    """All entries but the last that score alike, where there may be more of them: which of those the engine names
    depends on where they lie in the index, and so on entries that may not be read."""
    if len(found) < size:
        return [address for _score, address in found]
    last = float(found[-1][0])
    return [address for score, address in found if float(score) > last + _ALIKE]


def _bm25(terms: Sequence[_Term], entries: Sequence[dict[str, list[str]]]) -> list[float]:
    """The score of each entry; the usual length of a field is that of these entries."""
    usual = {
        field: max(1.0, sum(len(entry[field]) for entry in entries) / max(1, len(entries)))
        for field in {term.field for term in terms}
    }
    counts = [{field: Counter(entry[field]) for field in usual} for entry in entries]
    return [sum(_share(term, entry[term.field], usual[term.field]) for term in terms) for entry in counts]


def _share(term: _Term, entry: Counter[str], usual: float) -> float:
    times = entry[term.text]
    if term.is_whole or not times:
        return term.weight * bool(times)
    return term.weight * times * (_K1 + 1) / (times + _K1 * (1 - _B + _B * entry.total() / usual))


def _holding(fields: Schema, term: _Term) -> Query:
    return Query.term_query(fields, term.field, term.text, "basic")


def _both(one: Query, other: Query) -> Query:
    return Query.boolean_query([(Occur.Must, one), (Occur.Must, other)])


def _count(searcher: Searcher, query: Query) -> int:
    return int(searcher.search(query, 1, count=True).count)  # type: ignore[attr-defined]  # not in its stub
