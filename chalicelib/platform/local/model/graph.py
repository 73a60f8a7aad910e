"""Builds the BERT encoder of all-MiniLM-L6-v2 as an OpenVINO graph, straight from its weights."""

from pathlib import Path

import numpy as np
import numpy.typing as npt
from safetensors.numpy import load_file

from chalicelib.platform.local.model.openvino_runtime import ops, ov

_HEADS = 12
_LAYERS = 6
_EPSILON = 1e-12


def build_encoder(weights: Path) -> ov.Model:
    """Return the graph: ids, mask -> one mean-pooled vector a row, not yet normalised."""
    return _Encoder(load_file(weights)).build()


class _Encoder:
    def __init__(self, weights: dict[str, npt.NDArray[np.float32]]) -> None:
        self._weights = weights

    def build(self) -> ov.Model:
        ids = ops.parameter([-1, -1], np.int64, name="ids")
        mask = ops.parameter([-1, -1], np.float32, name="mask")
        hidden = self._embed(ids)
        bias = ops.multiply(ops.subtract(mask, np.float32(1)), np.float32(1e4))
        bias = ops.unsqueeze(bias, np.array([1, 2], np.int64))
        for layer in range(_LAYERS):
            hidden = self._layer(hidden, bias, f"encoder.layer.{layer}")
        wide = ops.unsqueeze(mask, np.int64(2))
        total = ops.reduce_sum(ops.multiply(hidden, wide), np.int64(1))
        return ov.Model([ops.divide(total, ops.reduce_sum(wide, np.int64(1)))], [ids, mask], "all-MiniLM-L6-v2")

    def _embed(self, ids: ov.Node) -> ov.Node:
        words = ops.gather(self._weight("embeddings.word_embeddings.weight"), ids, np.int64(0))
        length = ops.gather(ops.shape_of(ids), np.int64(1), np.int64(0))
        places = ops.range(np.int64(0), length, np.int64(1), "i64")
        positions = ops.gather(self._weight("embeddings.position_embeddings.weight"), places, np.int64(0))
        kind = self._weights["embeddings.token_type_embeddings.weight"][0]
        return self._normalise(ops.add(ops.add(words, positions), ops.constant(kind)), "embeddings.LayerNorm")

    def _layer(self, hidden: ov.Node, bias: ov.Node, name: str) -> ov.Node:
        query, key, value = (
            self._split_heads(self._dense(hidden, f"{name}.attention.self.{part}"))
            for part in ("query", "key", "value")
        )
        context = ops.transpose(ops.scaled_dot_product_attention(query, key, value, bias), np.array([0, 2, 1, 3]))
        context = ops.reshape(context, np.array([0, 0, 384], np.int64), special_zero=True)
        attended = self._dense(context, f"{name}.attention.output.dense")
        hidden = self._normalise(ops.add(attended, hidden), f"{name}.attention.output.LayerNorm")
        inner = ops.gelu(self._dense(hidden, f"{name}.intermediate.dense"), "erf")
        return self._normalise(ops.add(self._dense(inner, f"{name}.output.dense"), hidden), f"{name}.output.LayerNorm")

    def _split_heads(self, node: ov.Node) -> ov.Node:
        shaped = ops.reshape(node, np.array([0, 0, _HEADS, 384 // _HEADS], np.int64), special_zero=True)
        return ops.transpose(shaped, np.array([0, 2, 1, 3]))

    def _dense(self, node: ov.Node, name: str) -> ov.Node:
        return ops.add(ops.matmul(node, self._weight(f"{name}.weight"), False, True), self._weight(f"{name}.bias"))

    def _normalise(self, node: ov.Node, name: str) -> ov.Node:
        even = ops.mvn(node, np.array([-1], np.int64), True, _EPSILON, "inside_sqrt")
        return ops.add(ops.multiply(even, self._weight(f"{name}.weight")), self._weight(f"{name}.bias"))

    def _weight(self, name: str) -> ov.Node:
        return ops.constant(self._weights[name])
