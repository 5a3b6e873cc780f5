"""What the scope may not read moves nothing: two worlds, of which one holds hidden documents too, find the same."""

import random

import numpy as np
import pytest

from permissions.model import Principal
from retrieval.adapters.index_rows import PgIndexRows
from retrieval.adapters.passages import PgPassages
from retrieval.adapters.pgvector import PgVectorStore
from retrieval.adapters.tantivy_index import TantivyIndex
from retrieval.model import ChunkVectors
from retrieval.search import Search, SearchSettings
from tests import rows
from tests.unit.agent.toys import ToyEncoder, embed

EVERYONE = Principal.workspace(rows.TEAM)
HIDDEN = Principal.channel(rows.TEAM, "C1")
PATIENT = SearchSettings(channel_seconds=30, total_seconds=60, depth=10, checked=5)
WORDS = "oak tile paint roof leak price order delay floor wall PPR-9087 PPR-1044 防水 涂料 保修 两年 漏水 上门".split()  # noqa: SIM905
QUESTIONS = ("oak tile price", "漏水上门 保修", "PPR-9087", "PPR-1044 delay of the roof paint", "防水涂料 floor")


def texts_of(chance: random.Random, count: int, words: list[str]) -> list[str]:
    return [" ".join(chance.choices(words, k=chance.randint(3, 30))) for _ in range(count)]


def names_in(found):
    return [sorted(name for name, _score, _similarity in result) for result in found]


class Library:
    """A world's stores; documents are named in the order in which they come."""

    def __init__(self, pool, folder):
        self.pool, self.encoder = pool, ToyEncoder()
        self.vectors = PgVectorStore(pool=pool, encoder=self.encoder.name)
        self.index = TantivyIndex(folder=folder, rows=PgIndexRows(pool=pool))
        self.search = Search(
            encoder=self.encoder,
            vectors=self.vectors,
            full_text=self.index,
            passages=PgPassages(pool=pool),
            settings=PATIENT,
        )

    async def add(self, name, texts, principal, *, in_index=None):
        """``in_index``: what the index believes of the document's rights, when it lags behind."""
        chunks = await rows.add_document(self.pool, name, texts, principals=[principal], title=name)
        vectors = [
            ChunkVectors(embed(chunk.text), np.array([embed(chunk.text)] * len(chunk.sentences))) for chunk in chunks
        ]
        await self.vectors.replace(version=f"{name}-v1", chunks=chunks, vectors=vectors, encoder=self.encoder.name)
        await self.index.add(chunks, team=rows.TEAM, title=name, principals=[str(in_index or principal)])

    async def found(self):
        scope = rows.scope_of(EVERYONE)
        results = [await self.search.search(scope, question) for question in QUESTIONS]
        return [[(item.passage.chunk_id, item.score, item.similarity) for item in result.ranked] for result in results]


@pytest.fixture
async def library(pool, tmp_path):
    library = Library(pool, tmp_path / "index")
    await library.index.open()
    yield library
    await library.index.aclose()


@pytest.mark.parametrize("seed", range(4))
async def test_hidden_documents_move_no_score_and_no_rank(library, seed):
    chance = random.Random(seed)  # noqa: S311 - no secret
    for number in range(6):
        await library.add(f"seen{number}", texts_of(chance, 4, WORDS), EVERYONE)
    before = await library.found()
    assert all(before)
    # Hidden ones hold few words, so that each of them becomes far more common, and passages far shorter or longer.
    for number in range(6):
        await library.add(f"hidden{number}", texts_of(chance, 6, chance.sample(WORDS, 3)), HIDDEN)
    assert await library.found() == before


async def test_an_index_that_lags_behind_gives_away_no_place_among_the_best(library):
    """Of what it still believes to be allowed nothing counts, and nothing that is allowed is pushed out by it."""
    chance = random.Random(7)  # noqa: S311 - no secret
    for number in range(3):
        await library.add(f"seen{number}", texts_of(chance, 1, WORDS), EVERYONE)
    before = names_in(await library.found())
    for number in range(3):
        await library.add(f"hidden{number}", ["oak tile price"], HIDDEN, in_index=EVERYONE)
    assert names_in(await library.found()) == before


async def test_an_index_that_lags_behind_takes_no_place_of_what_vectors_alone_find(library):
    """What is not readable goes before the two lists become one, of which only the first few are read."""
    for number in range(8):
        await library.add(f"seen{number}", [f"{'oak' if number < 2 else 'leak'} roof {number}"], EVERYONE)
    (before, *_) = names_in(await library.found())
    assert len(before) == PATIENT.checked
    for number in range(3):
        await library.add(f"hidden{number}", ["oak tile price"], HIDDEN, in_index=EVERYONE)
    (after, *_) = names_in(await library.found())
    assert after == before
