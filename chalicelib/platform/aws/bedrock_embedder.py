"""Embeds by Amazon Bedrock: Titan Text Embeddings V2, and Cohere Embed 3 and 4."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from chalicelib.platform.aws.bedrock_api import BedrockAnswer, BedrockApi, path_of
from chalicelib.platform.embedding_batches import Limits
from chalicelib.platform.embedding_work import Answer, Call, Purpose, Row
from chalicelib.platform.provider_calls import CallFailed, Outcome

_COUNT_OF_INPUT = "x-amzn-bedrock-input-token-count"
_INPUT_TYPES: Mapping[Purpose, str] = {"passage": "search_document", "query": "search_query"}


@dataclass(frozen=True, slots=True)
class BedrockEmbeddings:
    """What is known of a family of models; the first of its dimensions is the default."""

    dimensions: Sequence[int]
    limits: Limits
    languages: frozenset[str] | None = None


# docs.aws.amazon.com/bedrock/latest/userguide/titan-embedding-models.html: 8,192 tokens, 50,000 characters, one text a
# call; so several calls are made at once.
_TITAN = BedrockEmbeddings(
    (1024, 512, 256), Limits(texts=1, tokens=8_000, tokens_a_text=8_000, characters_a_text=50_000, calls=8)
)
# docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-embed-v3.html: 96 texts of 2,048 characters; the model
# reads 512 tokens, and is told not to drop what is beyond (`truncate`), so that it refuses.
_COHERE_3_LIMITS = Limits(texts=96, tokens=96 * 680, tokens_a_text=680, characters_a_text=2_048, calls=2)
_COHERE_3 = BedrockEmbeddings((1024,), _COHERE_3_LIMITS)
_COHERE_3_ENGLISH = BedrockEmbeddings((1024,), _COHERE_3_LIMITS, frozenset({"en"}))
# docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-embed-v4.html: 96 texts, 128,000 tokens.
_COHERE_4 = BedrockEmbeddings(
    (1536, 1024, 512, 256),
    Limits(texts=96, tokens=100_000, tokens_a_text=100_000, characters_a_text=300_000, calls=2),
)
_FAMILIES: Mapping[str, BedrockEmbeddings] = {
    "amazon.titan-embed-text-v2": _TITAN,
    "cohere.embed-english-v3": _COHERE_3_ENGLISH,
    "cohere.embed-multilingual-v3": _COHERE_3,
    "cohere.embed-v4": _COHERE_4,
}
MODELS = tuple(_FAMILIES)


def family_of(model: str) -> BedrockEmbeddings | None:
    """Return what is known of a model by its name, or by an ARN or an inference profile that has the name in it."""
    return next((family for name, family in _FAMILIES.items() if name in model), None)


def bedrock_call(api: BedrockApi, model: str, *, dimensions: int) -> Call:
    """Return the call of one model at one dimension."""
    family = family_of(model)
    return _TitanCall(api, model, dimensions) if family is _TITAN else _CohereCall(api, model, dimensions, family)


class _TitanCall:
    """Reads one text a call."""

    def __init__(self, api: BedrockApi, model: str, dimensions: int) -> None:
        self._api = api
        self._path = path_of(model, "invoke")
        self._dimensions = dimensions

    def __call__(self, texts: Sequence[str], _: Purpose, seconds: float) -> Answer:
        """Embed the one text. Raises CallFailed."""
        (text,) = texts
        fields = {"inputText": text, "dimensions": self._dimensions, "normalize": True}
        answer = self._api.post("bedrock-runtime", self._path, fields, seconds=seconds)
        count = answer.content.get("inputTextTokenCount")
        return Answer([_row(answer.content.get("embedding"))], count if type(count) is int and count > 0 else None)


class _CohereCall:
    """Reads many texts a call, each as what it is: a passage or a question."""

    def __init__(self, api: BedrockApi, model: str, dimensions: int, family: BedrockEmbeddings | None) -> None:
        self._api = api
        self._path = path_of(model, "invoke")
        self._chosen = {"output_dimension": dimensions} if family is _COHERE_4 else {}

    def __call__(self, texts: Sequence[str], purpose: Purpose, seconds: float) -> Answer:
        """Embed a batch. Raises CallFailed."""
        fields = {
            "texts": list(texts),
            "input_type": _INPUT_TYPES[purpose],
            "truncate": "NONE",
            "embedding_types": ["float"],
            **self._chosen,
        }
        answer = self._api.post("bedrock-runtime", self._path, fields, seconds=seconds)
        found = answer.content.get("embeddings")
        # By type where types were asked for, or, by other releases of the model, the one type as it is.
        rows = found.get("float") if isinstance(found, dict) else found
        if not isinstance(rows, list):
            raise CallFailed(Outcome.UNREADABLE, "gave no list of embeddings")
        return Answer([_row(row) for row in rows], _count(answer))


def _row(embedding: object) -> Row:
    if isinstance(embedding, list):
        try:
            with np.errstate(over="ignore"):  # what is too large becomes infinite, and is dealt with as that
                return np.array(embedding, np.float64).astype(np.float32)
        except (TypeError, ValueError, OverflowError):
            pass
    raise CallFailed(Outcome.UNREADABLE, "gave embeddings that are no lists of numbers")


def _count(answer: BedrockAnswer) -> int | None:
    count = answer.headers.get(_COUNT_OF_INPUT, "")
    return int(count) or None if count.isdecimal() and count.isascii() and len(count) < 12 else None
