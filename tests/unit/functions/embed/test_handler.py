"""The function and the port that invokes it understand each other."""

import io
import json

import numpy as np
import pytest

from chalicelib.platform.aws.embedder import LambdaEmbedder
from chalicelib.platform.errors import EmbedderUnavailable
from functions.embed import handler
from tests.fixtures.models import embedder

__all__ = ["embedder"]


class RealHandler:
    def invoke(self, *, FunctionName, Payload):  # noqa: N803 - boto3's names
        return {"Payload": io.BytesIO(json.dumps(handler.handle(json.loads(Payload))).encode())}


@pytest.mark.model
def test_vectors_arrive_as_the_local_embedder_made_them(embedder, monkeypatch) -> None:
    monkeypatch.setattr(handler, "_embedder", embedder)
    remote = LambdaEmbedder(RealHandler(), "embed")
    texts = [f"text {n}" for n in range(70)]
    assert np.allclose(remote.embed_passages(texts), embedder.embed_passages(texts), atol=0.02)
    assert remote.embed_query("text 1").shape == (1, 384)


def test_a_function_of_another_space_is_refused(embedder, monkeypatch) -> None:
    monkeypatch.setattr(handler, "_embedder", embedder)
    with pytest.raises(EmbedderUnavailable, match="serves"):
        LambdaEmbedder(RealHandler(), "embed", space="other/384").embed_query("x")


@pytest.mark.parametrize("event", [{}, {"texts": "x"}, {"texts": [1]}, {"texts": ["x"], "purpose": "y"}])
def test_a_malformed_request_is_answered_with_an_error(event) -> None:
    assert set(handler.handle(event)) == {"error"}
