"""Retrieval sets that are missing or broken are refused with the place."""

import json

import pytest

from bot.evaluation.dataset import DatasetError, load


def write(folder, *, corpus=None, queries=None, qrels=None):
    lines = [{"_id": "p1", "title": "T", "text": "one\u2028line"}, {"_id": "p2", "text": "two"}]
    asked = [{"_id": "q1", "text": "which?"}, {"_id": "q2", "text": "unlabelled"}]
    (folder / "corpus.jsonl").write_text(corpus or "\n".join(json.dumps(line, ensure_ascii=False) for line in lines))
    (folder / "queries.jsonl").write_text(queries or "\n".join(map(json.dumps, asked)))
    (folder / "qrels.tsv").write_text(qrels or "query-id\tcorpus-id\tscore\nq1\tp1\t1\nq1\tp2\t0\n")
    return folder


def test_a_set_as_it_should_be(tmp_path):
    dataset = load(write(tmp_path))
    assert [(passage.id, passage.title, passage.text) for passage in dataset.passages] == [
        ("p1", "T", "one\u2028line"),
        ("p2", "", "two"),
    ]
    assert [(query.id, query.text, query.gold) for query in dataset.queries] == [("q1", "which?", {"p1": 1.0})]


def test_labels_need_no_header(tmp_path):
    assert load(write(tmp_path, qrels="q1\tp2\t2\r\n")).queries[0].gold == {"p2": 2.0}


@pytest.mark.parametrize("name", ["corpus.jsonl", "queries.jsonl", "qrels.tsv"])
def test_a_missing_file_is_named(tmp_path, name):
    (write(tmp_path) / name).unlink()
    with pytest.raises(DatasetError, match=rf"{name} is missing; a set has"):
        load(tmp_path)


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"corpus": '{"_id": "p1", "text": "x"}\n{"_id": '}, r"corpus.jsonl, line 2: not JSON"),
        ({"corpus": '\n["p1"]'}, r"corpus.jsonl, line 2: not an object"),
        ({"corpus": '{"_id": 7, "text": "x"}'}, r"corpus.jsonl, line 1: _id must be a string"),
        ({"corpus": '{"_id": "p1"}'}, r"corpus.jsonl, line 1: text must be a string"),
        ({"corpus": '{"_id": "p1", "text": "x"}\n' * 2}, r"corpus.jsonl, line 2: the id p1 is there twice"),
        ({"queries": '{"text": "x"}'}, r"queries.jsonl, line 1: _id must be a string"),
        ({"qrels": "q1\tp1\n"}, r"qrels.tsv, line 1: 2 columns"),
        ({"qrels": "q9\tp1\t1\n"}, r"qrels.tsv, line 1: queries.jsonl has no question q9"),
        ({"qrels": "q1\tp9\t1\n"}, r"qrels.tsv, line 1: corpus.jsonl has no passage p9"),
        ({"qrels": "q1\tp1\tgood\n"}, r"qrels.tsv, line 1: the score 'good' is no number"),
        ({"qrels": "q1\tp1\t0\n"}, r"qrels.tsv labels no question"),
    ],
)
def test_what_is_wrong_and_where(tmp_path, files, message):
    with pytest.raises(DatasetError, match=message):
        load(write(tmp_path, **files))


def test_another_encoding_is_refused(tmp_path):
    (write(tmp_path) / "corpus.jsonl").write_bytes("防水".encode("gb18030"))
    with pytest.raises(DatasetError, match="UTF-8"):
        load(tmp_path)
