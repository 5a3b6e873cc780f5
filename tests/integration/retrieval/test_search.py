"""Search as a whole: real encoder, PostgreSQL and tantivy."""

import asyncio

import psycopg
import pytest
from psycopg.conninfo import make_conninfo
from psycopg_pool import AsyncConnectionPool

from permissions.model import Principal
from retrieval.adapters.index_rows import PgIndexRows
from retrieval.adapters.passages import PgPassages
from retrieval.adapters.pgvector import PgVectorStore
from retrieval.adapters.tantivy_index import TantivyIndex
from retrieval.errors import ChannelFailed, SearchFailed
from retrieval.search import FULL_TEXT, VECTORS, Search, SearchSettings
from tests import rows
from tests.conftest import TEMPLATE

EVERYONE = Principal.workspace(rows.TEAM)
PRICES = Principal.channel(rows.TEAM, "C1")
PATIENT = SearchSettings(channel_seconds=30, total_seconds=60)

TEXTS = {
    "case": (
        ["海棠A户型的卫生间用聚氨酯防水涂料。由晨光建材供货。", "The living room has oak floors. 木地板。"],
        EVERYONE,
    ),
    "policy": (["保修期自验收之日起两年。漏水四小时内上门。", "Complaints are answered within one day."], EVERYONE),
    "orders": (["Order PPR-9087 left the warehouse.", "PPR-1044 and PPR-1045 left the warehouse. PPR."], EVERYONE),
    "prices": (["聚氨酯防水涂料每桶280元。", "Oak floor costs 320 a square metre."], PRICES),
}


@pytest.fixture(scope="module")
async def pool(postgres):
    """One database for the module: the questions only read."""
    async with await psycopg.AsyncConnection.connect(postgres.dsn(), autocommit=True) as connection:
        await connection.execute(f"CREATE DATABASE search TEMPLATE {TEMPLATE}")
        async with AsyncConnectionPool(make_conninfo(postgres.dsn(), dbname="search"), open=False) as connections:
            yield connections
        await connection.execute("DROP DATABASE search WITH (FORCE)")


@pytest.fixture(scope="module")
async def stores(pool, encoder, tmp_path_factory):
    """The three stores with the four documents in them."""
    vectors = PgVectorStore(pool=pool, encoder=encoder.name)
    index = TantivyIndex(folder=tmp_path_factory.mktemp("search") / "index", rows=PgIndexRows(pool=pool))
    await index.open()
    for name, (texts, principal) in TEXTS.items():
        chunks = await rows.add_document(pool, name, texts, principals=[principal], title=name)
        await vectors.replace(
            version=f"{name}-v1", chunks=chunks, vectors=await encoder.encode_chunks(chunks), encoder=encoder.name
        )
        await index.add(chunks, team=rows.TEAM, title=name, principals=[str(principal)])
    yield {"encoder": encoder, "vectors": vectors, "full_text": index, "passages": PgPassages(pool=pool)}
    await index.aclose()


@pytest.fixture
def search(stores):
    return Search(**stores, settings=PATIENT)


def ids(result):
    return [item.passage.chunk_id for item in result.ranked]


SALES = rows.scope_of(EVERYONE)


@pytest.mark.parametrize(
    ("query", "best"),
    [
        ("海棠 A 户型用了什么防水材料？", "case-v1-1"),
        ("What floor is in the living room?", "case-v1-2"),
        ("How long is the warranty?", "policy-v1-1"),
        ("漏水多久上门？", "policy-v1-1"),
        ("When are complaints answered?", "policy-v1-2"),
        ("PPR-9087", "orders-v1-1"),
        ("ppr 1045 where", "orders-v1-2"),
        ("ppr1045", "orders-v1-2"),
    ],
)
async def test_finds_the_passage_that_answers(search, query, best):
    result = await search.search(SALES, query)
    assert ids(result)[0] == best
    assert result.degraded == ()


async def test_what_the_scope_may_not_read_is_not_found(search):
    query = "聚氨酯防水涂料每桶多少元"
    assert not any(name.startswith("prices") for name in ids(await search.search(SALES, query)))
    assert ids(await search.search(rows.scope_of(EVERYONE, PRICES), query))[0] == "prices-v1-1"


async def test_rights_are_checked_where_they_are_decided_not_in_the_index(pool, search):
    async with pool.connection() as connection:
        await rows.set_grants(connection, "case", [PRICES])
    found = ids(await search.search(SALES, "防水涂料"))
    async with pool.connection() as connection:
        await rows.set_grants(connection, "case", [EVERYONE])
    assert not any(name.startswith("case") for name in found)


async def test_what_is_below_the_encoder_s_floor_is_no_candidate(stores):
    class Strict:
        floor = 0.999
        encode_queries = stores["encoder"].encode_queries

    result = await Search(**{**stores, "encoder": Strict()}, settings=PATIENT).search(SALES, "oak")
    assert ids(result) == ["case-v1-2"]
    assert result.degraded == ()


async def test_an_empty_scope_or_question_finds_nothing(search):
    assert ids(await search.search(rows.scope_of(), "防水")) == []
    assert ids(await search.search(SALES, " \n")) == []


async def test_no_more_than_the_limit_best_first_with_similarity(search):
    result = await search.search(SALES, "warranty", limit=3)
    assert len(result.ranked) == 3
    scores = [item.score for item in result.ranked]
    assert scores == sorted(scores, reverse=True)
    assert all(0.5 < item.similarity <= 1 for item in result.ranked)


@pytest.mark.parametrize("query", ["🙂", "?" * 10_000, "字" * 10_000, "\x00", "principals:*", "a" * 9_999])
async def test_any_question_is_answered_by_a_list(search, query):
    assert len(ids(await search.search(SALES, query))) <= 12


async def test_the_same_question_gives_the_same_list(search):
    first = await search.search(SALES, "防水 floor")
    assert [ids(await search.search(SALES, "防水 floor")) for _ in range(3)] == [ids(first)] * 3


class Broken:
    """A channel that is down, or that never answers."""

    def __init__(self, *, hangs=False):
        self.hangs = hangs

    async def fail(self, *_, **__):
        if self.hangs:
            await asyncio.Event().wait()
        raise ChannelFailed("broken", "down")

    nearest = match = encode_queries = readable = load = fail
    floor = 0.0


@pytest.mark.parametrize("hangs", [False, True])
async def test_without_full_text_vectors_answer_and_it_is_said(stores, hangs):
    settings = SearchSettings(channel_seconds=2, total_seconds=60) if hangs else PATIENT
    search = Search(**{**stores, "full_text": Broken(hangs=hangs)}, settings=settings)
    result = await search.search(SALES, "How long is the warranty?")
    assert ids(result)[0] == "policy-v1-1"
    assert result.degraded == (FULL_TEXT,)


@pytest.mark.parametrize("part", ["vectors", "encoder"])
async def test_without_vectors_words_answer_and_it_is_said(stores, part):
    search = Search(**{**stores, part: Broken()}, settings=PATIENT)
    result = await search.search(SALES, "海棠 防水")
    assert ids(result)[0] == "case-v1-1"
    assert result.degraded == (VECTORS,)


async def test_with_no_channel_it_fails(stores):
    broken = Broken()
    search = Search(**{**stores, "full_text": broken, "encoder": broken}, settings=PATIENT)
    with pytest.raises(SearchFailed) as failure:
        await search.search(SALES, "防水")
    assert failure.value.channels == (VECTORS, FULL_TEXT)


async def test_rights_that_cannot_be_checked_are_no_degradation(stores):
    search = Search(**{**stores, "passages": Broken()}, settings=PATIENT)
    with pytest.raises(ChannelFailed):
        await search.search(SALES, "防水")


async def test_a_check_of_rights_that_hangs_ends_at_the_deadline(stores):
    settings = SearchSettings(channel_seconds=30, total_seconds=2)
    search = Search(**{**stores, "passages": Broken(hangs=True)}, settings=settings)
    with pytest.raises(TimeoutError):
        await search.search(SALES, "防水")


async def test_twenty_questions_at_once(search):
    results = await asyncio.gather(*(search.search(SALES, "How long is the warranty?") for _ in range(20)))
    assert {ids(result)[0] for result in results} == {"policy-v1-1"}
    assert all(result.degraded == () for result in results)
