"""The embedder as a function of its own, invoked in requests small enough for AWS Lambda."""

import base64
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from botocore.exceptions import BotoCoreError, ClientError

from chalicelib.platform.embedding_models import EmbeddingModel
from chalicelib.platform.errors import EmbeddedTextTooLong, EmbedderUnavailable
from chalicelib.platform.ports import Embedded
from chalicelib.telemetry.correlation import current_correlation_id

_MOST_TEXTS = 64
# Lambda refuses a synchronous request above 6 MB (docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html).
_MOST_BYTES = 5_500_000


class InvokesFunctions(Protocol):
    """The part of boto3's Lambda client that is used here."""

    def invoke(self, *, FunctionName: str, Payload: bytes) -> Any:  # noqa: ANN401, N803 - boto3's names and types
        """Call a function and wait for its answer."""
        ...


class LambdaEmbedder:
    """Speaks to functions/embed; refuses vectors of any space but its own."""

    def __init__(self, client: InvokesFunctions, function: str, *, model: EmbeddingModel) -> None:
        self._client = client
        self._function = function
        self.space = model.space
        self.dimensions = model.dimensions
        self.languages = model.languages

    def embed_passages(self, texts: Sequence[str]) -> Embedded:
        """Embed texts of any length, whole. Raises EmbedderUnavailable, and EmbeddedTextTooLong above 5 MB."""
        parts = [self._invoke(batch, "passage") for batch in _batches(texts)]
        rows = [np.zeros((0, self.dimensions), np.float32), *(part.vectors for part in parts)]
        return Embedded(np.concatenate(rows), sum(part.tokens for part in parts))

    def embed_query(self, text: str) -> Embedded:
        """Embed one question. Raises EmbedderUnavailable, and EmbeddedTextTooLong above 5 MB."""
        return self._invoke([_encoded(text)], "query")

    def _invoke(self, texts: Sequence[bytes], purpose: str) -> Embedded:
        about = json.dumps({"purpose": purpose, "correlation_id": current_correlation_id()}).encode()
        payload = b'%b, "texts": [%b]}' % (about.removesuffix(b"}"), b",".join(texts))
        try:
            answer = self._client.invoke(FunctionName=self._function, Payload=payload)
            content = json.loads(answer["Payload"].read())
        except (BotoCoreError, ClientError, OSError, ValueError, RecursionError) as problem:
            raise EmbedderUnavailable(
                f"The embedder's function {self._function} does not answer; try again later.", function=self._function
            ) from problem
        if answer.get("FunctionError") or not isinstance(content, dict) or "vectors" not in content:
            raise EmbedderUnavailable(
                f"The embedder's function failed: {_reason(content)}; its log says more.", function=self._function
            )
        served = content.get("space")
        if served != self.space or content.get("shape") != [len(texts), self.dimensions]:
            raise EmbedderUnavailable(
                f"The embedder's function serves {served}, not {self.space}; deploy the two together.",
                function=self._function,
            )
        try:
            rows = np.frombuffer(base64.b64decode(content["vectors"]), "<f4").reshape(len(texts), self.dimensions)
        except (TypeError, ValueError):
            rows = np.full((1, 1), np.nan)
        tokens = content.get("tokens")
        if not np.isfinite(rows).all() or type(tokens) is not int or tokens < 0:
            raise EmbedderUnavailable(
                "The embedder's function gave vectors or a count of tokens that cannot be read; its log says more.",
                function=self._function,
            )
        return Embedded(rows.astype(np.float32), tokens)


def _reason(content: object) -> str:
    if not isinstance(content, Mapping):
        return "it gave no answer that can be read"
    error = content.get("error")
    detail = error.get("detail") if isinstance(error, Mapping) else content.get("errorMessage")
    return str(detail or "it gave no reason").rstrip(".")


def _encoded(text: str) -> bytes:
    """Return the text as JSON; blanks mean nothing to the model, and a text may have megabytes of them."""
    encoded = _json_of(text)
    if len(encoded) > _MOST_BYTES:
        encoded = _json_of(" ".join(text.split()))
    if len(encoded) > _MOST_BYTES:
        raise EmbeddedTextTooLong(f"A text of {len(encoded)} bytes cannot be embedded; split it.", limit=_MOST_BYTES)
    return encoded


def _json_of(text: str) -> bytes:
    return json.dumps(text, ensure_ascii=False).encode("utf-8", "replace")


def _batches(texts: Sequence[str]) -> Iterator[list[bytes]]:
    batch: list[bytes] = []
    size = 0
    for text in map(_encoded, texts):
        if batch and (len(batch) == _MOST_TEXTS or size + len(text) > _MOST_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(text)
        size += len(text) + 1
    if batch:
        yield batch
