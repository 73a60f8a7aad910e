"""Embeds by `POST /embeddings` of a server that speaks OpenAI's protocol."""

import base64
import binascii
from collections.abc import Mapping, Sequence

import numpy as np

from chalicelib.platform.dialect import Choice
from chalicelib.platform.embedding_batches import Limits
from chalicelib.platform.embedding_work import Answer, Purpose, Row
from chalicelib.platform.openai_compatible.api import OpenAiApi
from chalicelib.platform.provider_calls import CallFailed, Outcome

# platform.openai.com/docs/api-reference/embeddings/create: 2,048 texts, 8,192 tokens a text, 300,000 a request. Fewer
# at once, for an answer of 2,048 vectors has megabytes; servers that take less say so, and are given less from then on.
LIMITS = Limits(texts=256, tokens=100_000, tokens_a_text=8_000, characters_a_text=100_000)


class OpenAiEmbeddings:
    """The call of one model at one dimension; `prompts` stand before each text of a purpose."""

    def __init__(
        self, api: OpenAiApi, model: str, *, dimensions: int, prompts: Mapping[Purpose, str] | None = None
    ) -> None:
        self._api = api
        self._model = model
        self._prompts = prompts or {}
        # Servers of models with one dimension refuse the field or ignore it; the length of what comes is looked at.
        self._choices = {
            "dimensions": Choice(("dimensions", "matryoshka"), ({"dimensions": dimensions}, {})),
            "encoding": Choice(("encoding_format", "base64"), ({"encoding_format": "base64"}, {})),
        }

    def __call__(self, texts: Sequence[str], purpose: Purpose, seconds: float) -> Answer:
        """Embed texts of a batch. Raises CallFailed."""
        prompt = self._prompts.get(purpose, "")
        fields = {"model": self._model, "input": [prompt + text for text in texts]}
        answer = self._api.post("/embeddings", fields, self._choices, seconds=seconds)
        return Answer(_rows(answer.get("data"), len(texts)), _tokens(answer.get("usage")))


def _rows(data: object, texts: int) -> list[Row]:
    """Return rows in the order of the texts: by `index` alone, for nothing promises the order of the list.

    Servers behind gRPC leave out what is 0, and so the first index; two without an index are one too many.
    """
    if not isinstance(data, list):
        raise CallFailed(Outcome.UNREADABLE, "gave no list of embeddings")
    rows_by_index: dict[object, Row] = {}
    for entry in data:
        index = entry.get("index", 0) if isinstance(entry, dict) else None
        if type(index) is not int or not 0 <= index < texts or index in rows_by_index:
            raise CallFailed(Outcome.UNREADABLE, "gave embeddings with indexes that are absent, double or unknown")
        rows_by_index[index] = _row(entry.get("embedding"))
    if len(rows_by_index) != texts:
        raise CallFailed(Outcome.UNREADABLE, f"gave {len(rows_by_index)} vectors for {texts} texts")
    return [rows_by_index[index] for index in range(texts)]


def _row(embedding: object) -> Row:
    """Return a row from a list of numbers, null where a server had none to give, or base64 of little-endian float32."""
    try:
        if isinstance(embedding, str):
            return np.frombuffer(base64.b64decode(embedding, validate=True), "<f4").astype(np.float32)
        if isinstance(embedding, list):
            with np.errstate(over="ignore"):  # what is too large becomes infinite, and is dealt with as that
                return np.array(embedding, np.float64).astype(np.float32)
    except (binascii.Error, TypeError, ValueError, OverflowError):
        pass
    raise CallFailed(Outcome.UNREADABLE, "gave embeddings that are no lists of numbers")


def _tokens(usage: object) -> int | None:
    counts = usage if isinstance(usage, dict) else {}
    known = [counts.get(name) for name in ("prompt_tokens", "total_tokens")]
    return next((count for count in known if type(count) is int and count > 0), None)
