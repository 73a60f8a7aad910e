"""Judges pairs of question and passage with a cross-encoder of BERT's or XLM-RoBERTa's kind."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from tokenizers import Encoding, Tokenizer

from chalicelib.platform.local.model.batches import batches_by_length, padded_width
from chalicelib.platform.local.model.catalogue import TOKENIZER, WEIGHTS
from chalicelib.platform.local.model.graph import Encoder
from chalicelib.platform.local.model.openvino_runtime import GraphRequest, Precision, compile_graph, ops, ov
from chalicelib.platform.local.model.safetensors_file import SafetensorsRefused
from chalicelib.platform.local.model.tokenizing import read_tokenizer
from chalicelib.platform.local.model.weights import PublishedWeights

_LONGEST = 512
_SHORTEST = 16
"""Tokens that a pair needs at least: half of them are the question's, and up to four are marks."""


class CrossEncoderRefused(ValueError):
    """The files of a folder are not those of a cross-encoder that can be run; the message says why."""


class Judged(NamedTuple):
    """What the model says of each passage, from 0 to 1, and how many tokens it read for that."""

    scores: list[float]
    tokens: int


class _Card(BaseModel):
    """What is needed of config.json, by the names of transformers."""

    model_config = ConfigDict(extra="ignore")

    architectures: tuple[Literal["BertForSequenceClassification", "XLMRobertaForSequenceClassification"]]
    hidden_size: int = Field(ge=1)
    num_hidden_layers: int = Field(ge=1)
    num_attention_heads: int = Field(ge=1)
    layer_norm_eps: float = Field(1e-12, gt=0)
    max_position_embeddings: int = Field(ge=8)
    pad_token_id: int = Field(0, ge=0)
    hidden_act: Literal["gelu"] = "gelu"
    id2label: dict[str, str] = Field(min_length=1, max_length=1)

    @property
    def is_roberta(self) -> bool:
        return self.architectures[0].startswith("XLMRoberta")

    @property
    def first_place(self) -> int:
        """The first position: RoBERTa keeps those up to its padding's number (transformers, modeling_roberta.py)."""
        return self.pad_token_id + 1 if self.is_roberta else 0


class CrossEncoder:
    """One compiled model; threads may share it."""

    def __init__(self, folder: Path, *, precision: Precision | None = None) -> None:
        """Raises CrossEncoderRefused."""
        try:
            card = _Card.model_validate_json((folder / "config.json").read_bytes())
            weights = PublishedWeights(folder / WEIGHTS, prefix="roberta." if card.is_roberta else "bert.")
            self._request = GraphRequest(compile_graph(_graph(card, weights), precision=precision))
            self._tokenizer = _read_tokenizer(folder / TOKENIZER)
        except (OSError, ValidationError, SafetensorsRefused, RuntimeError) as problem:
            raise CrossEncoderRefused(_reason(problem)) from problem
        self._longest = min(_LONGEST, (card.max_position_embeddings - card.first_place) // 8 * 8)
        if self._longest < _SHORTEST:
            raise CrossEncoderRefused(f"config.json leaves less than {_SHORTEST} tokens for a pair")
        highest = max(self._tokenizer.get_vocab(with_added_tokens=True).values(), default=0)
        if max(highest, card.pad_token_id) >= weights.size:
            raise CrossEncoderRefused(f"its weights know {weights.size} tokens, and its other files have more")
        self._padding = card.pad_token_id
        self._weights = weights

    def judge(self, question: str, passages: Sequence[str], *, before_each: Callable[[], None]) -> Judged:
        """Score passages; their tails, and that of a question of half the model's length, are cut off.

        `before_each` is called before each batch and may raise. Of damaged weights a score may be no number.
        """
        pairs = self._pairs(question, passages)
        scores = [0.0] * len(passages)
        for batch in batches_by_length([len(pair.ids) for pair in pairs]):
            before_each()
            for place, score in zip(batch, self._run([pairs[place] for place in batch]), strict=True):
                scores[place] = score
        return Judged(scores, sum(len(pair.ids) for pair in pairs))

    def _pairs(self, question: str, passages: Sequence[str]) -> list[Encoding]:
        asked = self._tokenizer.encode(question, add_special_tokens=False)
        asked.truncate(self._longest // 2)
        room = self._longest - self._tokenizer.num_special_tokens_to_add(is_pair=True) - len(asked.ids)
        said = self._tokenizer.encode_batch(list(passages), add_special_tokens=False)
        for passage in said:
            passage.truncate(room)
        return [self._tokenizer.post_process(asked, passage) for passage in said]

    def _run(self, pairs: Sequence[Encoding]) -> list[float]:
        width = padded_width(max(len(pair.ids) for pair in pairs))
        ids = np.full((len(pairs), width), self._padding, np.int64)
        kinds = np.zeros((len(pairs), width), np.int64)
        mask = np.zeros((len(pairs), width), np.int64)
        for row, pair in enumerate(pairs):
            filled = len(pair.ids)
            ids[row, :filled], kinds[row, :filled], mask[row, :filled] = pair.ids, pair.type_ids, 1
        scores = self._request.infer(self._weights.words(ids), mask, kinds)
        return [float(score) for score in scores[:, 0]]


def _graph(card: _Card, weights: PublishedWeights) -> ov.Model:
    words = ops.parameter([-1, -1, card.hidden_size], np.float32, name="words")
    mask = ops.parameter([-1, -1], np.float32, name="mask")
    kinds = ops.parameter([-1, -1], np.int64, name="kinds")
    encoder = Encoder(
        weights, layers=card.num_hidden_layers, heads=card.num_attention_heads, epsilon=card.layer_norm_eps
    )
    hidden = encoder.hidden(words, mask, first_place=card.first_place, kinds=kinds)
    first = ops.gather(hidden, np.int64(0), np.int64(1))
    inner, last = ("classifier.dense", "classifier.out_proj") if card.is_roberta else ("pooler.dense", "classifier")
    score = ops.sigmoid(encoder.dense(ops.tanh(encoder.dense(first, inner)), last))
    return ov.Model([score], [words, mask, kinds], "cross-encoder")


def _read_tokenizer(path: Path) -> Tokenizer:
    try:
        return read_tokenizer(path)
    except Exception as problem:  # tokenizers raises nothing narrower
        raise CrossEncoderRefused(f"{path.name} cannot be read ({problem})") from problem


def _reason(problem: Exception) -> str:
    if isinstance(problem, ValidationError):
        first = problem.errors()[0]
        return f"config.json: {'.'.join(map(str, first['loc']))}: {first['msg']}"
    if isinstance(problem, OSError):
        return f"{Path(problem.filename or '').name} cannot be read"
    # OpenVINO says with many lines which shapes do not fit.
    return "its weights do not fit together" if isinstance(problem, RuntimeError) else str(problem)
