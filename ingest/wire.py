"""What parsing processes say: frames of JSON, so that a broken process cannot make the parent run anything."""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping, Sequence
from typing import Any

from ingest.model import Block, BlockKind, Parsed, Unit
from ingest.ports import Segment
from retrieval.model import Modality, Place, ReadBy

LENGTH = struct.Struct(">I")
"""Each frame is its length and then UTF-8 JSON of an object."""


def frame(message: Mapping[str, Any]) -> bytes:
    """One message ready to be written. Lone surrogates, which some files hold, become question marks."""
    body = json.dumps(message, ensure_ascii=False).encode("utf-8", errors="replace")
    return LENGTH.pack(len(body)) + body


def unit_message(unit: Unit) -> dict[str, Any]:
    """One unit of what was read; read back by :func:`unit_of`."""
    return {
        "kind": "unit",
        "ordinal": unit.ordinal,
        "place": unit.place.to_json(),
        "read_by": unit.read_by,
        "blocks": [[block.kind, block.text, block.place.to_json(), block.header] for block in unit.blocks],
    }


def unit_of(message: Mapping[str, Any]) -> Unit:
    blocks = (
        Block(BlockKind(kind), text, Place.from_json(place), header) for kind, text, place, header in message["blocks"]
    )
    place = Place.from_json(message["place"])
    return Unit(message["ordinal"], place, tuple(blocks), ReadBy(message["read_by"]))


def parsed_message(parsed: Parsed) -> dict[str, Any]:
    """What was read but for its units; read back by :func:`parsed_of`."""
    return {
        "kind": "parsed",
        "title": parsed.title,
        "modality": parsed.modality,
        "left_out": list(parsed.left_out),
        "counts": parsed.counts,
    }


def parsed_of(message: Mapping[str, Any], units: Sequence[Unit]) -> Parsed:
    return Parsed(
        message["title"], Modality(message["modality"]), tuple(units), tuple(message["left_out"]), message["counts"]
    )


def segments_message(segments: Sequence[Segment]) -> dict[str, Any]:
    return {"kind": "segments", "segments": [[s.start_ms, s.end_ms, s.text] for s in segments]}


def segments_of(message: Mapping[str, Any]) -> tuple[Segment, ...]:
    return tuple(Segment(start, end, text) for start, end, text in message["segments"])
