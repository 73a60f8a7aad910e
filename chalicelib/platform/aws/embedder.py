"""The embedder as a function of its own, invoked in requests small enough for AWS Lambda."""

import base64
import json
from collections.abc import Iterator, Sequence
from typing import Any, Protocol

import numpy as np
from botocore.exceptions import BotoCoreError, ClientError

from chalicelib.platform.errors import EmbedderUnavailable
from chalicelib.platform.ports import Vectors

_MOST_TEXTS = 64
_MOST_CHARACTERS = 500_000


class InvokesFunctions(Protocol):
    """The part of boto3's Lambda client that is used here."""

    def invoke(self, *, FunctionName: str, Payload: bytes) -> Any:  # noqa: ANN401, N803 - boto3's names and types
        """Call a function and wait for its answer."""
        ...


class LambdaEmbedder:
    """Speaks to functions/embed; refuses vectors of any space but its own."""

    languages: frozenset[str] | None = frozenset({"en"})

    def __init__(
        self, client: InvokesFunctions, function: str, *, space: str = "all-MiniLM-L6-v2/384", dimensions: int = 384
    ) -> None:
        self._client = client
        self._function = function
        self.space = space
        self.dimensions = dimensions

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Embed texts of any length, whole. Raises EmbedderUnavailable."""
        parts = [self._invoke(batch, "passage") for batch in _batches(texts)]
        return np.concatenate(parts) if parts else np.zeros((0, self.dimensions), np.float32)

    def embed_query(self, text: str) -> Vectors:
        """Embed one question. Raises EmbedderUnavailable."""
        return self._invoke([text], "query")

    def _invoke(self, texts: Sequence[str], purpose: str) -> Vectors:
        payload = json.dumps({"texts": list(texts), "purpose": purpose}).encode("ascii")
        try:
            answer = self._client.invoke(FunctionName=self._function, Payload=payload)
            content = json.loads(answer["Payload"].read())
        except (BotoCoreError, ClientError, OSError, ValueError) as problem:
            raise EmbedderUnavailable("The embedder's function does not answer; try again later.") from problem
        if answer.get("FunctionError") or "error" in content:
            reason = content.get("errorMessage") or content.get("error", {}).get("detail", "")
            raise EmbedderUnavailable(f"The embedder's function failed: {reason}", function=self._function)
        if content["space"] != self.space or content["shape"] != [len(texts), self.dimensions]:
            raise EmbedderUnavailable(f"The embedder's function serves {content['space']}, not {self.space}.")
        rows = np.frombuffer(base64.b64decode(content["vectors"]), "<f4")
        return rows.reshape(len(texts), self.dimensions).astype(np.float32)


def _batches(texts: Sequence[str]) -> Iterator[list[str]]:
    batch: list[str] = []
    size = 0
    for text in texts:
        if batch and (len(batch) == _MOST_TEXTS or size + len(text) > _MOST_CHARACTERS):
            yield batch
            batch, size = [], 0
        batch.append(text)
        size += len(text)
    if batch:
        yield batch
