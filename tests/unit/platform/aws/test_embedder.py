"""The function's embedder keeps within Lambda's limits and says in one word what went wrong there."""

import base64
import io
import json
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from botocore.exceptions import ClientError, ConnectTimeoutError

from chalicelib.platform.aws.embedder import LambdaEmbedder
from chalicelib.platform.embedding_models import MODELS_BY_NAME
from chalicelib.platform.errors import EmbeddedTextTooLong, EmbedderUnavailable

MODEL = MODELS_BY_NAME["all-MiniLM-L6-v2"]
WHOLE = {"space": MODEL.space, "vectors": base64.b64encode(np.ones(384, "<f4").tobytes()).decode(), "shape": [1, 384]}


class Function:
    """Answers as the embedder's function would, and keeps the sizes of what it was asked."""

    def __init__(self, answer: object = None, *, failure: Exception | None = None, error: str = "") -> None:
        self.answer, self.failure, self.error = answer, failure, error
        self.requests: list[tuple[int, int]] = []

    def invoke(self, *, FunctionName: str, Payload: bytes) -> Mapping[str, Any]:  # noqa: N803 - boto3's names
        assert FunctionName == "embed"
        if self.failure:
            raise self.failure
        texts = json.loads(Payload)["texts"]
        self.requests.append((len(texts), len(Payload)))
        rows = base64.b64encode(np.ones((len(texts), 384), "<f4").tobytes()).decode()
        whole = {"space": "all-MiniLM-L6-v2/384", "vectors": rows, "shape": [len(texts), 384], "tokens": len(texts)}
        answer = json.dumps(whole if self.answer is None else self.answer).encode()
        return {"Payload": io.BytesIO(answer), **({"FunctionError": self.error} if self.error else {})}


def test_requests_stay_below_six_megabytes_and_carry_every_text() -> None:
    function = Function()
    embedded = LambdaEmbedder(function, "embed", model=MODEL).embed_passages(['"😀' * 400_000] * 5 + ["x"] * 130)
    assert (embedded.vectors.shape, embedded.tokens) == ((135, 384), 135)
    assert sum(texts for texts, _ in function.requests) == 135
    assert max(size for _, size in function.requests) < 6_000_000
    assert max(texts for texts, _ in function.requests) == 64


def test_blanks_make_no_text_too_long() -> None:
    function = Function()
    LambdaEmbedder(function, "embed", model=MODEL).embed_passages(["a" + " " * 8_000_000 + "b"])
    assert function.requests[0][1] < 100


def test_a_text_that_no_request_holds_is_refused() -> None:
    with pytest.raises(EmbeddedTextTooLong) as raised:
        LambdaEmbedder(Function(), "embed", model=MODEL).embed_passages(["x" * 6_000_000])
    assert raised.value.status == 413


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (Function(failure=ConnectTimeoutError(endpoint_url="http://x")), "does not answer"),
        (Function(failure=ClientError({"Error": {"Code": "TooManyRequestsException"}}, "Invoke")), "does not answer"),
        (Function({"errorMessage": "Task timed out after 60 s"}, error="Unhandled"), "Task timed out after 60 s;"),
        (Function({"error": {"type": "x", "detail": "Too long."}}), "failed: Too long;"),
        (Function([1]), "no answer that can be read"),
        (Function({}), "gave no reason"),
        (Function({"space": "other/384", "vectors": "", "shape": [1, 384]}), "serves other/384"),
        (Function({"space": "all-MiniLM-L6-v2/384", "vectors": "", "shape": [2, 384]}), "serves"),
        (Function({"vectors": ""}), "serves None"),
        (Function({"space": "all-MiniLM-L6-v2/384", "vectors": "", "shape": [1, 384]}), "cannot be read"),
        (Function({"space": "all-MiniLM-L6-v2/384", "vectors": "AAAA", "shape": [1, 384]}), "cannot be read"),
        (Function({"space": "all-MiniLM-L6-v2/384", "vectors": 5, "shape": [1, 384]}), "cannot be read"),
        (Function({"space": "all-MiniLM-L6-v2/384", "vectors": "/" * 2048, "shape": [1, 384]}), "cannot be read"),
        (Function({**WHOLE, "tokens": None}), "a count of tokens that cannot be read"),
        (Function({**WHOLE, "tokens": -1}), "a count of tokens that cannot be read"),
        (Function({**WHOLE, "tokens": True}), "a count of tokens that cannot be read"),
    ],
)
def test_whatever_goes_wrong_there_is_the_embedder_being_out_of_reach(function: Function, said: str) -> None:
    with pytest.raises(EmbedderUnavailable, match=said) as raised:
        LambdaEmbedder(function, "embed", model=MODEL).embed_query("x")
    assert raised.value.members == {"function": "embed"}
