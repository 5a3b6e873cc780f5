"""The only writer: operations that wait together are committed together, and none spoils another."""

import asyncio
import threading

import pytest
from tantivy import Document, Index, SchemaBuilder

from retrieval.adapters.tantivy_writer import TantivyWriter
from retrieval.errors import ChannelFailed


@pytest.fixture
def index(tmp_path):
    builder = SchemaBuilder()
    builder.add_text_field("name", stored=True, tokenizer_name="raw")
    return Index(builder.build(), path=str(tmp_path))


@pytest.fixture
async def writer(index):
    opened = TantivyWriter()
    await opened.open(index)
    yield opened
    await opened.aclose()


def adding(name):
    def add(writer, _searcher):
        writer.add_document(Document(name=name))

    return add


def failing(writer, searcher):
    adding("half")(writer, searcher)
    raise ValueError("broken")


async def queued(writer, *writes):
    """Start the writes while the thread is held, so that they wait together, then let it go on."""
    gate = threading.Event()
    holding = asyncio.create_task(writer.write(lambda *_: gate.wait()))
    await asyncio.sleep(0)
    tasks = [asyncio.create_task(write) for write in writes]
    await asyncio.sleep(0)
    gate.set()
    await holding
    return tasks


async def test_waiting_writes_share_a_commit(index, writer):
    seen = []

    def look(_writer, searcher):
        seen.append(searcher.num_docs)

    await asyncio.gather(
        *await queued(writer, writer.write(adding("a")), writer.write(look), writer.write(adding("b")))
    )
    assert seen == [0]
    assert index.searcher().num_docs == 2


async def test_one_that_reads_sees_what_was_asked_for_before_it(index, writer):
    reading = writer.write(lambda _writer, searcher: searcher.num_docs, reads=True)
    tasks = await queued(writer, writer.write(adding("a")), reading, writer.write(adding("b")))
    assert (await asyncio.gather(*tasks))[1] == 1
    assert index.searcher().num_docs == 2


async def test_a_failure_does_not_touch_the_others(index, writer):
    tasks = await queued(writer, writer.write(adding("a")), writer.write(failing), writer.write(adding("b")))
    outcomes = await asyncio.gather(*tasks, return_exceptions=True)
    assert [type(outcome) for outcome in outcomes] == [type(None), ChannelFailed, type(None)]
    assert index.searcher().num_docs == 2


async def test_a_cancelled_caller_s_write_is_carried_out(index, writer):
    (task,) = await queued(writer, writer.write(adding("a")))
    task.cancel()
    await writer.write(adding("b"))
    assert index.searcher().num_docs == 2


async def test_closing_commits_what_was_asked_for(index):
    writer = TantivyWriter()
    await writer.open(index)
    (task,) = await queued(writer, writer.write(adding("a")))
    await writer.aclose()
    await task
    assert index.searcher().num_docs == 1


async def test_closed_takes_no_write(writer):
    await writer.aclose()
    with pytest.raises(ChannelFailed):
        await writer.write(adding("a"))
