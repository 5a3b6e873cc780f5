"""Sound and video: what is said, by time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import av

from ingest.model import Block, BlockKind, Cause, Parsed, Unit, Unreadable
from ingest.parsers.source import Source
from ingest.places import union
from ingest.ports import Segment
from retrieval.model import Modality, Place, ReadBy

UNIT_MS = 45_000
"""Units end with the first segment that ends past this, so that most span between 45 and 60 seconds."""


def read_media(source: Source) -> Parsed:
    """Units of 45 to 60 seconds with a block for each segment of speech.

    Raises Unreadable: NO_SPEECH when nobody speaks or there is no sound, DAMAGED, TOO_LONG.
    """
    modality, seconds = _examine(source)
    segments = _heard(source, None, seconds)
    if not segments:
        raise Unreadable(Cause.NO_SPEECH, f"{seconds} s without speech")
    units = []
    for ordinal, group in enumerate(_groups(segments), 1):
        blocks = tuple(
            Block(BlockKind.TEXT, segment.text, Place(start_ms=segment.start_ms, end_ms=segment.end_ms))
            for segment in group
        )
        units.append(Unit(ordinal, union([block.place for block in blocks]), blocks, ReadBy.SPEECH))
    return Parsed(source.title, modality, tuple(units), (), {"seconds": seconds})


def transcribe(source: Source, *, language: str | None) -> Sequence[Segment]:
    """The segments of speech of a clip, none when it is silent. Raises Unreadable: DAMAGED, TOO_LONG, and NO_SPEECH
    when the file holds no sound at all."""
    _, seconds = _examine(source)
    return _heard(source, language, seconds)


def _heard(source: Source, language: str | None, seconds: int) -> Sequence[Segment]:
    """What is said; the limit on length is kept here too, as recordings of browsers do not say how long they are."""
    if source.transcriber is None:
        raise Unreadable(Cause.UNSUPPORTED, "no speech recogniser is configured")

    def heard(so_far: int) -> None:
        if so_far > source.limits.media_seconds:
            raise Unreadable(Cause.TOO_LONG, f"{so_far} s and more")
        source.progress(so_far, max(seconds, so_far), "seconds")

    try:
        return source.transcriber().transcribe(source.path, language=language, progress=heard)
    except av.FFmpegError as error:
        raise Unreadable(Cause.DAMAGED, f"av: {type(error).__name__}") from error


def _examine(source: Source) -> tuple[Modality, int]:
    """Whether there are moving pictures, and the length in seconds by the file's own account (0 if it has none)."""
    try:
        with av.open(str(source.path)) as container:
            if not container.streams.audio:
                raise Unreadable(Cause.NO_SPEECH, "no audio stream")
            seconds = (container.duration or 0) // av.time_base
            has_pictures = any(stream.frames != 1 and not _is_cover(stream) for stream in container.streams.video)
    except av.FFmpegError as error:
        raise Unreadable(Cause.DAMAGED, f"av: {type(error).__name__}") from error
    if seconds > source.limits.media_seconds:
        raise Unreadable(Cause.TOO_LONG, f"{seconds} s")
    return Modality.VIDEO if has_pictures else Modality.AUDIO, seconds


def _is_cover(stream: av.VideoStream) -> bool:
    """Whether the stream is the picture of a record."""
    return bool(stream.disposition & av.stream.Disposition.attached_pic)


def _groups(segments: Sequence[Segment]) -> Iterator[list[Segment]]:
    group: list[Segment] = []
    for segment in segments:
        group.append(segment)
        if segment.end_ms - group[0].start_ms >= UNIT_MS:
            yield group
            group = []
    if group:
        yield group
