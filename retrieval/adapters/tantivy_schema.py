"""The fields of the tantivy index, and how passages become its documents."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tantivy import (
    Document,
    Filter,
    Index,
    Schema,
    SchemaBuilder,
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


def stems(words: str) -> list[str]:
    """What the index makes of words."""
    return [str(stem) for stem in _STEMMER.analyze(words)]


def terms_of(stored: Document) -> dict[str, list[str]]:
    """The terms of a stored entry by field, as searches find them."""
    values = {name: str(stored.get_first(name) or "") for name in _TEXTS}
    return {name: stems(text) if name == WORDS else text.split() for name, text in values.items()}


def rewritten(stored: Document, *, principals: Iterable[str] | None = None) -> Document:
    """A copy of a stored entry, with other principals if they are given."""
    entry = Document()
    for name in (*_KEYS, *_TEXTS):
        values = principals if name == PRINCIPALS and principals is not None else stored.get_all(name)
        for value in values:
            entry.add_text(name, value)
    return entry
