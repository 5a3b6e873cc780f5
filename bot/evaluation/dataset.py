"""A retrieval set on disk.

corpus.jsonl has objects with _id, title and text, queries.jsonl with _id and text, qrels.tsv query, passage and score.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeVar

Item = TypeVar("Item")

_HEADER: Final = ("query-id", "corpus-id", "score")


class DatasetError(Exception):
    """The set is missing or broken; the message names the file, the line and what to put there."""


@dataclass(frozen=True, slots=True)
class CorpusPassage:
    """One text to be found."""

    id: str
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class LabelledQuery:
    """A question with the passages that answer it and how well (score > 0)."""

    id: str
    text: str
    gold: dict[str, float]


@dataclass(frozen=True, slots=True)
class Dataset:
    """Passages, and the questions that have labels."""

    passages: tuple[CorpusPassage, ...]
    queries: tuple[LabelledQuery, ...]


def load(directory: Path) -> Dataset:
    """Read and check a set; raises DatasetError."""
    corpus, questions, labels = (directory / name for name in ("corpus.jsonl", "queries.jsonl", "qrels.tsv"))
    passages = _objects(corpus, lambda item: CorpusPassage(item["_id"], item.get("title", ""), item["text"]))
    texts = _objects(questions, lambda item: str(item["text"]))
    gold = _labels(labels, queries=texts, passages=passages)
    if not gold:
        raise DatasetError(f"{labels} labels no question; put query-id, corpus-id and a score above 0 on each line")
    return Dataset(
        tuple(passages.values()), tuple(LabelledQuery(query, texts[query], found) for query, found in gold.items())
    )


def _objects(path: Path, read: Callable[[dict[str, Any]], Item]) -> dict[str, Item]:
    """What the lines hold, by id."""
    found: dict[str, Item] = {}
    for number, line in _lines(path):
        where = f"{path}, line {number}"
        try:
            item = json.loads(line)
        except json.JSONDecodeError as error:
            raise DatasetError(f"{where}: not JSON ({error.msg}); each line is one object") from error
        if not isinstance(item, dict):
            raise DatasetError(f"{where}: not an object")
        for name in ("_id", "text", "title"):
            if not isinstance(item.get(name, "" if name == "title" else None), str):
                raise DatasetError(f"{where}: {name} must be a string")
        if item["_id"] in found:
            raise DatasetError(f"{where}: the id {item['_id']} is there twice")
        found[item["_id"]] = read(item)
    return found


def _labels(path: Path, *, queries: Collection[str], passages: Collection[str]) -> dict[str, dict[str, float]]:
    """Scores above 0, by question and passage. A first line that is a header is skipped."""
    labels: dict[str, dict[str, float]] = {}
    for number, line in _lines(path):
        where, fields = f"{path}, line {number}", line.rstrip("\r").split("\t")
        if number == 1 and tuple(fields) == _HEADER:
            continue
        if len(fields) != len(_HEADER):
            raise DatasetError(f"{where}: {len(fields)} columns; it needs query-id, corpus-id and score between tabs")
        query, passage, score = fields
        if query not in queries:
            raise DatasetError(f"{where}: queries.jsonl has no question {query}")
        if passage not in passages:
            raise DatasetError(f"{where}: corpus.jsonl has no passage {passage}")
        if _number(score, where) > 0:
            labels.setdefault(query, {})[passage] = _number(score, where)
    return labels


def _number(text: str, where: str) -> float:
    try:
        return float(text)
    except ValueError as error:
        raise DatasetError(f"{where}: the score {text!r} is no number") from error


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    try:
        content = path.read_text("utf-8")
    except FileNotFoundError as error:
        raise DatasetError(f"{path} is missing; a set has corpus.jsonl, queries.jsonl and qrels.tsv") from error
    except (OSError, UnicodeDecodeError) as error:
        raise DatasetError(f"cannot read {path}: {error}; it must be a UTF-8 text file") from error
    # Not splitlines(): a JSON string may hold U+2028 and the like as it is.
    for number, line in enumerate(content.split("\n"), start=1):
        if line.strip():
            yield number, line
