"""The ONNX graph of multilingual-e5-small, built in memory from the weights file.

Input ``embedded`` float32 [batch, tokens, hidden] (word + position + type embeddings) and ``lengths_mask`` int32
[batch, tokens]; output the states of the last layer, float32 [batch, tokens, hidden].
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from onnx import TensorProto, helper, numpy_helper

from bot.models.e5_file import E5File

_MICROSOFT = "com.microsoft"
_BITS = 8
_BLOCK = 128
_INT8_ACTIVATIONS = 4  # MatMulNBits' accuracy_level: each row is quantised by itself, so batch mates do not matter


def requantised(weights: npt.NDArray[np.float32]) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.uint8]]:
    """Symmetric 8-bit blocks of 128 of [rows, columns]: scales [rows, blocks] and bytes with zero point 128.

    4-bit values in 8 bit lose next to nothing, and the 8-bit kernel is the fastest on CPUs of today.
    """
    blocks = weights.reshape(len(weights), -1, _BLOCK)
    scales = np.abs(blocks).max(axis=-1) / 127
    scales[scales == 0] = 1
    return scales.astype(np.float32), (np.rint(blocks / scales[..., None]) + 128).astype(np.uint8)


class _Graph:
    """Collects nodes and constants; each method returns the name of its output."""

    def __init__(self, file: E5File) -> None:
        self.file = file
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def constant(self, name: str, values: npt.NDArray[Any]) -> str:
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(values), name))
        return name

    def node(self, operator: str, inputs: list[str], outputs: list[str], domain: str = "", **attributes: Any) -> str:
        self.nodes.append(helper.make_node(operator, inputs, outputs, domain=domain, **attributes))
        return outputs[0]

    def linear(self, source: str, names: list[str], *, columns: int, output: str) -> str:
        """One product for the weights of ``names`` side by side."""
        weights = np.concatenate([self.file.quantised(f"{name}.w", columns=columns).dequantised() for name in names])
        scales, values = requantised(weights)
        inputs = [
            source,
            self.constant(f"{output}.weights", values),
            self.constant(f"{output}.scales", scales.reshape(-1)),
            "",
            "",
            self.constant(f"{output}.bias", np.concatenate([self.file.floats(f"{name}.b") for name in names])),
        ]
        sizes = {"K": columns, "N": len(weights), "bits": _BITS, "block_size": _BLOCK}
        return self.node("MatMulNBits", inputs, [output], _MICROSOFT, accuracy_level=_INT8_ACTIVATIONS, **sizes)

    def add_and_normalise(self, source: str, residual: str, name: str, output: str) -> str:
        scale = self.constant(f"{name}.scale", self.file.floats(f"{name}.w"))
        shift = self.constant(f"{name}.shift", self.file.floats(f"{name}.b"))
        epsilon = self.file.header.epsilon
        return self.node(
            "SkipLayerNormalization", [source, residual, scale, shift], [output], _MICROSOFT, epsilon=epsilon
        )

    def layer(self, index: int, source: str) -> str:
        """One transformer layer: attention, then the feed-forward part, each with its residual."""
        header, name = self.file.header, f"l{index}."
        joined = self.linear(
            source, [name + "q", name + "k", name + "v"], columns=header.hidden, output=f"{name}joined"
        )
        heads = [f"{name}query", f"{name}key", f"{name}value"]
        self.node("Split", [joined, "three_parts"], heads, axis=-1)
        attended = self.node(
            "MultiHeadAttention",
            [*heads, "", "lengths_mask"],
            [f"{name}attended"],
            _MICROSOFT,
            num_heads=header.heads,
        )
        projected = self.linear(attended, [name + "ao"], columns=header.hidden, output=f"{name}projected")
        middle = self.add_and_normalise(projected, source, name + "aln", f"{name}middle")
        widened = self.linear(middle, [name + "fi"], columns=header.hidden, output=f"{name}widened")
        activated = self.node("Gelu", [widened], [f"{name}activated"], _MICROSOFT)
        narrowed = self.linear(activated, [name + "fo"], columns=header.feed_forward, output=f"{name}narrowed")
        return self.add_and_normalise(narrowed, middle, name + "oln", f"{name}output")


def build(file: E5File) -> bytes:
    """The serialised model."""
    header, graph = file.header, _Graph(file)
    graph.constant("three_parts", np.array([header.hidden] * 3, np.int64))
    scale = graph.constant("embedding.scale", file.floats("emb.ln.w"))
    shift = graph.constant("embedding.shift", file.floats("emb.ln.b"))
    states = graph.node(
        "LayerNormalization", ["embedded", scale, shift], ["normalised"], axis=-1, epsilon=header.epsilon
    )
    for index in range(header.layers):
        states = graph.layer(index, states)
    shape: list[str | int | None] = ["batch", "tokens", header.hidden]
    inputs = [
        helper.make_tensor_value_info("embedded", TensorProto.FLOAT, shape),
        helper.make_tensor_value_info("lengths_mask", TensorProto.INT32, ["batch", "tokens"]),
    ]
    outputs = [helper.make_tensor_value_info(states, TensorProto.FLOAT, shape)]
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid(_MICROSOFT, 1)]
    body = helper.make_graph(graph.nodes, "multilingual-e5-small", inputs, outputs, graph.constants)
    serialised: bytes = helper.make_model(body, opset_imports=opsets, ir_version=8).SerializeToString()
    return serialised
