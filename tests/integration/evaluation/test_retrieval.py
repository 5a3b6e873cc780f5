"""The evaluation runs the real pipeline from registering to search."""

import json

import pytest

from bot.evaluation.retrieval import DatasetError, evaluate

PASSAGES = {
    "paint": ("防水", "卫生间用聚氨酯防水涂料，由晨光建材供货。"),
    "floor": ("Floors", "The living room has oak floors."),
    "policy": ("售后", "保修期自验收之日起两年。"),
    "order": ("Orders", "PPR-9087 left the warehouse on Monday."),
}
QUESTIONS = {"q1": ("谁供应防水涂料？", "paint"), "q2": ("What is the floor of?", "floor"), "q3": ("PPR-9087", "order")}


def write(folder, passages):
    lines = [{"_id": name, "title": title, "text": text} for name, (title, text) in passages.items()]
    (folder / "corpus.jsonl").write_text("\n".join(map(json.dumps, lines)))
    asked = [{"_id": name, "text": text} for name, (text, _gold) in QUESTIONS.items()]
    (folder / "queries.jsonl").write_text("\n".join(map(json.dumps, asked)))
    (folder / "qrels.tsv").write_text("".join(f"{name}\t{gold}\t1\n" for name, (_text, gold) in QUESTIONS.items()))


async def test_every_figure_is_there(database_url, tmp_path):
    write(tmp_path, PASSAGES)
    said = []
    figures = await evaluate(tmp_path, dsn=database_url, folder=tmp_path, say=said.append)
    assert figures["recall@1"] == figures["all_gold@5"] == figures["ndcg@10"] == 1.0
    assert figures["queries"] == 3
    assert 0 < figures["search_ms_p50"] <= figures["search_ms_p95"]
    assert figures["passages_per_s"] > 0
    assert said == ["indexing 4 passages", "asking 3 questions"]


async def test_a_passage_without_text_is_named(database_url, tmp_path):
    write(tmp_path, {**PASSAGES, "blank": ("Blank", "  ")})
    with pytest.raises(DatasetError, match="the passage blank cannot be indexed: no_text"):
        await evaluate(tmp_path, dsn=database_url, folder=tmp_path, say=lambda _: None)
