"""multilingual-e5-small on onnxruntime: text to token states to vectors. Synchronous; one thread at a time."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from tokenizers import Tokenizer, models, pre_tokenizers, processors

from bot.models import e5_graph
from bot.models.e5_file import E5File
from retrieval.model import Chunk, ChunkVectors, Span

os.environ["ORT_DISABLE_TELEMETRY"] = "1"  # onnxruntime writes a device id and queues an event when it is imported
import onnxruntime  # type: ignore[import-untyped]  # ships no types

Floats = npt.NDArray[np.float32]

_ROW_TILE = 4
"""Tokens are padded to a multiple of this: onnxruntime's int8 kernel works on tiles of rows and rounds a left-over row
differently, so that without it a vector would depend on its batch mates (by 0.004 in a component)."""

_SPACES = re.compile(" {2,}")


@dataclass(frozen=True, slots=True)
class Tokens:
    """A tokenised text and, for each of its spans, which tokens it owns (begin and end of the index range)."""

    ids: tuple[int, ...]
    spans: tuple[tuple[int, int], ...] = ()


class E5Model:
    """The loaded network. Constructing it takes about a second and 500 MB."""

    def __init__(self, path: Path, *, threads: int) -> None:
        """Load the weights; raises WeightsError."""
        file = E5File(path)
        self._header = file.header
        self._normal_forms = file.normal_forms
        self._tokenizer = _tokenizer(file)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        # Spinning threads would take the cores from PostgreSQL and the event loop between two batches.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        self._session = onnxruntime.InferenceSession(e5_graph.build(file), options, providers=["CPUExecutionProvider"])
        self._words = file.quantised("emb.word", columns=file.header.hidden)
        types = file.floats("emb.type")[: file.header.hidden]
        self._positions = file.floats("emb.pos").reshape(-1, file.header.hidden) + types

    @property
    def dimensions(self) -> int:
        return self._header.hidden

    def tokenise_query(self, text: str) -> Tokens:
        return self._tokenise(f"query: {text}")

    def tokenise_chunk(self, chunk: Chunk) -> Tokens:
        """Context and text as one passage, with the chunk's sentences as spans."""
        head = f"passage: {chunk.context}\n" if chunk.context else "passage: "
        spans = [Span(len(head) + span.start, len(head) + span.end) for span in chunk.sentences]
        return self._tokenise(head + chunk.text, spans)

    def _tokenise(self, text: str, spans: Sequence[Span] = ()) -> Tokens:
        """Token ids of ``text``, cut to the window of 512; spans behind the cut own no token."""
        encoding = self._tokenizer.encode(self._normalised(text))
        # A token belongs to the span that holds its last character: the space before a word is part of its token.
        # The special tokens at both ends belong to none.
        last_characters = np.array([end - 1 for _start, end in encoding.offsets[1:-1]], np.int64)
        owned = [
            (
                1 + int(np.searchsorted(last_characters, self._normalised_length(text, span.start))),
                1 + int(np.searchsorted(last_characters, self._normalised_length(text, span.end))),
            )
            for span in spans
        ]
        return Tokens(tuple(encoding.ids), tuple(owned))

    def _normalised(self, text: str) -> str:
        return _SPACES.sub(" ", text.translate(self._normal_forms))

    def _normalised_length(self, text: str, position: int) -> int:
        return len(self._normalised(text[:position]))

    def vectors(self, batch: Sequence[Tokens]) -> list[Floats]:
        """The vector of each text."""
        return [_pooled(states) for states in self._states(batch)]

    def chunk_vectors(self, batch: Sequence[Tokens]) -> list[ChunkVectors]:
        """The vector of each text and of each of its spans; a span behind the cut gets the vector of the whole."""
        vectors = []
        for tokens, states in zip(batch, self._states(batch), strict=True):
            whole = _pooled(states)
            parts = [_pooled(states[begin:end]) if begin < end else whole for begin, end in tokens.spans]
            vectors.append(ChunkVectors(whole, np.array(parts, np.float32).reshape(-1, self.dimensions)))
        return vectors

    def _states(self, batch: Sequence[Tokens]) -> list[Floats]:
        """The last layer's states of each text, float32 [tokens, dimensions], padding removed."""
        longest = _ROW_TILE * math.ceil(max(len(tokens.ids) for tokens in batch) / _ROW_TILE)
        ids = np.full((len(batch), longest), self._header.padding, np.int64)
        mask = np.zeros((len(batch), longest), np.int32)
        for row, tokens in enumerate(batch):
            ids[row, : len(tokens.ids)] = tokens.ids
            mask[row, : len(tokens.ids)] = 1
        distinct, inverse = np.unique(ids, return_inverse=True)
        embedded = self._words.rows(distinct)[inverse.reshape(ids.shape)]
        embedded += self._positions[:longest]
        (states,) = self._session.run(None, {"embedded": embedded, "lengths_mask": mask})
        return [states[row, : len(tokens.ids)] for row, tokens in enumerate(batch)]


def _pooled(states: Floats) -> Floats:
    """The mean of token states, scaled to length 1: what e5 was trained with."""
    mean = states.mean(axis=0)
    return np.asarray(mean / np.linalg.norm(mean), np.float32)


def _tokenizer(file: E5File) -> Tokenizer:
    header = file.header
    tokenizer = Tokenizer(models.Unigram(file.pieces, unk_id=header.unknown, byte_fallback=False))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace("▁", prepend_scheme="always", split=True)
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", header.begin), ("</s>", header.end)]
    )
    tokenizer.enable_truncation(header.max_tokens)
    return tokenizer
