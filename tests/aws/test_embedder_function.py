"""The embedder's function as Lambda runs it, from the files of its image and with the real model in OpenVINO."""

import base64
import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from chalicelib.platform.aws.embedder import LambdaEmbedder
from chalicelib.platform.embedding_models import MODELS_BY_NAME
from chalicelib.platform.errors import EmbedderUnavailable
from chalicelib.platform.local.embedder import LocalEmbedder
from chalicelib.platform.ports import Vectors
from infra.embedder import stage_context
from tests.fixtures.lambda_runtime import Invocation, LambdaClient, LambdaFunction, RequestTooLarge

pytestmark = pytest.mark.model
pytest.importorskip("awslambdaric", reason="needs Lambda's runtime client")

HANDLER = "functions.embed.handler.handle"


@pytest.fixture(scope="module")
def task_root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return Path(stage_context(tmp_path_factory.mktemp("image")))


@pytest.fixture(scope="module")
def function(task_root: Path, served_folder: Path) -> Iterator[LambdaFunction]:
    with LambdaFunction(
        HANDLER,
        task_root=task_root,
        site_packages=True,
        environment=environment(served_folder),
        memory_mib=3008,
        timeout=60,
    ) as running:
        yield running


def environment(folder: Path) -> dict[str, str]:
    return {
        "LOREBASE_PLATFORM": "aws",
        "LOREBASE_MODEL_FOLDER": str(folder),
        "LOREBASE_METRICS": "emf",
        "LOREBASE_STAGE": "test",
        "HF_HUB_OFFLINE": "1",
    }


def rows_of(done: Invocation) -> Vectors:
    assert not done.is_error
    return np.frombuffer(base64.b64decode(done.result["vectors"]), "<f4").reshape(done.result["shape"])


def test_a_cold_start_has_the_model_ready_before_the_first_question(function: LambdaFunction) -> None:
    function.stop()
    cold = function.invoke({"texts": ["Who pays for my train ticket?"], "purpose": "query"})
    assert cold.start is not None
    assert 80 < cold.start.peak_mib < 1000
    assert rows_of(cold).shape == (1, 384)
    assert cold.result["tokens"] == 7
    assert function.invoke({"texts": ["again"], "purpose": "query"}).start is None


def test_vectors_of_batches_and_questions_are_those_of_a_laptop(
    function: LambdaFunction, embedder: LocalEmbedder
) -> None:
    texts = [f"passage {n} about travel " * (1 + n % 12) for n in range(70)]
    client = LambdaEmbedder(LambdaClient(embed=function), "embed", model=MODELS_BY_NAME["all-MiniLM-L6-v2"])
    remote = client.embed_passages(texts)
    assert np.allclose((remote.vectors * embedder.embed_passages(texts).vectors).sum(axis=1), 1, atol=1e-3)
    question = client.embed_query(texts[3]).vectors
    assert (question @ embedder.embed_query(texts[3]).vectors.T).item() == pytest.approx(1, abs=1e-3)


def test_tokens_are_logged_as_a_metric_and_texts_are_not(function: LambdaFunction) -> None:
    done = function.invoke({"texts": ["a secret plan"]})
    line = json.loads(done.log)
    assert (line["EmbeddingTokens"], line["Stage"]) == (3, "test")
    assert "secret" not in done.log


@pytest.mark.parametrize(
    ("event", "kind"),
    [
        ({"texts": "x"}, "texts-malformed"),
        ({"texts": ["x"] * 513}, "too-many-texts"),
        ({"texts": ["x"], "purpose": "other"}, "purpose-unknown"),
    ],
)
def test_a_malformed_request_is_answered_and_no_failure(
    function: LambdaFunction, event: dict[str, object], kind: str
) -> None:
    done = function.invoke(event)
    assert not done.is_error
    assert done.result["error"]["type"] == kind


def test_what_is_no_request_at_all_fails_and_the_next_one_is_served(function: LambdaFunction) -> None:
    assert function.invoke(["texts"]).result["errorType"] == "AttributeError"
    assert function.invoke(b"{").result["errorType"] == "Runtime.UnmarshalError"
    assert rows_of(function.invoke({"texts": ["x"]})).shape == (1, 384)


def test_a_request_above_six_megabytes_never_arrives(function: LambdaFunction) -> None:
    with pytest.raises(RequestTooLarge):
        function.invoke({"texts": ["x" * 6_300_000]})


def test_what_takes_too_long_is_ended_and_the_caller_is_told_to_wait(function: LambdaFunction) -> None:
    slow = {"texts": ["many different words to read " * 20_000]}
    done = function.invoke(slow, timeout=0.5)
    assert done.result["errorType"] == "Sandbox.Timedout"
    again = function.invoke({"texts": ["x"]})
    assert again.start is not None
    assert rows_of(again).shape == (1, 384)


def test_an_image_without_model_says_so_at_its_start(task_root: Path, tmp_path: Path) -> None:
    with LambdaFunction(HANDLER, task_root=task_root, site_packages=True, environment=environment(tmp_path)) as empty:
        done = empty.invoke({"texts": ["x"]})
        assert (done.result["errorType"], empty.process_id) == ("EmbedderUnavailable", None)
        client = LambdaEmbedder(LambdaClient(embed=empty), "embed", model=MODELS_BY_NAME["all-MiniLM-L6-v2"])
        with pytest.raises(EmbedderUnavailable, match="There is no model in"):
            client.embed_query("x")


def test_another_model_than_the_callers_is_refused(function: LambdaFunction) -> None:
    client = LambdaEmbedder(LambdaClient(embed=function), "embed", model=MODELS_BY_NAME["multilingual-e5-small"])
    assert client.languages is None
    with pytest.raises(EmbedderUnavailable, match="serves all-MiniLM-L6-v2/384, not multilingual-e5-small/384"):
        client.embed_query("x")
