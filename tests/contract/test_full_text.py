"""What every full-text index does (``retrieval.ports.FullTextSearch`` with ``ingest.ports.FullTextWriter``)."""

import asyncio

import pytest

from permissions.model import Principal
from retrieval.adapters.tantivy_index import TantivyIndex
from retrieval.errors import ChannelFailed
from tests import rows

EVERYONE = Principal.workspace(rows.TEAM)
PRIVATE = Principal.channel(rows.TEAM, "C1")


async def no_rows():
    return
    yield


@pytest.fixture(params=["tantivy"])
async def index(request, tmp_path):
    opened = TantivyIndex(folder=tmp_path / "index", rows=no_rows)
    await opened.open()
    yield opened
    await opened.aclose()


@pytest.fixture
def scope():
    return rows.scope_of(EVERYONE)


async def add(index, document, *texts, principals=(EVERYONE,), title="", version=None):
    chunks = rows.chunks_of(version or f"{document}-v1", texts, document=document, context=title)
    await index.add(chunks, team=rows.TEAM, title=title, principals=[str(item) for item in principals])
    return chunks


async def documents(index, scope, query, limit=10):
    return [hit.chunk_id.split("-v")[0] for hit in await index.match(scope, query, limit=limit)]


async def test_what_was_added_is_found_when_the_call_returns(index, scope):
    assert await documents(index, scope, "waterproof") == []
    await add(index, "d", "A waterproof coat")
    assert await documents(index, scope, "waterproof") == ["d"]


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("The suppliers were paid", "supplier"),
        ("聚氨酯防水涂料", "防水"),
        ("聚氨酯防水涂料", "漆防水怎么做"),
        ("外墙用漆，内墙用纸", "漆"),
        ("維基大典", "维基"),
        ("⽂件说明", "文件"),
        ("Total 1,280 yuan", "1280"),
        ("See gen-itgc first", "itgc"),
        ("Café opening hours", "cafe"),
    ],
)
async def test_finds(index, scope, text, query):
    await add(index, "d", text)
    await add(index, "other", "无关的句子 nothing of it here")
    assert await documents(index, scope, query) == ["d"]


async def test_the_title_is_searched_with_the_text(index, scope):
    await add(index, "d", "It costs 12.", title="Price list of 海棠")
    assert await documents(index, scope, "海棠") == ["d"]


async def test_the_passage_with_more_of_the_question_is_first(index, scope):
    await add(index, "one", "waterproof paint for walls")
    await add(index, "both", "waterproof paint for kitchens")
    assert await documents(index, scope, "waterproof kitchen") == ["both", "one"]


@pytest.mark.parametrize(
    "query", ["PPR-9087", "ppr9087", "When was PPR-9087 shipped? PPR PPR PPR", "PPR 9087: PPR-9087"]
)
async def test_an_exact_code_is_first(index, scope, query):
    await add(index, "near", "PPR-1044 PPR-1044 PPR shipped shipped, PPR-1045 and PPR-9086 shipped. When? PPR")
    await add(index, "parts", "PPR order shipped, page 9087 of PPR 9087")
    await add(index, "exact", "A long list of other things that were delivered, among them, at the end, PPR-9087.")
    assert (await documents(index, scope, query))[0] == "exact"


@pytest.mark.parametrize("code", ["gen-itgc", "WO-2024-0113", "M-208"])
async def test_codes_alone_are_exact_codes(index, scope, code):
    parts = " ".join(code.split("-"))
    await add(index, "others", *["Nothing of the kind stands in any of these."] * 40)
    await add(index, "parts", f"{parts}. {parts}. {parts}.")
    await add(index, "exact", f"Among many other words of no interest to anybody at all there is also {code} here.")
    assert (await documents(index, scope, code))[0] == "exact"


async def test_an_empty_scope_finds_nothing(index):
    await add(index, "d", "waterproof")
    assert await index.match(rows.scope_of(), "waterproof", limit=5) == []


async def test_only_what_a_principal_of_the_scope_may_read(index, scope):
    await add(index, "open", "waterproof")
    await add(index, "closed", "waterproof", principals=[PRIVATE])
    await add(index, "nobody", "waterproof", principals=[])
    assert await documents(index, scope, "waterproof") == ["open"]
    assert set(await documents(index, rows.scope_of(EVERYONE, PRIVATE), "waterproof")) == {"open", "closed"}


async def test_a_principal_s_name_is_matched_whole(index):
    await add(index, "d", "waterproof", principals=[Principal.channel(rows.TEAM, "C11")])
    assert await index.match(rows.scope_of(PRIVATE), "waterproof", limit=5) == []


async def test_rights_change_apart_from_text(index, scope):
    await add(index, "d", "waterproof M-208 防水 漆", "waterproof too")
    await add(index, "other", "waterproof")
    await index.set_principals("d", [str(PRIVATE)])
    assert await documents(index, scope, "waterproof") == ["other"]
    for query in ("waterproof", "M-208", "防水", "漆"):
        assert "d" in await documents(index, rows.scope_of(PRIVATE), query)
    await index.set_principals("d", [])
    assert await documents(index, rows.scope_of(PRIVATE), "waterproof") == []


async def test_a_version_is_deleted_alone(index, scope):
    await add(index, "d", "waterproof old", version="d-v1")
    await add(index, "d", "waterproof new", version="d-v2")
    await index.delete_version("d-v1")
    assert [hit.chunk_id for hit in await index.match(scope, "waterproof", limit=5)] == ["d-v2-1"]


async def test_a_deleted_document_is_gone_with_all_its_versions(index, scope):
    await add(index, "d", "waterproof old", version="d-v1")
    await add(index, "d", "waterproof new", version="d-v2")
    await add(index, "other", "waterproof")
    await index.delete_document("d")
    assert await documents(index, scope, "waterproof") == ["other"]


async def test_adding_again_replaces(index, scope):
    await add(index, "d", "waterproof")
    await add(index, "d", "waterproof")
    assert await documents(index, scope, "waterproof") == ["d"]


async def test_what_is_not_there_can_be_deleted(index):
    await index.delete_document("unknown")
    await index.delete_version("unknown")
    await index.set_principals("unknown", [str(EVERYONE)])


async def test_equals_are_ordered_by_id(index, scope):
    for name in ("c", "a", "b"):
        await add(index, name, "waterproof")
    assert await documents(index, scope, "waterproof") == ["a", "b", "c"]


async def test_no_more_than_the_limit(index, scope):
    await add(index, "d", *["waterproof"] * 5)
    assert len(await index.match(scope, "waterproof", limit=3)) == 3


@pytest.mark.parametrize(
    "query",
    [
        "",
        "   ",
        "🙂",
        "?!,.;",
        '"unbalanced',
        "field:value AND (NOT",
        "principals:workspace:T1",
        "a* OR b~2 ^3 [x TO y] /re/",
        "\x00\x01\ud7ff",
        "' OR 1=1; --",
        "\\",
    ],
)
async def test_a_question_is_words_and_nothing_else(index, query):
    await add(index, "closed", "waterproof value", principals=[PRIVATE])
    assert await index.match(rows.scope_of(EVERYONE), query, limit=5) == []


async def test_a_question_of_ten_thousand_characters(index, scope):
    await add(index, "d", "防水材料 waterproof")
    await add(index, "other", "nothing")
    assert (await documents(index, scope, "waterproof " + "防水材料有多少种？word" * 700))[0] == "d"


async def test_writes_at_once_are_all_kept(index, scope):
    await asyncio.gather(*(add(index, f"d{number}", "waterproof") for number in range(20)))
    assert len(await index.match(scope, "waterproof", limit=50)) == 20


async def test_a_question_does_not_wait_for_a_write(index, scope):
    await add(index, "d", "waterproof")
    writing = asyncio.create_task(add(index, "many", *["waterproof text " * 50] * 300))
    assert "d" in await documents(index, scope, "waterproof", limit=500)
    await writing


async def test_closed_is_an_error(tmp_path, scope):
    index = TantivyIndex(folder=tmp_path / "closed", rows=no_rows)
    with pytest.raises(ChannelFailed):
        await index.match(scope, "waterproof", limit=1)
