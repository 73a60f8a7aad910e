"""Builds BERT encoders as OpenVINO graphs, straight from their weights."""

from typing import Literal

import numpy as np

from chalicelib.platform.local.model.openvino_runtime import ops, ov
from chalicelib.platform.local.model.weights import Numbers, Weights

_MASKED = np.float32(1e4)


class Encoder:
    """Builds the layers of one model. With `whole_numbers` matrices are 8-bit integers, scaled by row."""

    def __init__(
        self, weights: Weights, *, layers: int, heads: int = 12, epsilon: float = 1e-12, whole_numbers: bool = False
    ) -> None:
        self._weights = weights
        self._layers = layers
        self._heads = heads
        self._epsilon = epsilon
        self._whole_numbers = whole_numbers

    def hidden(self, words: ov.Node, mask: ov.Node, *, first_place: int = 0, kinds: ov.Node | None = None) -> ov.Node:
        """Return a vector a token, from rows of the table of words and a mask of 1 and 0, which are both f32.

        `first_place` is the position of the first token; `kinds` tells first and second texts apart, by 0 and 1.
        """
        bias = ops.multiply(ops.subtract(mask, np.float32(1)), _MASKED)
        bias = ops.unsqueeze(bias, np.array([1, 2], np.int64))
        hidden = self._embed(words, first_place, kinds)
        for layer in range(self._layers):
            hidden = self._layer(hidden, bias, f"encoder.layer.{layer}")
        return hidden

    def dense(self, node: ov.Node, name: str) -> ov.Node:
        """Multiply by the matrix `name` and add its bias."""
        matrix = self._weights.tensor(f"{name}.weight")
        multiplied = ops.matmul(node, _in_whole_numbers(matrix) if self._whole_numbers else _real(matrix), False, True)
        return ops.add(multiplied, self._constant(f"{name}.bias"))

    def _embed(self, words: ov.Node, first_place: int, kinds: ov.Node | None) -> ov.Node:
        length = ops.gather(ops.shape_of(words), np.int64(1), np.int64(0))
        places = ops.range(np.int64(first_place), ops.add(length, np.int64(first_place)), np.int64(1), "i64")
        positions = ops.gather(self._constant("embeddings.position_embeddings.weight"), places, np.int64(0))
        table = self._weights.tensor("embeddings.token_type_embeddings.weight")
        kind = _real(table[0]) if kinds is None else ops.gather(_real(table), kinds, np.int64(0))
        return self._normalise(ops.add(ops.add(words, positions), kind), "embeddings.LayerNorm")

    def _layer(self, hidden: ov.Node, bias: ov.Node, name: str) -> ov.Node:
        query, key, value = (
            self._split_heads(self.dense(hidden, f"{name}.attention.self.{part}")) for part in ("query", "key", "value")
        )
        context = ops.transpose(ops.scaled_dot_product_attention(query, key, value, bias), np.array([0, 2, 1, 3]))
        context = ops.reshape(context, np.array([0, 0, -1], np.int64), special_zero=True)
        attended = self.dense(context, f"{name}.attention.output.dense")
        hidden = self._normalise(ops.add(attended, hidden), f"{name}.attention.output.LayerNorm")
        inner = ops.gelu(self.dense(hidden, f"{name}.intermediate.dense"), "erf")
        return self._normalise(ops.add(self.dense(inner, f"{name}.output.dense"), hidden), f"{name}.output.LayerNorm")

    def _split_heads(self, node: ov.Node) -> ov.Node:
        shaped = ops.reshape(node, np.array([0, 0, self._heads, -1], np.int64), special_zero=True)
        return ops.transpose(shaped, np.array([0, 2, 1, 3]))

    def _normalise(self, node: ov.Node, name: str) -> ov.Node:
        even = ops.mvn(node, np.array([-1], np.int64), True, self._epsilon, "inside_sqrt")
        return ops.add(ops.multiply(even, self._constant(f"{name}.weight")), self._constant(f"{name}.bias"))

    def _constant(self, name: str) -> ov.Node:
        return _real(self._weights.tensor(name))


def embedding_graph(encoder: Encoder, *, width: int, pooling: Literal["mean", "cls"]) -> ov.Model:
    """Return the graph: rows of words, mask -> one pooled vector a text, not yet normalised."""
    words = ops.parameter([-1, -1, width], np.float32, name="words")
    mask = ops.parameter([-1, -1], np.float32, name="mask")
    return ov.Model([pooled(encoder.hidden(words, mask), mask, pooling)], [words, mask], "encoder")


def pooled(hidden: ov.Node, mask: ov.Node, pooling: Literal["mean", "cls"]) -> ov.Node:
    """Return the mean of the tokens' vectors, or the first of them."""
    if pooling == "cls":
        return ops.gather(hidden, np.int64(0), np.int64(1))
    wide = ops.unsqueeze(mask, np.int64(2))
    total = ops.reduce_sum(ops.multiply(hidden, wide), np.int64(1))
    return ops.divide(total, ops.reduce_sum(wide, np.int64(1)))


def _real(numbers: Numbers) -> ov.Node:
    return ops.constant(np.ascontiguousarray(numbers, np.float32))


def _in_whole_numbers(matrix: Numbers) -> ov.Node:
    """Return a matrix whose rows are at most 127, and scaled back where they are used: less than 0.4 % off by row."""
    scales = np.maximum(np.abs(matrix).max(axis=1, keepdims=True), np.float32(1e-6)) / np.float32(127)
    levels = np.rint(matrix / scales).astype(np.int8)
    scaled = ops.multiply(ops.convert(ops.constant(levels), "f16"), ops.constant(scales.astype(np.float16)))
    return ops.convert(scaled, "f32")
