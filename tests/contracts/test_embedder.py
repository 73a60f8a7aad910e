"""What every embedder promises, held on both sides; the function's handler is the real one, behind JSON."""

import io
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from chalicelib.platform.aws.embedder import LambdaEmbedder
from chalicelib.platform.embedding_models import MODELS_BY_NAME
from chalicelib.platform.local.embedder import LocalEmbedder
from chalicelib.platform.ports import Embedder
from functions.embed import handler
from functions.embed.served_model import ServedModel, load_model

pytestmark = pytest.mark.model

_LAMBDA_LIMIT = 6 * 1024 * 1024
MODEL = MODELS_BY_NAME["all-MiniLM-L6-v2"]


class InvokedHandler:
    """Calls the function's handler as Lambda does: bytes in, bytes out, and no request or answer above 6 MB."""

    def __init__(self) -> None:
        self.requests: list[Mapping[str, Any]] = []

    def invoke(self, *, FunctionName: str, Payload: bytes) -> Mapping[str, Any]:  # noqa: N803 - boto3's names
        assert FunctionName == "embed"
        assert len(Payload) <= _LAMBDA_LIMIT
        self.requests.append(json.loads(Payload))
        answer = json.dumps(handler.handle(json.loads(Payload))).encode()
        assert len(answer) <= _LAMBDA_LIMIT
        return {"StatusCode": 200, "Payload": io.BytesIO(answer)}


@pytest.fixture
def function(served_model: ServedModel, monkeypatch: pytest.MonkeyPatch) -> InvokedHandler:
    monkeypatch.setattr(handler, "_model", lambda: served_model)
    return InvokedHandler()


@pytest.fixture(scope="module")
def served_model(served_folder: Path) -> ServedModel:
    return load_model(served_folder, engine="openvino")


@pytest.fixture(params=["local", "aws"])
def either(request: pytest.FixtureRequest, embedder: LocalEmbedder, function: InvokedHandler) -> Embedder:
    return embedder if request.param == "local" else LambdaEmbedder(function, "embed", model=MODEL)


def test_rows_are_as_many_as_texts_and_of_length_one(either: Embedder) -> None:
    texts = [f"text {n}" for n in range(70)]
    rows = either.embed_passages(texts).vectors
    assert rows.shape == (70, either.dimensions)
    assert rows.dtype == np.float32
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)
    assert (either.space, either.dimensions, either.languages) == ("all-MiniLM-L6-v2/384", 384, frozenset({"en"}))


def test_no_texts_give_no_rows(either: Embedder) -> None:
    assert either.embed_passages([]).vectors.shape == (0, either.dimensions)
    assert either.embed_passages([]).tokens == 0


def test_the_order_of_texts_is_kept_whatever_their_length(either: Embedder) -> None:
    texts = ["tax " * 300, "cat", "a longer text about cats " * 40, "", "tax"]
    rows = either.embed_passages(texts).vectors
    alone = np.concatenate([either.embed_passages([text]).vectors for text in texts])
    assert np.allclose((rows * alone).sum(axis=1), [1, 1, 1, 0, 1], atol=1e-3)


def test_a_question_is_near_its_answer(either: Embedder) -> None:
    question = either.embed_query("Who pays for my train ticket?").vectors
    rows = either.embed_passages(["Travel by rail is reimbursed.", "The printer is on the second floor."]).vectors
    assert question.shape == (1, either.dimensions)
    assert question[0] @ rows[0] > question[0] @ rows[1]


@pytest.mark.parametrize("text", ["", " \t\n", "\x00", "\u200b"])
def test_a_text_without_meaning_is_zero_and_never_nan(either: Embedder, text: str) -> None:
    assert not either.embed_query(text).vectors.any()


@pytest.mark.parametrize("text", ["\ud800 lone", "😀" * 50, '"\\\n{}', "a" * 20_000, "ﬁ\u0301", "x \x00 y"])
def test_any_string_has_a_finite_vector_of_length_one(either: Embedder, text: str) -> None:
    assert np.linalg.norm(either.embed_query(text).vectors) == pytest.approx(1, abs=1e-5)


def test_the_tail_of_a_long_text_counts(either: Embedder) -> None:
    head = "The weather report was read aloud to the crew. " * 200
    one, other = either.embed_passages(
        [head + "The treaty was signed.", head + "Bananas are rich in potassium."]
    ).vectors
    assert one @ other < 0.99995


def test_both_sides_give_the_same_vectors(embedder: LocalEmbedder, function: InvokedHandler) -> None:
    texts = ["one", "two " * 600, "Überweisung \ud800"]
    remote = LambdaEmbedder(function, "embed", model=MODEL).embed_passages(texts)
    here = embedder.embed_passages(texts)
    assert np.allclose((remote.vectors * here.vectors).sum(axis=1), 1, atol=1e-3)
    assert remote.tokens == here.tokens


def test_every_token_that_was_read_is_counted(either: Embedder) -> None:
    one, twice = either.embed_query("Who pays for my train ticket?"), "Who pays for my train ticket? " * 2
    assert one.tokens == 7
    assert either.embed_passages([twice] * 70).tokens == 2 * 70 * one.tokens
