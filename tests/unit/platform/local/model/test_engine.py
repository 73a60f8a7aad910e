"""The graph is the model that its weights were published for."""

import base64
import json
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from chalicelib.platform.local.model.engine import Engine
from chalicelib.platform.local.model.openvino_runtime import Precision
from chalicelib.platform.ports import Vectors

pytestmark = pytest.mark.model


@pytest.fixture(scope="module")
def reference() -> Mapping[str, Vectors]:
    """Vectors that sentence-transformers made; the file says how."""
    made = json.loads((Path(__file__).parents[4] / "fixtures" / "reference_vectors.json").read_text("utf-8"))
    return {text: np.frombuffer(base64.b64decode(row), "<f4") for text, row in made["vectors_by_text"].items()}


@pytest.fixture(scope="module")
def exact(model_folder: Path) -> Engine:
    return Engine(model_folder, precision="f32")


@pytest.mark.parametrize(("precision", "least"), [("f32", 0.9999), ("bf16", 0.999), (None, 0.999)])
def test_vectors_are_those_of_the_published_model(
    precision: Precision | None, least: float, model_folder: Path, reference: Mapping[str, Vectors]
) -> None:
    rows = Engine(model_folder, precision=precision, window=510).embed(list(reference)).vectors
    cosines = (rows * np.stack(list(reference.values()))).sum(axis=1)
    assert cosines.min() >= least


def test_a_text_has_the_same_vector_in_any_company(exact: Engine, reference: Mapping[str, Vectors]) -> None:
    together = exact.embed(list(reference)).vectors
    alone = np.concatenate([exact.embed([text]).vectors for text in reference])
    assert (together * alone).sum(axis=1).min() > 0.99999


def test_the_last_sentence_of_two_thousand_tokens_counts(exact: Engine) -> None:
    head = "The weather report of the day was read aloud to the crew before they set sail. " * 115
    one, other = exact.embed(
        [head + "The treaty on fisheries was signed.", head + "Bananas are rich in potassium."]
    ).vectors
    assert 0.9 < one @ other < 0.9999


def test_threads_get_the_vectors_of_their_own_texts(exact: Engine) -> None:
    texts = [f"Invoice number {n} " * (n % 7 + 1) for n in range(40)]
    with ThreadPoolExecutor(4) as threads:
        rows = np.concatenate(list(threads.map(lambda text: exact.embed([text]).vectors, texts)))
    assert np.allclose(rows, exact.embed(texts).vectors, atol=1e-4)
