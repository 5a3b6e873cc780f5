"""No query that can return text of documents without an AccessScope; what reads without one is listed, with why."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.permissions.test_lint import ROOT, sources
from tests.unit.permissions.text_queries import TEXT_COLUMNS, Sources, returns_text

READS_WITHOUT_SCOPE = {
    # Shown to people, after a check of its own.
    "bot.answers.citations:CitationOpener._row": "shown after Surroundings.around has let the reader's scope read it",
    "bot.answers.showing:Showing.show": "which cited documents have a newer version, in the answer that names them",
    "bot.answers.posts:Posts.of": "what Slack shows already, to be shown again without what is withdrawn",
    # Ingestion works on what it has read itself, and shows it to nobody.
    "ingest.catalog:Catalog.version": "ingestion's own reading; a title tells the uploader how far their file is",
    "ingest.catalog:Catalog.twin": "ingestion's own reading: the same bytes are not parsed twice",
    "ingest.catalog:Catalog.units": "ingestion's own reading, and `documents show` of who owns the machine",
    "ingest.catalog:Catalog.find": "ingestion's own reading, by the id of a file that an event names",
    "ingest.catalog:Catalog.documents": "`documents list` of who owns the machine",
    "ingest.catalog:Catalog.show": "`documents show` of who owns the machine",
    "retrieval.adapters.pgvector:PgVectorStore.vectors": "ingestion's own reading: chunks that stay keep their vectors",
    "retrieval.adapters.index_rows:PgIndexRows.__call__": "the full-text index is built from it",
    # The full-text index: an entry's text leaves it only into another entry.
    "retrieval.adapters.tantivy_question:match": "gives the chunk's id alone, under the scope's principals",
    "retrieval.adapters.tantivy_index:TantivyIndex._rewrite_slice": "entries are written anew after a deletion",
    "retrieval.adapters.tantivy_index:_entries": "entries are written anew with other principals",
}

WITHOUT_TEXT = {
    "audit",
    "cited",
    "conversations",
    "crowds",
    "deletion_receipts",
    "departures",
    "evidence_sets",
    "file_shares",
    "grants",
    "group_members",
    "memberships",
    "people",
    "rights_news",
    "roster_changes",
    "rosters",
    "seats",
    "seen",
    "standings",
    "sweeps",
    "user_groups",
    "versions",
    "workspaces",
}
"""Tables and views that hold no text of documents."""


def modules() -> dict[str, str]:
    found = {}
    for path in sources():
        name = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        found[name] = path.read_text(encoding="utf-8")
    return found


def test_every_query_for_text_is_bound_to_a_scope() -> None:
    found = {one.function: f"{one.function}: {one.name} {one.why}" for one in Sources(modules()).violations()}
    assert [words for function, words in found.items() if function not in READS_WITHOUT_SCOPE] == []
    assert [function for function in READS_WITHOUT_SCOPE if function not in found] == [], "listed, and not there"


def tables() -> Iterator[str]:
    for path in sorted((ROOT / "bot/migrations/versions").glob("*.sql")):
        yield from re.findall(r"^CREATE (?:TABLE|VIEW) (\w+)", path.read_text(encoding="utf-8"), re.MULTILINE)


def test_every_table_is_known_to_hold_text_or_not() -> None:
    assert set(tables()) == TEXT_COLUMNS.keys() | WITHOUT_TEXT


def found_in(body: str, **others: str) -> list[str]:
    """The reasons of violations in a module of this text."""
    head = "from permissions.model import AccessScope\n"
    return [one.why for one in Sources({"here": head + body, **others}).violations()]


PLANTED = {
    "a literal": """
async def read(connection):
    await connection.execute("SELECT text FROM chunks")
""",
    "a constant": """
_LOAD: Final = "SELECT c.text FROM chunks AS c"
async def read(connection):
    await connection.execute(_LOAD)
""",
    "an f-string of constants": """
_COLUMNS = "ordinal, text"
_LOAD = f"SELECT {_COLUMNS} FROM units"
class Store:
    async def read(self, cursor):
        await cursor.execute(_LOAD)
""",
    "an f-string of an argument": """
async def read(connection, columns):
    await connection.execute(f"SELECT {columns} FROM units")
""",
    "an f-string of a table": """
async def read(connection, table):
    await connection.execute(f"SELECT text FROM {table}")
""",
    "concatenation": """
async def read(connection):
    await connection.execute("SELECT title" + " FROM " + "documents")
""",
    "concatenation of constants": """
_WHAT = "SELECT excerpt "
async def read(connection):
    await connection.execute(_WHAT + "FROM evidence")
""",
    "an f-string of what it does": """
async def read(connection, verb):
    await connection.execute(f"{verb} text FROM units")
""",
    "a format": """
async def read(connection, what):
    await connection.execute("SELECT {} FROM runs".format(what))
""",
    "a percent sign": """
async def read(connection, what):
    await connection.execute("SELECT %s FROM runs" % what)
""",
    "a join": """
async def read(connection):
    await connection.execute(" ".join(["SELECT answer", "FROM runs"]))
""",
    "a local name": """
async def read(connection):
    statement = "SELECT answer FROM runs"
    await connection.execute(statement)
""",
    "a star": """
async def read(connection):
    await connection.execute("SELECT * FROM chunks WHERE chunk_id = %(chunk)s")
""",
    "a whole row": """
async def read(connection):
    await connection.execute("SELECT row_to_json(c) FROM chunks AS c")
""",
    "what a change returns": """
async def read(connection):
    await connection.execute("UPDATE runs SET state = 'ended' RETURNING run_id, answer")
""",
    "a query inside": """
async def read(connection):
    await connection.execute("SELECT (SELECT string_agg(text, ' ') FROM units) AS page FROM versions")
""",
    "a common table expression": """
async def read(connection):
    await connection.execute("WITH c AS (SELECT text FROM chunks) SELECT * FROM c")
""",
    "a copy": """
async def read(cursor):
    async with cursor.copy("COPY chunks (text) TO STDOUT") as rows: ...
""",
    "a copy to another table": """
async def read(connection):
    await connection.execute("INSERT INTO notes SELECT text FROM units")
""",
    "a builder of SQL": """
async def read(connection):
    await connection.execute(sql.SQL("SELECT text FROM {}").format(sql.Identifier("chunks")))
""",
    "a tuple of statements": """
_ALL = ("SELECT text FROM chunks", "SELECT 1")
async def read(connection):
    for statement in _ALL:
        await connection.execute(statement)
""",
    "a default argument": """
async def read(connection, statement="SELECT text FROM chunks"):
    await connection.execute(statement)
""",
    "a class attribute": """
class Store:
    LOAD = "SELECT text FROM chunks"
""",
    "a lambda": """
READ = lambda connection: connection.execute("SELECT text FROM chunks")
""",
    "the index's stored fields": """
def read(searcher, address):
    return searcher.doc(address)
""",
}


@pytest.mark.parametrize("shape", PLANTED)
def test_the_rule_sees_a_query_without_a_scope(shape: str) -> None:
    assert found_in(PLANTED[shape])


def test_the_rule_sees_a_query_of_another_module() -> None:
    statements = {"here.statements": 'LOAD = "SELECT text FROM chunks"'}
    body = "from here import statements\nasync def read(connection):\n    await connection.execute(statements.LOAD)\n"
    assert found_in(body, **statements)
    body = "from here.statements import LOAD\nasync def read(connection):\n    await connection.execute(LOAD)\n"
    assert found_in(body, **statements)
    body = "import here.statements as s\nasync def read(connection):\n    await connection.execute(s.LOAD)\n"
    assert found_in(body, **statements)


def test_a_scope_that_does_not_filter_is_none() -> None:
    (why,) = found_in("""
async def read(connection, scope: AccessScope):
    await connection.execute("SELECT text FROM chunks WHERE team = %(team)s", {"team": scope.team})
""")
    assert "does not filter" in why


BOUND = {
    "a scope that is given": """
_LOAD = "SELECT text FROM chunks JOIN grants USING (document_id) WHERE principal = ANY (%(principals)s)"
async def read(connection, scope: AccessScope):
    await connection.execute(_LOAD, {"principals": scope.principal_names()})
""",
    "a scope that is asked for": """
_LOAD = "SELECT title FROM documents JOIN grants USING (document_id) WHERE principal = ANY (%(principals)s)"
async def read(connection, scopes):
    scope = await scopes.scope(team="T", asker="U", conversation=None)
    await connection.execute(_LOAD, {"principals": scope.principal_names()})
""",
    "no text": """
async def read(connection):
    await connection.execute("SELECT count(*), max(ordinal) FROM chunks WHERE text <> ''")
    await connection.execute("DELETE FROM units WHERE version_id = %(version)s")
    await connection.execute("UPDATE evidence SET excerpt = '' WHERE document_id = %(document)s RETURNING evidence_id")
    await connection.execute("INSERT INTO chunks (text) VALUES (%(text)s)")
    await connection.execute("SELECT EXISTS (SELECT FROM runs WHERE answer IS NULL)")
    await connection.execute("SELECT text FROM notices")
""",
    "words": """
def tell():
    return "Select the text from your documents"
""",
}


@pytest.mark.parametrize("shape", BOUND)
def test_the_rule_leaves_the_rest_alone(shape: str) -> None:
    assert found_in(BOUND[shape]) == []


@pytest.mark.parametrize(
    ("statement", "is_text"),
    [
        ("SELECT chunk_id, text FROM chunks", True),
        ("SELECT chunk_id FROM chunks -- text", False),
        ("SELECT 'text' AS kind FROM chunks", False),
        ("INSERT INTO posts (run_id, content) SELECT run_id, %(content)s FROM runs", False),
        ("SELECT embedding::text FROM chunks", False),
        ("SELECT chunk_id FROM chunks WHERE EXISTS (SELECT text FROM units)", True),
        ("SELECT document.document_id AS title FROM documents AS document", False),
        ("SELECT DISTINCT ON (a) lower(c.text) FROM documents d JOIN chunks c USING (document_id)", True),
        ('SELECT text FROM "chunks"', True),
    ],
)
def test_what_counts_as_text(statement: str, is_text: bool) -> None:
    assert returns_text(statement) is is_text


def test_the_files_are_where_they_are_looked_for() -> None:
    assert Path(ROOT / "retrieval/adapters/passages.py").exists()
    assert "retrieval.adapters.passages" in modules()
